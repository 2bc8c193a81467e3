//! Maps of labels by hulls.

use super::{HullLines, Metric};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Launch, Stream, over},
    distance::{DistanceParams, separable::weights::Unit},
    grid::{DeviceSample, DeviceVolume, count_ones},
};
use cuda_std::{Kernel, ViewMut};
use ferrovox_kernels::{
    distance::hulls::{
        Unit as Side, along_y_to_labels, along_z_to_labels, mark_changes_along_z,
        mark_changes_in_planes, near_changes, tile,
    },
    grid::Grid,
};

/// A map of the labels of a whole volume that is made by hulls.
pub(in crate::distance) struct LabelHulls {
    lines: HullLines,
    metric: Metric,
    /// The distance where there is no other label.
    far: f32,
}

/// Threads of blocks that mark changes: whole warps.
const MARKING: u32 = 256;

impl LabelHulls {
    /// The map that is asked for, if hulls are for it: as [`Hulls::choose`](super::Hulls::choose),
    /// and voxels are cubes.
    pub fn choose<T: DeviceSample>(
        device: &Device,
        grid: Grid,
        unit: &Unit,
        params: &DistanceParams,
    ) -> Option<Self> {
        let hulls = Self::of(grid, unit)?;
        let fits = params.memory.is_none_or(|limit| hulls.bytes() <= limit);
        let is_overridden = [
            mark_changes_in_planes::<T>::entry(),
            mark_changes_along_z::<T>::entry(),
            near_changes::entry(),
            along_y_to_labels::entry(),
            along_z_to_labels::<u32>::entry(),
            along_z_to_labels::<f64>::entry(),
        ]
        .iter()
        .any(|entry| device.overrides_block(entry));
        (fits && hulls.lines.suit(device) && !is_overridden).then_some(hulls)
    }

    /// The same whatever the device and its memory.
    pub fn of(grid: Grid, unit: &Unit) -> Option<Self> {
        let (lines, metric) = (HullLines::of(grid)?, Metric::of(grid, unit)?);
        let cubes = metric.along_y.is_none() && metric.along_z.is_none();
        let far = unit.far.distance;
        // squares are many in kernels that count them in 32 bits
        let squares = u64::from(lines.words()) * u64::from(grid.ny) * u64::from(grid.nz);
        (cubes && squares <= u64::from(u32::MAX)).then_some(Self { lines, metric, far })
    }

    /// Words of bits: of changes along y, z and x. Those of y and z, which are written four at a
    /// time, begin at multiples of that.
    fn changes(&self) -> [u64; 3] {
        let Grid { ny, nz, .. } = self.lines.grid;
        let [ny, nz] = [ny, nz].map(|side| (u64::from(side), u64::from(tile::chunks(side))));
        let columns = 32 * u64::from(self.lines.words());
        [
            columns * nz.0 * ny.1,
            columns * ny.0 * nz.1,
            self.lines.all_words(),
        ]
    }

    /// Device memory besides labels and map.
    fn bytes(&self) -> u64 {
        self.lines.bytes(true) + 4 * self.changes().iter().sum::<u64>()
    }

    /// Where labels change.
    pub fn mark<T: DeviceSample>(
        &self,
        stream: &Stream,
        labels: &DeviceVolume<T>,
    ) -> Result<Marked<'_>, DeviceError> {
        let [y, z, x] = self.changes().map(|words| words as usize);
        let mut words = stream.alloc::<u32>(y + z + x)?;
        let Grid { ny, nz, .. } = self.lines.grid;
        let grid = self.lines.grid;
        // warps with a square each
        let launch = |lines: u32, len: u32| {
            let squares = u64::from(self.lines.words() * tile::chunks(len)) * u64::from(lines);
            Launch::pieces(squares.div_ceil(u64::from(MARKING / 32))).exactly_threads(MARKING)
        };
        let all = words.view_mut();
        let (along_y, along_z, along_x) = (all.slice(0, y), all.slice(y, z), all.slice(y + z, x));
        // SAFETY: there is a label for each voxel, a word for each word of rows, 32 for each square
        // of columns; blocks have whole warps.
        unsafe {
            let args = (labels.samples().view(), grid, along_x, along_y);
            stream.launch::<mark_changes_in_planes<T>>(launch(nz, ny), args)?;
            let args = (labels.samples().view(), grid, along_z);
            stream.launch::<mark_changes_along_z<T>>(launch(ny, nz), args)?;
        }
        Ok(Marked { hulls: self, words })
    }
}

/// Where labels change: along y as `[word][z][y / 32][x % 32]`, along z as
/// `[word][y][z / 32][x % 32]`, along x as `[word][z][y]`.
pub(in crate::distance) struct Marked<'a> {
    hulls: &'a LabelHulls,
    words: Buffer<u32>,
}

impl Marked<'_> {
    /// Whether there is one label at most. Synchronises the stream.
    pub fn is_one(&self, stream: &Stream) -> Result<bool, DeviceError> {
        Ok(count_ones(stream, &self.words)? == 0)
    }

    /// Launches that fill a map's distances.
    pub fn fill(&self, stream: &Stream, distances: &mut Buffer<f32>) -> Result<(), DeviceError> {
        if self.hulls.metric.short_unit() == Some(1.0) {
            self.fill_by(stream, 1u32, distances.view_mut())
        } else {
            self.fill_by(stream, self.hulls.metric.unit, distances.view_mut())
        }
    }

    fn fill_by<U: Side + Element>(
        &self,
        stream: &Stream,
        unit: U,
        distances: ViewMut<'_, f32>,
    ) -> Result<(), DeviceError> {
        let LabelHulls { lines, metric, far } = self.hulls;
        let grid = lines.grid;
        let [y, z, x] = self.hulls.changes().map(|words| words as usize);
        let all = self.words.view();
        let (along_y, along_z, along_x) = (all.slice(0, y), all.slice(y, z), all.slice(y + z, x));
        let words = lines.all_words() as usize;
        let mut info = stream.alloc::<u32>(2 * words)?;
        let mut reached = stream.alloc::<u32>(lines.reached(true) as usize)?;
        let mut squared = stream.alloc::<u32>(32 * words)?;
        let (rows_launch, rows) = over(stream, u64::from(grid.ny) * u64::from(grid.nz));
        let [of_planes, of_rows] = lines.launches(false);
        let [in_plane, _] = metric.within;
        let in_all = metric.within_distance(*far);
        // SAFETY: changes are those of the grid, there are two numbers and 32 costs for each word
        // of rows, a number for each 32 lines of each word of a plane, and a distance for each
        // voxel; launches have the blocks, the threads and the shared memory that the kernels ask
        // for.
        unsafe {
            let args = (along_x, grid, rows, info.view_mut());
            stream.launch::<near_changes>(rows_launch, args)?;
            let (to, reaches) = (squared.view_mut(), reached.view_mut());
            let args = (info.view(), along_y, grid, in_plane, to, reaches);
            stream.launch::<along_y_to_labels>(of_planes, args)?;
            let args = (
                squared.view(),
                reached.view(),
                along_z,
                grid,
                unit,
                in_all,
                *far,
                distances,
            );
            stream.launch::<along_z_to_labels<U>>(of_rows, args)
        }
    }
}
