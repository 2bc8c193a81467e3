//! Atomic replacement of output files, and streams.

pub(super) mod destination;
pub(super) mod early_writeback;
pub(super) mod group;
pub(super) mod lock;
pub(super) mod replacement;
pub(super) mod temporary_file;
