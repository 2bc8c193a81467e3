//! Orientation of the world axes in mesh files.

/// Directions of the world axes x, y and z in a mesh file.
///
/// Mesh formats do not define them. 3D Slicer takes the tag `SPACE=RAS` or `SPACE=LPS` from the
/// header of STL, PLY, OBJ and legacy VTK files and from the field data of VTP, and assumes LPS
/// without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeshSpace {
    /// Right, anterior, superior: x to the subject's right, y to the front, z to the top.
    #[default]
    Ras,
    /// Left, posterior, superior: x and y have the opposite sign of RAS.
    Lps,
}

impl MeshSpace {
    /// Returns the name, `RAS` or `LPS`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ras => "RAS",
            Self::Lps => "LPS",
        }
    }

    /// Returns the tag that 3D Slicer reads.
    pub(in crate::io) const fn tag(self) -> &'static str {
        match self {
            Self::Ras => "SPACE=RAS",
            Self::Lps => "SPACE=LPS",
        }
    }

    /// Converts a position or direction in RAS. Triangles keep their orientation, as both x and y
    /// change sign.
    pub(super) fn convert<T>(self, [x, y, z]: [T; 3]) -> [T; 3]
    where
        T: std::ops::Neg<Output = T> + std::ops::Add<Output = T> + Default,
    {
        match self {
            Self::Ras => [x, y, z],
            // The sum avoids negative zeros.
            Self::Lps => [-x + T::default(), -y + T::default(), z],
        }
    }

    /// Converts a batch of positions or directions in RAS, with `buffer` as memory for the result,
    /// of at least as many elements.
    pub(super) fn convert_batch<'b>(
        self,
        vectors: &'b [[f32; 3]],
        buffer: &'b mut [[f32; 3]],
    ) -> &'b [[f32; 3]] {
        if self == Self::Ras {
            return vectors;
        }
        for (converted, vector) in buffer.iter_mut().zip(vectors) {
            *converted = self.convert(*vector);
        }
        &buffer[..vectors.len()]
    }
}
