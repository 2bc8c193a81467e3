//! Temporary files for the data blocks of an output file.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::marker::PhantomData;
use std::path::Path;

use memmap2::Mmap;

use crate::io::output::early_writeback::EarlyWriteback;

/// A temporary file without a name in the folder of the output. The operating system removes it
/// when the process ends, at the latest.
pub(super) struct Spool {
    file: File,
    bytes: u64,
}

impl Spool {
    /// Creates an empty file in `folder`.
    pub fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(folder)?,
            bytes: 0,
        })
    }

    /// Appends the contents to `out` and frees their disk space. The operating system copies them.
    pub fn copy_to_file(mut self, out: &mut EarlyWriteback<'_>) -> io::Result<()> {
        self.file.rewind()?;
        let copied = out.append_file(&mut self.file)?;
        self.check_length(copied)
    }

    /// Appends the contents to `out` and frees their disk space.
    pub fn copy_to(mut self, out: &mut impl Write) -> io::Result<()> {
        self.file.rewind()?;
        let copied = io::copy(&mut self.file, out)?;
        self.check_length(copied)
    }

    fn check_length(&self, bytes: u64) -> io::Result<()> {
        if bytes == self.bytes {
            Ok(())
        } else {
            Err(length_error())
        }
    }

    /// Maps the contents into memory.
    pub fn map(&self) -> io::Result<Map<'_>> {
        if self.file.metadata()?.len() != self.bytes {
            return Err(length_error());
        }
        if self.bytes == 0 {
            return Ok(Map(None, PhantomData)); // an empty map is an error on some systems
        }
        // SAFETY: the file was created by `create` and has no name, so no other program can open it
        // and truncate it; this program writes to it only through `&mut self`, which the map's
        // lifetime excludes while the map exists.
        Ok(Map(Some(unsafe { Mmap::map(&self.file)? }), PhantomData))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The mapped contents of a [`Spool`].
pub(super) struct Map<'s>(Option<Mmap>, PhantomData<&'s Spool>);

impl Map<'_> {
    /// Returns the contents as elements of the type that was written.
    pub fn elements<T: bytemuck::Pod>(&self) -> &[T] {
        // A map starts at a page boundary, so it is aligned for every type.
        self.0.as_deref().map_or(&[], bytemuck::cast_slice)
    }
}

fn length_error() -> io::Error {
    io::Error::other(
        "a temporary file is not as long as what was written to it; write the mesh again",
    )
}
