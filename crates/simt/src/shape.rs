//! Launch configuration: grid and block dimensions, and the limits of CUDA devices.

/// Maximum number of threads per block, on all CUDA devices.
pub const MAX_BLOCK_THREADS: u32 = 1024;

/// Maximum `z` extent of a block, on all CUDA devices.
pub const MAX_BLOCK_Z: u32 = 64;

/// Maximum dynamic shared memory per block that any CUDA device grants, in bytes (227 KiB, compute
/// capability 9.0).
pub const MAX_DYNAMIC_SHARED_BYTES: u32 = 227 * 1024;

/// Number of hardware barriers per block, on all CUDA devices. Barrier 0 is the block's barrier;
/// the others are named barriers.
pub(crate) const BARRIERS: u32 = 16;

/// A three-dimensional extent or index, `x` fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Fastest-varying component.
    pub x: u32,
    /// Middle component.
    pub y: u32,
    /// Slowest-varying component.
    pub z: u32,
}

impl Dim3 {
    /// Creates an extent or index.
    #[inline]
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// Returns the number of elements of the extent, or `u64::MAX` if the product overflows.
    ///
    /// ```
    /// assert_eq!(simt::Dim3::new(4, 3, 2).count(), 24);
    /// ```
    #[inline]
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// Returns the index of the element with linear rank `rank` in this extent.
    #[inline]
    pub(crate) const fn index_at(self, rank: u64) -> Dim3 {
        let (x, y) = (self.x as u64, self.y as u64);
        Dim3 {
            x: (rank % x) as u32,
            y: (rank / x % y) as u32,
            z: (rank / x / y) as u32,
        }
    }

    /// Returns the index after `index` in this extent, `x` fastest.
    #[inline]
    pub(crate) const fn successor(self, index: Dim3) -> Dim3 {
        let mut next = index;
        next.x += 1;
        if next.x == self.x {
            next.x = 0;
            next.y += 1;
            if next.y == self.y {
                next.y = 0;
                next.z += 1;
            }
        }
        next
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3::new(x, 1, 1)
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3::new(x, y, 1)
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3::new(x, y, z)
    }
}

impl std::fmt::Display for Dim3 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// Launch configuration: grid and block dimensions, and dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Number of blocks along each axis, at least 1.
    pub grid: Dim3,
    /// Number of threads of a block along each axis: 1 to [`MAX_BLOCK_THREADS`] in total, `z` at
    /// most [`MAX_BLOCK_Z`].
    pub block: Dim3,
    /// Size of [`memory::dynamic_shared`](crate::memory::dynamic_shared) in bytes, at most
    /// [`MAX_DYNAMIC_SHARED_BYTES`].
    pub dynamic_shared_bytes: u32,
}

impl LaunchShape {
    /// Creates a configuration without dynamic shared memory.
    ///
    /// ```
    /// let shape = simt::LaunchShape::new(4, (8, 8));
    /// assert_eq!(shape.grid.count() * shape.block.count(), 256);
    /// ```
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        LaunchShape {
            grid: grid.into(),
            block: block.into(),
            dynamic_shared_bytes: 0,
        }
    }

    /// Returns a description of the first violated limit, with the remedy, or `None` if the
    /// configuration is valid.
    pub(crate) fn problem(&self) -> Option<String> {
        let problem = if self.grid.count() == 0 {
            format!(
                "the grid {} contains no blocks; every extent must be at least 1, so skip the launch if there is no work",
                self.grid
            )
        } else if self.block.count() == 0 {
            format!(
                "the block {} contains no threads; every extent must be at least 1",
                self.block
            )
        } else if self.block.count() > u64::from(MAX_BLOCK_THREADS) {
            format!(
                "the block {} has {} threads, but the maximum is {MAX_BLOCK_THREADS}; use a smaller block and a larger grid",
                self.block,
                self.block.count()
            )
        } else if self.block.z > MAX_BLOCK_Z {
            format!(
                "the block {} has a z extent of {}, but the maximum is {MAX_BLOCK_Z}; move the extent to x or y",
                self.block, self.block.z
            )
        } else if self.dynamic_shared_bytes > MAX_DYNAMIC_SHARED_BYTES {
            format!(
                "{} bytes of dynamic shared memory requested, but no device grants a block more than {MAX_DYNAMIC_SHARED_BYTES}; request less",
                self.dynamic_shared_bytes
            )
        } else {
            return None;
        };
        Some(problem)
    }
}
