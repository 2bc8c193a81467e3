//! Hashes of files and of arrays.

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::{fs::File, io::Read, path::Path};

/// A SHA-256 hash of whatever is added, bit for bit.
#[derive(Default)]
pub struct Bits(Sha256);

impl Bits {
    /// Adds the number of elements, and the elements.
    pub fn add<T: bytemuck::NoUninit>(&mut self, elements: &[T]) -> &mut Self {
        self.0.update((elements.len() as u64).to_le_bytes());
        self.0.update(bytemuck::cast_slice::<T, u8>(elements));
        self
    }

    /// Adds a word or a sentence.
    pub fn add_text(&mut self, text: &str) -> &mut Self {
        self.add(text.as_bytes())
    }

    /// The hash, as 64 hexadecimal digits.
    pub fn finish(self) -> String {
        let bytes = self.0.finalize();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The hash of a file's bytes; of a `.gz` file what is in it, since a compressor may choose other bytes for the same.
///
/// # Errors
/// If the file cannot be read, or is not what a `.gz` file should be.
pub fn of_file(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        MultiGzDecoder::new(file).read_to_end(&mut bytes)?;
    } else {
        file.read_to_end(&mut bytes)?;
    }
    let mut hash = Sha256::new();
    hash.update(&bytes);
    Ok(Bits(hash).finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_known_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_file(&path).unwrap(), expected);
        let packed = folder.path().join("a.txt.gz");
        let file = File::create(&packed).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::best());
        encoder.write_all(b"abc").unwrap();
        encoder.finish().unwrap();
        assert_eq!(of_file(&packed).unwrap(), expected);
    }

    #[test]
    fn lengths_count() {
        let hash = |parts: &[&[u8]]| {
            let mut bits = Bits::default();
            for part in parts {
                bits.add(part);
            }
            bits.finish()
        };
        assert_eq!(hash(&[&[1, 2], &[3]]), hash(&[&[1, 2], &[3]]));
        assert_ne!(hash(&[&[1, 2], &[3]]), hash(&[&[1], &[2, 3]]));
    }
}
