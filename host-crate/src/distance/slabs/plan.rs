//! Choice of the number of slabs from the available memory.

use super::SlabSign;
use crate::{
    device::Device,
    distance::{
        DistanceError, oblique,
        separable::{CostUnit, ScanlineKernels, Weights, scratch_bytes},
    },
    grid::Mask,
    partition::{
        TooLittleMemory,
        budget::{MemorySharing, max_fitting},
        slab::{nth_share, planes_in_steps},
    },
};
use ferrovox_kernels::{
    distance::{separable::FIELDS_PER_WORD, slabs::BitTiles},
    grid::Grid,
};
use std::ops::Range;

/// Maximum size of a slab on the host, in bytes. Larger slabs are not faster.
const MAX_SLAB_BYTES: u64 = 256 << 20;
/// Maximum size of a slab in bytes if each slab requires the work of the complete map.
const MAX_COSTLY_SLAB_BYTES: u64 = 1 << 30;

/// The division of a map into slabs.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlabPlan {
    /// Number of slabs.
    pub slabs: u64,
    /// Number of words (of 32 voxels) along z. Each slab has an equal share, rounded up or down.
    words: u64,
    /// Number of words along x per part, if the mask is not transposed.
    pub columns: u32,
    /// `true` if costs are rounded: their values then depend on the order of the axes, so z must be
    /// minimised last.
    pub minimises_z_last: bool,
    /// `true` if the axes are not orthogonal.
    pub oblique: bool,
    /// Device memory of slabs of 32 planes, in bytes.
    pub min_memory: u64,
}

/// Sizes in bytes from which the device memory of slabs is estimated.
struct SlabMemory {
    nx: u64,
    ny: u64,
    nz: u64,
    /// Site mask with rows along x.
    mask: u64,
    /// Site mask with rows along z.
    transposed_mask: u64,
    /// A squared distance.
    cost: u64,
    /// A plane of the inside mask, or 0 for unsigned maps.
    inside_plane: u64,
    /// Number of sets of sites: 2 if distances to the other voxels are computed too.
    site_sets: u64,
    /// Tree of the sites, for oblique axes.
    tree: Option<u64>,
    /// Tiles of scanlines that exceed shared memory.
    scratch: u64,
}

impl SlabMemory {
    fn planes(&self, words: u64) -> u64 {
        (32 * words).min(self.nz)
    }

    /// Returns the size of the distances of a slab of `words` words along z, in bytes.
    fn slab(&self, words: u64) -> u64 {
        self.planes(words) * 4 * self.nx * self.ny
    }

    /// Returns the size of the inside mask of a slab of `words` words along z, in bytes.
    fn inside(&self, words: u64) -> u64 {
        self.planes(words) * self.inside_plane
    }

    /// Returns the peak memory of a part of the transform, in bytes: squared distances, together
    /// with either the row scan or the distances.
    fn part(&self, rows: u64, words: u64, columns: u64) -> u64 {
        let row_sites = u64::from(4 * FIELDS_PER_WORD) * words;
        self.scratch + rows * (columns * self.cost + row_sites.max(4 * columns))
    }

    /// Returns the peak memory of a part of `words` words along x and all planes, in bytes.
    fn columns(&self, words: u64) -> u64 {
        self.part(self.ny * self.nz, words, (32 * words).min(self.nx))
    }

    /// Returns the size of the slabs that are kept while the slab of the last set of sites is
    /// computed, in bytes.
    fn kept_slabs(&self, words: u64) -> u64 {
        (self.site_sets - 1) * self.slab(words)
    }

    /// Returns the peak memory of slabs of `words` words along z that are computed from the
    /// transposed mask, in bytes.
    fn peak_transposed(&self, words: u64) -> u64 {
        let slab = self.slab(words);
        // The slab is transposed from a buffer of equal size, which is freed before signs are
        // applied.
        let part = self.part(self.nx * self.ny, words, self.planes(words));
        let peak = part.max(2 * slab).max(slab + self.inside(words));
        self.site_sets * self.transposed_mask + self.mask.max(self.kept_slabs(words) + peak)
    }

    /// Returns the peak memory of slabs of `words` words along z that are computed from a tree of
    /// the sites, in bytes.
    fn peak_from_tree(&self, tree: u64, words: u64) -> u64 {
        tree + self.kept_slabs(words) + self.slab(words) + self.inside(words)
    }

    /// Returns the peak memory of slabs of `words` words along z that are computed in parts of
    /// `columns` words along x, in bytes.
    fn peak_from_rows(&self, words: u64, columns: u64) -> u64 {
        self.site_sets * (self.mask + self.slab(words))
            + self.columns(columns).max(self.inside(words))
    }
}

/// Returns the memory for tiles in global memory on the device that needs most, in bytes.
fn max_scratch_bytes(devices: &[Device], grid: Grid, unit: &CostUnit) -> u64 {
    let needed = devices.iter().map(|device| {
        let (limits, kernels) = (device.limits(), ScanlineKernels::Automatic);
        match unit.weights {
            Weights::U32(_) => scratch_bytes::<u32>(limits, grid, kernels),
            Weights::U64(_) => scratch_bytes::<u64>(limits, grid, kernels),
            Weights::F64(_) => scratch_bytes::<f64>(limits, grid, kernels),
        }
    });
    needed.max().unwrap_or(0)
}

impl SlabPlan {
    /// Chooses the number of slabs for a memory limit, or for half of the free memory.
    pub fn new(
        devices: &[Device],
        sites: &Mask,
        sign: SlabSign<'_>,
        unit: &CostUnit,
        memory: Option<u64>,
    ) -> Result<Self, DistanceError> {
        let tiles = BitTiles::new(sites.layout().grid);
        let grid = tiles.from.grid;
        let is_oblique = sites.geometry().shear().is_some();
        let minimises_z_last = !is_oblique && matches!(unit.weights, Weights::F64(_));
        let sizes = SlabMemory {
            nx: grid.nx.into(),
            ny: grid.ny.into(),
            nz: grid.nz.into(),
            mask: tiles.from.words() * 4,
            transposed_mask: tiles.to.words() * 4,
            scratch: if is_oblique {
                0
            } else {
                let scanlines = if minimises_z_last {
                    tiles.from
                } else {
                    tiles.to
                };
                max_scratch_bytes(devices, scanlines.grid, unit)
            },
            cost: match unit.weights {
                Weights::U32(_) => 4,
                Weights::U64(_) | Weights::F64(_) => 8,
            },
            inside_plane: if matches!(sign, SlabSign::Unsigned) {
                0
            } else {
                tiles.from.per_plane() * 4
            },
            site_sets: if matches!(sign, SlabSign::Opposite(_)) {
                2
            } else {
                1
            },
            tree: sites.geometry().shear().map(|_| {
                let dims = [grid.nx, grid.ny, grid.nz];
                let tree = |sites: &Mask| {
                    2 * tiles.from.words() * 4 + oblique::tree_bytes(dims, 2 * sites.count(), 0)
                };
                match sign {
                    SlabSign::Opposite(outside) => tree(sites) + tree(outside),
                    _ => tree(sites),
                }
            }),
        };
        let word_count = u64::from(tiles.to.per_row).max(1);
        let peak = |words: u64| match (sizes.tree, minimises_z_last) {
            (Some(tree), _) => sizes.peak_from_tree(tree, words),
            (None, true) => sizes.peak_from_rows(words, 1),
            (None, false) => sizes.peak_transposed(words),
        };
        let min_memory = peak(1);
        let limit = match memory {
            Some(limit) if limit < min_memory => {
                return Err(TooLittleMemory {
                    needed: min_memory,
                    budget: limit,
                }
                .into());
            }
            Some(limit) => limit,
            None => MemorySharing(devices).half_of_free_per_user()?,
        };
        let max_slab_bytes = if minimises_z_last {
            MAX_COSTLY_SLAB_BYTES
        } else {
            MAX_SLAB_BYTES
        };
        let fits = |words: u64| peak(words) <= limit && sizes.slab(words) <= max_slab_bytes;
        let words_per_slab = max_fitting(word_count, fits);
        let min_slabs = word_count.div_ceil(words_per_slab);
        let slabs = if minimises_z_last {
            // Each additional slab repeats the work of the complete map.
            min_slabs
        } else {
            min_slabs
                .next_multiple_of(devices.len() as u64)
                .min(word_count)
        };
        let words = word_count.div_ceil(slabs);
        let per_row = u64::from(tiles.from.per_row).max(1);
        let columns = max_fitting(per_row, |columns| {
            sizes.peak_from_rows(words, columns) <= limit
        });
        Ok(Self {
            slabs,
            words: word_count,
            columns: columns as u32,
            minimises_z_last,
            oblique: sizes.tree.is_some(),
            min_memory,
        })
    }

    /// Returns the planes of a slab of a volume with `nz` planes. The first is a multiple of 32.
    pub fn planes(&self, slab: usize, nz: usize) -> Range<usize> {
        let words = nth_share(self.words as usize, self.slabs as usize, slab);
        planes_in_steps(words, 32, nz)
    }
}
