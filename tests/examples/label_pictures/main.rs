//! Draws the images of `docs/label-surfaces.md`.
//!
//! `cargo run -p ferrovox-tests --example label_pictures -- [FOLDER]`, by default
//! `docs/images/labels`. The test `pictures_are_current` compares them.

use ferrovox_tests::label_pictures::draw_label_pictures;
use std::{error::Error, fs::File, io::BufWriter, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .map_or_else(|| PathBuf::from("docs/images/labels"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for picture in draw_label_pictures()? {
        let path = folder.join(format!("{}.png", picture.name));
        let size = picture.size as u32;
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), size, size);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.write_header()?.write_image_data(&picture.rgb)?;
    }
    Ok(())
}
