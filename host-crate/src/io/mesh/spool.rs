//! Temporary files for what comes later in an output file.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::marker::PhantomData;
use std::path::Path;

use memmap2::Mmap;

/// A file without a name, in the folder of the output: gone with the process at the latest.
pub(super) struct Spool {
    file: File,
    bytes: u64,
}

impl Spool {
    pub fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(folder)?,
            bytes: 0,
        })
    }

    /// Appends its content to a file. The space is free again when the spool is dropped, which this
    /// does.
    pub fn copy_to(mut self, out: &mut File) -> io::Result<()> {
        self.file.rewind()?;
        let copied = io::copy(&mut self.file, out)?;
        if copied == self.bytes {
            Ok(())
        } else {
            Err(changed())
        }
    }

    /// Its content as memory, whose pages the system may drop and read again.
    pub fn map(&self) -> io::Result<Map<'_>> {
        if self.file.metadata()?.len() != self.bytes {
            return Err(changed());
        }
        if self.bytes == 0 {
            return Ok(Map(None, PhantomData)); // an empty map is an error on some systems
        }
        // SAFETY: the file was made by `create` and has no name, so no other program can open it
        // and cut it short; this program writes to it only through `&mut self`, which the map's
        // lifetime excludes while it is there.
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

/// The content of a [`Spool`].
pub(super) struct Map<'s>(Option<Mmap>, PhantomData<&'s Spool>);

impl Map<'_> {
    /// The content as elements, which is what was written.
    pub fn elements<T: bytemuck::Pod>(&self) -> &[T] {
        // A map starts at a page, so it is aligned for every type.
        self.0.as_deref().map_or(&[], bytemuck::cast_slice)
    }
}

fn changed() -> io::Error {
    io::Error::other("a temporary file is not as long as what was written to it")
}
