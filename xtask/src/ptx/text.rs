//! Reading and writing of PTX files, plain or compressed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Compression level of zstd. It does not affect the time of decompression.
pub const LEVEL: i32 = 19;

/// Extension of compressed files.
pub const COMPRESSED: &str = "zst";

/// Reads a file, and decompresses it if its extension is that of compressed files.
pub fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = if path.extension().is_some_and(|end| end == COMPRESSED) {
        zstd::stream::decode_all(&*bytes)
            .with_context(|| format!("cannot decompress {}", path.display()))?
    } else {
        bytes
    };
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", path.display()))
}

/// Writes a compressed file.
pub fn write_compressed(path: &Path, text: &[u8]) -> Result<()> {
    let compressed = zstd::bulk::compress(text, LEVEL).context("cannot compress PTX")?;
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
}
