//! Reading and writing of PTX files, plain or compressed.
//!
//! Compressed PTX of an architecture other than `sm_70` is a difference from that of `sm_70` in the
//! same folder (`zstd --patch-from`), which takes a seventh of the size.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use zstd::stream::{read::Decoder, write::Encoder};

/// Compression level of zstd. It does not affect the time of decompression.
pub const LEVEL: i32 = 19;

/// Logarithm of the window of differences, which the library's decoder allows.
const WINDOW_LOG: u32 = 25;

/// Extension of compressed files.
pub const COMPRESSED: &str = "zst";

/// Returns the path of the file that a compressed file is a difference from, if it is one.
fn reference(path: &Path) -> Option<PathBuf> {
    let (stem, arch) = path.file_name()?.to_str()?.split_once("_sm_")?;
    let is_difference = arch.ends_with(".ptx.zst") && !arch.starts_with("70.");
    is_difference.then(|| path.with_file_name(format!("{stem}_sm_70.ptx.{COMPRESSED}")))
}

/// Reads a file, and decompresses it if its extension is that of compressed files.
pub fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = if path.extension().is_some_and(|end| end == COMPRESSED) {
        let reference = reference(path).map(|path| read(&path)).transpose()?;
        decompress(&bytes, reference.as_deref())
            .with_context(|| format!("cannot decompress {}", path.display()))?
    } else {
        bytes
    };
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", path.display()))
}

fn decompress(bytes: &[u8], reference: Option<&str>) -> std::io::Result<Vec<u8>> {
    let Some(reference) = reference else {
        return zstd::stream::decode_all(bytes);
    };
    let mut text = Vec::new();
    Decoder::with_ref_prefix(bytes, reference.as_bytes())?.read_to_end(&mut text)?;
    Ok(text)
}

fn compress_difference(text: &[u8], reference: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = Encoder::with_ref_prefix(Vec::new(), LEVEL, reference.as_bytes())?;
    encoder.long_distance_matching(true)?;
    encoder.window_log(WINDOW_LOG)?;
    encoder.set_pledged_src_size(Some(text.len() as u64))?;
    encoder.write_all(text)?;
    encoder.finish()
}

/// Writes a compressed file. The file that it is a difference from must exist.
pub fn write_compressed(path: &Path, text: &[u8]) -> Result<()> {
    let compressed = match reference(path) {
        None => zstd::bulk::compress(text, LEVEL),
        Some(reference) => compress_difference(text, &read(&reference)?),
    };
    let compressed = compressed.context("cannot compress PTX")?;
    fs::write(path, compressed).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_text_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, compressed) = (folder.path().join("a.ptx"), folder.path().join("a.ptx.zst"));
        let text = "// PTX\nret;\n".repeat(1000);
        fs::write(&plain, &text).unwrap();
        write_compressed(&compressed, text.as_bytes()).unwrap();
        assert!(fs::metadata(&compressed).unwrap().len() < 100);
        assert_eq!(
            [plain, compressed].map(|path| read(&path).unwrap()),
            [text.clone(), text]
        );
        assert!(read(&folder.path().join("none.ptx.zst")).is_err());
    }

    #[test]
    fn differences_are_small_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] =
            ["a_sm_70.ptx.zst", "a_sm_90.ptx.zst"].map(|name| folder.path().join(name));
        let text: String = (0..20_000_u32)
            .map(|it| format!("{}\n", it.wrapping_mul(it)))
            .collect();
        assert!(write_compressed(&second, b"ret;").is_err());
        write_compressed(&first, text.as_bytes()).unwrap();
        let other = text.replace("1234", "abc");
        write_compressed(&second, other.as_bytes()).unwrap();
        assert!(fs::metadata(&second).unwrap().len() * 4 < fs::metadata(&first).unwrap().len());
        assert_eq!(read(&second).unwrap(), other);
    }
}
