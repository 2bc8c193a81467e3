//! Pictures of the documents that no command draws: label surfaces and topology rules.

mod labels;
mod topology;

pub use labels::draw_label_pictures;
pub use topology::draw_topology_pictures;

use std::{
    error::Error,
    fs::File,
    io::{BufReader, BufWriter},
    path::Path,
};

/// Picture with three bytes per pixel.
#[derive(Clone, Debug)]
pub struct DocumentPicture {
    /// Name of the file without its extension.
    pub name: String,
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// Red, green and blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

impl DocumentPicture {
    /// Writes the picture as `NAME.png` into a folder.
    ///
    /// # Errors
    /// Errors of the file.
    pub fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let file = BufWriter::new(File::create(folder.join(format!("{}.png", self.name)))?);
        let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.write_header()?.write_image_data(&self.rgb)?;
        Ok(())
    }

    /// Asserts that a folder has this picture. `hint` is the command that draws it.
    ///
    /// # Panics
    /// Panics if the picture is missing or differs.
    pub fn assert_current(&self, folder: &Path, hint: &str) {
        let path = folder.join(format!("{}.png", self.name));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut reader = png::Decoder::new(BufReader::new(file))
            .read_info()
            .expect("a PNG file");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a small picture")];
        let info = reader.next_frame(&mut rgb).expect("a complete picture");
        assert_eq!([info.width, info.height], self.size, "{}", self.name);
        assert_eq!(rgb.len(), self.rgb.len(), "{}", self.name);
        // trigonometric functions differ in the last bit between machines
        let channels = rgb.iter().zip(&self.rgb);
        let differing = channels.filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(differing < rgb.len() / 1000, "{}: run `{hint}`", self.name);
    }
}
