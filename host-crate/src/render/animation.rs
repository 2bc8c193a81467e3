//! Animations: pictures in sequence, as animated PNG.

use super::{Picture, RenderError};
use std::io;

/// Encodes pictures of equal size as an animated PNG (APNG) that repeats for ever; programs that
/// do not show animations show the first picture. `draw` returns the picture with a number from 0
/// on, and each is shown for `milliseconds`. One picture is in memory at a time, and the encoded
/// file.
///
/// ```
/// use ferrovox::{device::Device, synthetic, render::{self, RenderParams}};
///
/// let stream = Device::cpu().stream()?;
/// let ball = synthetic::sphere(&stream, [16; 3], 6.0)?;
/// let params = RenderParams { width: 16, height: 16, ..RenderParams::default() };
/// let file = render::encode_animation(3, 80, |_| render::isosurface(&stream, &ball, &params))?;
/// assert!(file.windows(4).any(|bytes| bytes == b"acTL"));
/// # Ok::<(), ferrovox::render::RenderError>(())
/// ```
///
/// # Errors
/// The errors of `draw`, and [`RenderError::Animation`] for no pictures or pictures of different
/// sizes.
pub fn encode_animation(
    pictures: u32,
    milliseconds: u16,
    mut draw: impl FnMut(u32) -> Result<Picture, RenderError>,
) -> Result<Vec<u8>, RenderError> {
    let mut file = Vec::new();
    let first = draw(0)?;
    let mut encoder = first.encoder(&mut file);
    encoder.set_animated(pictures, 0).map_err(io::Error::from)?;
    encoder
        .set_frame_delay(milliseconds, 1000)
        .map_err(io::Error::from)?;
    let mut writer = encoder.write_header().map_err(io::Error::from)?;
    writer
        .write_image_data(first.rgba())
        .map_err(io::Error::from)?;
    for number in 1..pictures {
        let picture = draw(number)?;
        writer
            .write_image_data(picture.rgba())
            .map_err(io::Error::from)?;
    }
    writer.finish().map_err(io::Error::from)?;
    Ok(file)
}
