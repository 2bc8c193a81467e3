//! How high slabs are.

use crate::{
    device::Device,
    distance::{
        DistanceError, oblique,
        separable::{Unit, Weights},
    },
    grid::Mask,
    partition::{
        TooLittleMemory,
        budget::{MemorySharing, max_fitting},
        slab::{nth_share, planes_in_steps},
    },
};
use ferrovox_kernels::distance::{separable::FIELDS_PER_WORD, slabs::BitTiles};
use std::ops::Range;

/// Bytes of a slab on the host beyond which a higher one would not be quicker.
const SLAB: u64 = 256 << 20;
/// The same where each slab takes the work of the whole map.
const COSTLY_SLAB: u64 = 1 << 30;

/// What a device takes for its slabs, and how many planes they have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Slabs.
    pub slabs: u64,
    /// Words along z, of which each slab has as many as another, or one more.
    words: u64,
    /// Words along x that are worked on at a time, where bits are not turned.
    pub columns: u32,
    /// What is added up in another order than axis by axis would be rounded otherwise.
    pub in_order: bool,
    /// Axes are not at right angles.
    pub sheared: bool,
    /// Bytes of device memory that slabs of 32 planes take.
    pub least: u64,
}

/// Bytes of device memory.
struct Need {
    nx: u64,
    ny: u64,
    nz: u64,
    /// Of the sites' bits, along x and along z.
    bits: [u64; 2],
    /// Of a squared distance.
    cost: u64,
    /// Of a plane of what is inside, if there is a sign.
    inside: u64,
    /// Of the sites in a tree, where axes are not at right angles.
    tree: Option<u64>,
}

impl Need {
    fn planes(&self, words: u64) -> u64 {
        (32 * words).min(self.nz)
    }

    fn slab(&self, words: u64) -> u64 {
        self.planes(words) * 4 * self.nx * self.ny
    }

    /// What it takes to give a slab its sign.
    fn sign(&self, words: u64) -> u64 {
        self.planes(words) * self.inside
    }

    /// The most that making some words takes: numbers of rows and squared distances, or squared
    /// distances and distances.
    fn part(&self, rows: u64, words: u64, columns: u64) -> u64 {
        let numbers = u64::from(4 * FIELDS_PER_WORD) * words;
        rows * (columns * self.cost + numbers.max(4 * columns))
    }

    /// All that slabs of so many words along z take.
    fn turned(&self, words: u64) -> u64 {
        let slab = self.slab(words);
        // one after the other: the slab is made from one of the same size, and gets its sign when
        // that is gone
        let part = self.part(self.nx * self.ny, words, self.planes(words));
        let most = part.max(2 * slab).max(slab + self.sign(words));
        self.bits[1] + self.bits[0].max(most)
    }

    /// Those of some words along x.
    fn columns(&self, words: u64) -> u64 {
        self.part(self.ny * self.nz, words, (32 * words).min(self.nx))
    }

    /// All that slabs of so many words along z take, made from a tree.
    fn of_tree(&self, tree: u64, words: u64) -> u64 {
        tree + self.slab(words) + self.sign(words)
    }

    /// All that slabs of so many words along z take, made from some words along x at a time.
    fn in_order(&self, words: u64, columns: u64) -> u64 {
        self.bits[0] + self.slab(words) + self.columns(columns).max(self.sign(words))
    }
}

impl Plan {
    pub fn new(
        devices: &[Device],
        sites: &Mask,
        signed: bool,
        unit: &Unit,
        memory: Option<u64>,
    ) -> Result<Self, DistanceError> {
        let tiles = BitTiles::new(sites.layout().grid);
        let grid = tiles.from.grid;
        let need = Need {
            nx: grid.nx.into(),
            ny: grid.ny.into(),
            nz: grid.nz.into(),
            bits: [tiles.from.words() * 4, tiles.to.words() * 4],
            cost: match unit.weights {
                Weights::U32(_) => 4,
                Weights::U64(_) | Weights::F64(_) => 8,
            },
            inside: if signed {
                tiles.from.per_plane() * 4
            } else {
                0
            },
            tree: sites.geometry().shear().map(|_| {
                let dims = [grid.nx, grid.ny, grid.nz];
                2 * tiles.from.words() * 4 + oblique::tree_bytes(dims, 2 * sites.count(), 0)
            }),
        };
        let in_order = need.tree.is_none() && matches!(unit.weights, Weights::F64(_));
        let all = u64::from(tiles.to.per_row).max(1);
        let bytes = |words: u64| match (need.tree, in_order) {
            (Some(tree), _) => need.of_tree(tree, words),
            (None, true) => need.in_order(words, 1),
            (None, false) => need.turned(words),
        };
        let least = bytes(1);
        let limit = match memory {
            Some(limit) if limit < least => {
                return Err(TooLittleMemory {
                    needed: least,
                    budget: limit,
                }
                .into());
            }
            Some(limit) => limit,
            None => MemorySharing(devices).half_of_free_per_user()?,
        };
        let on_host = if in_order { COSTLY_SLAB } else { SLAB };
        let fits = |words: u64| bytes(words) <= limit && need.slab(words) <= on_host;
        let most = max_fitting(all, fits);
        let slabs = match in_order {
            // more slabs would be more work
            true => all.div_ceil(most),
            false => all
                .div_ceil(most)
                .next_multiple_of(devices.len() as u64)
                .min(all),
        };
        let words = all.div_ceil(slabs);
        let per_row = u64::from(tiles.from.per_row).max(1);
        let columns = max_fitting(per_row, |columns| need.in_order(words, columns) <= limit);
        Ok(Self {
            slabs,
            words: all,
            columns: columns as u32,
            in_order,
            sheared: need.tree.is_some(),
            least,
        })
    }

    /// The planes of a slab, of `nz`: the first a multiple of 32.
    pub fn planes(&self, slab: usize, nz: usize) -> Range<usize> {
        let words = nth_share(self.words as usize, self.slabs as usize, slab);
        planes_in_steps(words, 32, nz)
    }
}
