//! Element types that a program without `unsafe` obtains from a derive macro.

/// Bytes that are aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(128))]
pub struct CacheLine(pub [u8; 128]);

// SAFETY: plain bytes without padding.
unsafe impl bytemuck::Zeroable for CacheLine {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for CacheLine {}

/// Bytes that are aligned to a page, the strictest alignment of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(4096))]
pub struct Page(pub [u8; 4096]);

// SAFETY: plain bytes without padding.
unsafe impl bytemuck::Zeroable for Page {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Page {}
