//! The skeleton formats, one module each.

pub(super) mod json;
pub(super) mod obj;
pub(super) mod skel;
pub(super) mod swc;
pub(super) mod vtp;
