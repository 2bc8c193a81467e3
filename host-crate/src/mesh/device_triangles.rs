//! Triangles in device memory.

use super::Triangles;
use crate::device::{Buffer, DeviceError, Stream};

/// Triangles in device memory: three vertex indices each.
#[derive(Debug)]
pub enum DeviceTriangles {
    /// 32-bit indices.
    U32(Buffer<u32>),
    /// 64-bit indices, for more than 2³² - 1 vertices or triangles.
    U64(Buffer<u64>),
}

impl DeviceTriangles {
    /// Uploads triangles, keeping the width of their indices.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn upload(stream: &Stream, triangles: &Triangles) -> Result<Self, DeviceError> {
        Ok(match triangles {
            Triangles::U32(triangles) => Self::U32(stream.upload(triangles.as_flattened())?),
            Triangles::U64(triangles) => Self::U64(stream.upload(triangles.as_flattened())?),
        })
    }

    /// Returns the number of triangles.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(indices) => indices.len() / 3,
            Self::U64(indices) => indices.len() / 3,
        }
    }

    /// Returns `true` if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Downloads the triangles. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the download failed.
    pub fn download(&self, stream: &Stream) -> Result<Triangles, DeviceError> {
        Ok(match self {
            Self::U32(indices) => Triangles::U32(group_triples(stream.download(indices)?)),
            Self::U64(indices) => Triangles::U64(group_triples(stream.download(indices)?)),
        })
    }
}

/// Groups numbers into triples, without a copy if possible.
pub(crate) fn group_triples<T: bytemuck::Pod>(flat: Vec<T>) -> Vec<[T; 3]> {
    bytemuck::allocation::try_cast_vec(flat).unwrap_or_else(|(_, flat)| {
        // a capacity that is not a multiple of three
        flat.chunks_exact(3)
            .map(|three| [three[0], three[1], three[2]])
            .collect()
    })
}
