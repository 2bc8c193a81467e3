//! Self-contained HTML pages that show meshes, skeletons and volumes in a browser.
//!
//! A [`Page`] needs no network and no server: the viewer (WebGL 2, `html/`) and the data are parts
//! of the file. Positions have 16 bits and normals 2 × 10; volumes have 8 bits per sample and at
//! most 256 samples along an axis, next to three planes at full resolution. The data are compressed
//! with gzip and encoded as base64; the browser decodes them with its `DecompressionStream`.
//!
//! ```
//! use ferrovox::{device::Device, synthetic, isosurface::{self, IsosurfaceParams}};
//! use ferrovox::viewer::{Page, SurfaceStyle};
//!
//! let stream = Device::best().stream()?;
//! let ball = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
//! let surface = isosurface::extract(&stream, &ball, None, &IsosurfaceParams::default())?;
//! let mut page = Page::new("ball");
//! page.add_mesh(&surface.download(&stream)?, &SurfaceStyle::new("ball", [230, 122, 99]))?;
//! let mut html = Vec::new();
//! page.write(&mut html)?;
//! assert!(html.starts_with(b"<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
mod mesh_code;
mod page;
mod scene;
mod skeleton_code;
mod triangle_order;
mod volume_code;

pub use page::{MapScale, Page, PageError, SurfaceStyle, VolumeStyle};
