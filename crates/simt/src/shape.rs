//! Extents of a launch: grid and block dimensions, and the limits a CUDA device puts on them.

/// The most threads one block may hold, on every CUDA device.
pub const MAX_BLOCK_THREADS: u32 = 1024;

/// The largest `z` extent of a block, on every CUDA device.
pub const MAX_BLOCK_Z: u32 = 64;

/// The most dynamic shared memory any CUDA device grants a block, in bytes (227 KiB, compute
/// capability 9.0).
pub const MAX_DYNAMIC_SHARED_BYTES: u32 = 227 * 1024;

/// Numbers of barriers that a block has, on every CUDA device. That of number 0 is for all of its
/// threads, the others are named.
pub(crate) const BARRIERS: u32 = 16;

/// An extent or an index in three dimensions, `x` fastest.
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
    /// An extent of `x` by `y` by `z`.
    #[inline]
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// How many elements the extent holds; `u64::MAX` where the product does not fit.
    ///
    /// ```
    /// assert_eq!(simt::Dim3::new(4, 3, 2).count(), 24);
    /// ```
    #[inline]
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The index of the element of linear rank `rank` in this extent.
    #[inline]
    pub(crate) const fn index_of(self, rank: u64) -> Dim3 {
        let (x, y) = (self.x as u64, self.y as u64);
        Dim3 {
            x: (rank % x) as u32,
            y: (rank / x % y) as u32,
            z: (rank / x / y) as u32,
        }
    }

    /// The index that follows `index` in this extent, `x` fastest.
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

/// How many threads a launch runs, in which arrangement, with how much dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks of the grid: at least 1 along each axis.
    pub grid: Dim3,
    /// Threads of a block: 1 to [`MAX_BLOCK_THREADS`] in all, `z` at most [`MAX_BLOCK_Z`].
    pub block: Dim3,
    /// Bytes that [`memory::dynamic_shared`](crate::memory::dynamic_shared) gives each block, at
    /// most [`MAX_DYNAMIC_SHARED_BYTES`].
    pub dynamic_shared_bytes: u32,
}

impl LaunchShape {
    /// A shape without dynamic shared memory.
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

    /// What is wrong with a shape that no CUDA device could launch, with the numbers and the
    /// remedy.
    pub(crate) fn problem(&self) -> Option<String> {
        let problem = if self.grid.count() == 0 {
            format!(
                "a grid of {} holds no blocks; every extent must be at least 1, so leave the launch out where there is nothing to do",
                self.grid
            )
        } else if self.block.count() == 0 {
            format!(
                "a block of {} holds no threads; every extent must be at least 1",
                self.block
            )
        } else if self.block.count() > u64::from(MAX_BLOCK_THREADS) {
            format!(
                "a block of {} holds {} threads; at most {MAX_BLOCK_THREADS} fit, so make the block smaller and the grid larger",
                self.block,
                self.block.count()
            )
        } else if self.block.z > MAX_BLOCK_Z {
            format!(
                "a block of {} is {} threads deep in z; at most {MAX_BLOCK_Z} fit, so move the extent to x or y",
                self.block, self.block.z
            )
        } else if self.dynamic_shared_bytes > MAX_DYNAMIC_SHARED_BYTES {
            format!(
                "{} bytes of dynamic shared memory are asked for; no device grants a block more than {MAX_DYNAMIC_SHARED_BYTES}",
                self.dynamic_shared_bytes
            )
        } else {
            return None;
        };
        Some(problem)
    }
}
