//! Decoders of frames that are compressed with JPEG.

pub(super) mod jpeg2000;
pub(super) mod lossless;
pub(super) mod ls;
mod segments;
