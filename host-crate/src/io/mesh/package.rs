//! Zip archives around the data blocks of a mesh file.

use std::io::{self, Write};

use crate::io::zip::writer::ZipWriter;

/// Zip archive whose last entry consists of the data blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Package {
    /// Names and contents of the entries before the last one.
    pub parts: &'static [(&'static str, &'static str)],
    /// Name of the last entry, which is compressed.
    pub main: &'static str,
}

impl Package {
    /// Writes the archive; `write` writes at most `max_bytes` bytes of data blocks.
    pub fn write(
        &self,
        out: &mut dyn Write,
        max_bytes: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut archive = ZipWriter::new(out);
        for (name, content) in self.parts {
            archive.store(name, content.as_bytes())?;
        }
        archive.deflate(self.main, max_bytes, write)?;
        archive.finish("")?;
        Ok(())
    }
}
