//! Runs of equal labels along x, and their 26-connected components.

use crate::{
    grid::{Mask, Sample, VolumeView},
    memory::{
        CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, with_capacity_or_unwind,
        zeroed_or_unwind,
    },
    parallel,
    skeleton::SkeletonError,
    union_find::UnionFind,
};

/// Maximal set of consecutive voxels of one label along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// First x.
    pub start: u32,
    /// End of the range of x, exclusive.
    pub end: u32,
    pub y: u32,
    pub z: u32,
    pub label: i64,
}

impl Run {
    /// Returns the number of voxels.
    pub fn voxels(&self) -> u64 {
        u64::from(self.end - self.start)
    }

    /// Returns the first voxel.
    pub fn first_voxel(&self) -> [u64; 3] {
        [self.start, self.y, self.z].map(u64::from)
    }
}

/// Runs of a volume, sorted by z, y and x.
pub struct Runs {
    pub runs: Vec<Run>,
    /// Index of the first run of each row, followed by the number of runs.
    rows: Vec<usize>,
    ny: usize,
}

/// Runs grouped by component; within a component sorted by z, y and x.
pub struct Components {
    runs: Vec<Run>,
    /// Index of the first run of each component, followed by the number of runs.
    starts: Vec<usize>,
}

impl Components {
    /// Returns the runs of each component.
    pub fn iter(&self) -> impl Iterator<Item = &[Run]> {
        self.starts
            .windows(2)
            .map(|ends| &self.runs[ends[0]..ends[1]])
    }
}

/// Number of samples compared at once to skip background.
const STRIDE: usize = 32;

impl Runs {
    /// Finds the runs of all labels except 0 for which `is_selected` returns `true`.
    ///
    /// # Errors
    /// [`SkeletonError::NotALabel`] for a sample that is not an integer,
    /// [`SkeletonError::LabelTooLarge`] for an integer beyond 64 bits,
    /// [`SkeletonError::AxisTooLong`].
    pub fn from_labels<T: Sample>(
        volume: VolumeView<'_, T>,
        is_selected: impl Fn(i64) -> bool + Sync,
    ) -> Result<Self, SkeletonError> {
        let [nx, ny, nz] = volume.dims();
        check_axes([nx, ny, nz])?;
        let zero = T::zeroed();
        let plane = (nx * ny).max(1);
        let samples = volume.samples();
        let planes = parallel::try_map(samples.len() / plane, |z| {
            let samples = &samples[z * plane..][..plane];
            let mut runs = Vec::new();
            let mut counts = with_capacity_or_unwind(ny);
            for (y, row) in samples.chunks_exact(nx.max(1)).enumerate() {
                let before = runs.len();
                let mut x = 0;
                while x < nx {
                    let sample = row[x];
                    if sample == zero {
                        x += 1;
                        while x + STRIDE <= nx && row[x..x + STRIDE].iter().all(|&one| one == zero)
                        {
                            x += STRIDE;
                        }
                        continue;
                    }
                    let start = x;
                    while x < nx && row[x] == sample {
                        x += 1;
                    }
                    let label = to_label(sample, [start, y, z])?;
                    if is_selected(label) {
                        runs.push_or_unwind(Run {
                            start: start as u32,
                            end: x as u32,
                            y: y as u32,
                            z: z as u32,
                            label,
                        });
                    }
                }
                counts.push_or_unwind(runs.len() - before);
            }
            Ok::<_, SkeletonError>((runs, counts))
        })?;
        Ok(Self::concatenate(planes, ny, nz))
    }

    /// Finds the runs of a mask; their label is 1.
    ///
    /// # Errors
    /// [`SkeletonError::AxisTooLong`].
    pub fn from_mask(mask: &Mask) -> Result<Self, SkeletonError> {
        let [nx, ny, nz] = mask.dims();
        check_axes([nx, ny, nz])?;
        let per_row = nx.div_ceil(32).max(1);
        let words = mask.words();
        let plane = (per_row * ny).max(1);
        let planes = parallel::map(words.len() / plane, |z| {
            let words = &words[z * plane..][..plane];
            let mut runs = Vec::new();
            let mut counts = with_capacity_or_unwind(ny);
            for (y, row) in words.chunks_exact(per_row).enumerate() {
                let before = runs.len();
                for (at, &word) in row.iter().enumerate() {
                    push_bits(&mut runs, before, 32 * at as u32, word, [y, z]);
                }
                counts.push_or_unwind(runs.len() - before);
            }
            (runs, counts)
        });
        Ok(Self::concatenate(planes, ny, nz))
    }

    /// Concatenates the runs of all planes, each given with the number of runs of each row.
    fn concatenate(planes: Vec<(Vec<Run>, Vec<usize>)>, ny: usize, nz: usize) -> Self {
        let count = planes.iter().map(|(runs, _)| runs.len()).sum();
        let mut result = Self {
            runs: with_capacity_or_unwind(count),
            rows: with_capacity_or_unwind(ny * nz + 1),
            ny: ny.max(1),
        };
        result.rows.push_or_unwind(0);
        for (runs, counts) in planes {
            let mut first = result.runs.len();
            result.runs.extend_or_unwind(runs);
            for count in counts {
                first += count;
                result.rows.push_or_unwind(first);
            }
        }
        result
    }

    /// Returns the runs of a row, or no runs outside the volume.
    pub fn row(&self, y: u32, z: u32) -> &[Run] {
        let row = z as usize * self.ny + y as usize;
        if y as usize >= self.ny || row + 1 >= self.rows.len() {
            return &[];
        }
        &self.runs[self.rows[row]..self.rows[row + 1]]
    }

    /// Finds the connected components, in the order of their first voxels.
    ///
    /// # Errors
    /// [`SkeletonError::TooManyComponents`] for more than 2^32 runs.
    pub fn components(&self) -> Result<Components, SkeletonError> {
        if u32::try_from(self.runs.len()).is_err() {
            let found = self.runs.len() as u64;
            return Err(SkeletonError::TooManyComponents { found });
        }
        let mut sets = unwrap_or_unwind(UnionFind::<u32>::try_new(self.runs.len()));
        for row in 0..self.rows.len() - 1 {
            if self.rows[row] < self.rows[row + 1] {
                self.join_row(row, &mut sets);
            }
        }
        let mut component_of_run = zeroed_or_unwind::<u32>(self.runs.len());
        let mut sizes: Vec<usize> = Vec::new();
        for run in 0..self.runs.len() {
            let root = sets.root(run as u32) as usize;
            if root == run {
                component_of_run[run] = sizes.len() as u32;
                sizes.push_or_unwind(0);
            } else {
                component_of_run[run] = component_of_run[root];
            }
            sizes[component_of_run[run] as usize] += 1;
        }
        let mut starts = with_capacity_or_unwind(sizes.len() + 1);
        let mut next = 0;
        for size in &mut sizes {
            starts.push_or_unwind(next);
            next += std::mem::replace(size, next);
        }
        starts.push_or_unwind(next);
        let mut order = zeroed_or_unwind::<u32>(self.runs.len());
        for (run, &component) in component_of_run.iter().enumerate() {
            let slot = &mut sizes[component as usize];
            order[*slot] = run as u32;
            *slot += 1;
        }
        let runs = order
            .iter()
            .map(|&run| self.runs[run as usize])
            .collect_or_unwind();
        Ok(Components { runs, starts })
    }

    /// Joins the runs of a row with the runs of the preceding rows that they touch.
    fn join_row(&self, row: usize, sets: &mut UnionFind<u32>) {
        let (y, z) = (row % self.ny, row / self.ny);
        for (dy, dz) in [(-1, 0), (-1, 1), (0, 1), (1, 1)] {
            let Some(adjacent_y) = y
                .checked_add_signed(dy)
                .filter(|&adjacent_y| adjacent_y < self.ny)
            else {
                continue;
            };
            let Some(plane) = z.checked_sub(dz) else {
                continue;
            };
            let adjacent_row = plane * self.ny + adjacent_y;
            let (mut own, mut adjacent) = (self.rows[row], self.rows[adjacent_row]);
            let (end, adjacent_end) = (self.rows[row + 1], self.rows[adjacent_row + 1]);
            while own < end && adjacent < adjacent_end {
                let (a, b) = (&self.runs[own], &self.runs[adjacent]);
                // voxels that share only a corner are connected
                if a.start <= b.end && b.start <= a.end && a.label == b.label {
                    sets.join(own as u32, adjacent as u32);
                }
                if a.end < b.end {
                    own += 1;
                } else if a.end > b.end {
                    adjacent += 1;
                } else {
                    // the following run of either row starts here or later, and can touch the other
                    // run
                    let next =
                        |runs: &[Run], at: usize, end| (at + 1 < end).then(|| runs[at + 1].start);
                    let [next_own, next_adjacent] = [
                        next(&self.runs, own, end),
                        next(&self.runs, adjacent, adjacent_end),
                    ];
                    if let Some(start) = next_adjacent
                        && start == a.end
                        && self.runs[adjacent + 1].label == a.label
                    {
                        sets.join(own as u32, adjacent as u32 + 1);
                    }
                    if let Some(start) = next_own
                        && start == b.end
                        && self.runs[own + 1].label == b.label
                    {
                        sets.join(own as u32 + 1, adjacent as u32);
                    }
                    own += 1;
                    adjacent += 1;
                }
            }
        }
    }
}

/// Appends the runs of the set bits of one word to those of its row, which start at index `first`.
fn push_bits(runs: &mut Vec<Run>, first: usize, mut x: u32, mut word: u32, [y, z]: [usize; 2]) {
    while word != 0 {
        let skip = word.trailing_zeros();
        word >>= skip;
        x += skip;
        let length = (!word).trailing_zeros();
        match runs[first..].last_mut() {
            Some(last) if last.end == x => last.end += length,
            _ => runs.push_or_unwind(Run {
                start: x,
                end: x + length,
                y: y as u32,
                z: z as u32,
                label: 1,
            }),
        }
        word = word.checked_shr(length).unwrap_or(0);
        x += length;
    }
}

/// Checks that coordinates fit into signed 32-bit integers.
fn check_axes(dims: [usize; 3]) -> Result<(), SkeletonError> {
    match dims.into_iter().max() {
        Some(most) if most >= 1 << 30 => Err(SkeletonError::AxisTooLong { found: most as u64 }),
        _ => Ok(()),
    }
}

/// Converts the sample of a voxel to a label.
fn to_label<T: Sample>(sample: T, voxel: [usize; 3]) -> Result<i64, SkeletonError> {
    let value = sample.to_f64();
    // The fraction of infinity and of NaN is NaN.
    if value.fract() != 0.0 {
        return Err(SkeletonError::NotALabel { voxel, value });
    }
    sample
        .to_label()
        .ok_or(SkeletonError::LabelTooLarge { voxel, value })
}
