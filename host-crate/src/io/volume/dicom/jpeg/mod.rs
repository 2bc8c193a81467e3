//! Decoders of frames that are compressed with JPEG.

#[cfg_attr(not(feature = "jpeg2000"), path = "no_jpeg2000.rs")]
pub(super) mod jpeg2000;
pub(super) mod lossless;
pub(super) mod ls;
mod segments;
