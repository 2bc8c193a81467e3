//! Hashes of files and arrays.

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{BufReader, ErrorKind, Read},
    path::Path,
};

/// SHA-256 hash of the added data, bit by bit.
#[derive(Default)]
pub struct BitHash(Sha256);

impl BitHash {
    /// Adds the number of elements and the elements.
    pub fn add<T: bytemuck::NoUninit>(&mut self, elements: &[T]) -> &mut Self {
        self.0.update((elements.len() as u64).to_le_bytes());
        self.0.update(bytemuck::cast_slice::<T, u8>(elements));
        self
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) -> &mut Self {
        self.add(text.as_bytes())
    }

    /// Returns the hash as 64 hexadecimal digits.
    pub fn finish(self) -> String {
        let bytes = self.0.finalize();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the hash of a file's bytes. For `.gz` and `.png` files, hashes the decompressed content,
/// because compressors may produce different bytes for the same content.
///
/// # Errors
/// If the file cannot be read, or does not have the format that its name indicates.
pub fn hash_file(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension == Some("png") {
        return hash_picture(file);
    }
    let mut bytes = Vec::new();
    if extension == Some("gz") {
        MultiGzDecoder::new(file).read_to_end(&mut bytes)?;
    } else {
        file.read_to_end(&mut bytes)?;
    }
    let mut hash = Sha256::new();
    hash.update(&bytes);
    Ok(BitHash(hash).finish())
}

/// Returns the hash of a picture's size, colour type and samples.
fn hash_picture(file: File) -> std::io::Result<String> {
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info()?;
    let size = reader.output_buffer_size().ok_or(ErrorKind::FileTooLarge)?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples)?;
    let kind = format!("{:?} {:?}", frame.color_type, frame.bit_depth);
    let mut bits = BitHash::default();
    bits.add(&[frame.width, frame.height]).add_text(&kind);
    bits.add(&samples[..frame.buffer_size()]);
    Ok(bits.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn hash_matches_a_published_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash_file(&path).unwrap(), expected);
        let packed = folder.path().join("a.txt.gz");
        let file = File::create(&packed).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::best());
        encoder.write_all(b"abc").unwrap();
        encoder.finish().unwrap();
        assert_eq!(hash_file(&packed).unwrap(), expected);
    }

    #[test]
    fn pictures_are_hashed_by_their_samples() {
        let folder = tempfile::tempdir().unwrap();
        let hash = |name: &str, compression, samples: &[u8]| {
            let path = folder.path().join(name);
            let mut encoder = png::Encoder::new(File::create(&path).unwrap(), 64, 64);
            encoder.set_color(png::ColorType::Grayscale);
            encoder.set_compression(compression);
            encoder
                .write_header()
                .unwrap()
                .write_image_data(samples)
                .unwrap();
            (hash_file(&path).unwrap(), std::fs::read(&path).unwrap())
        };
        let mut samples: Vec<u8> = (0..4096).map(|at| (at % 64) as u8).collect();
        let (fast, fast_bytes) = hash("a.png", png::Compression::Fast, &samples);
        let (high, high_bytes) = hash("b.png", png::Compression::NoCompression, &samples);
        assert_ne!(fast_bytes, high_bytes);
        assert_eq!(fast, high);
        samples[4095] = 0;
        assert_ne!(hash("c.png", png::Compression::Fast, &samples).0, fast);
    }

    #[test]
    fn lengths_are_part_of_the_hash() {
        let hash = |parts: &[&[u8]]| {
            let mut bits = BitHash::default();
            for part in parts {
                bits.add(part);
            }
            bits.finish()
        };
        assert_eq!(hash(&[&[1, 2], &[3]]), hash(&[&[1, 2], &[3]]));
        assert_ne!(hash(&[&[1, 2], &[3]]), hash(&[&[1], &[2, 3]]));
    }
}
