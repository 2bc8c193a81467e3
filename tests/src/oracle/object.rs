//! Voxels of an object and their components.

use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Vector3};

/// Object in its bounding box, with a margin of one voxel of background.
#[derive(Clone, Debug)]
pub struct Object {
    /// Dimensions of the box, in voxels.
    pub dims: [usize; 3],
    /// Position of the box's first voxel in the volume.
    pub first: [i64; 3],
    /// Position of the volume in the world.
    pub geometry: Geometry,
    /// For each voxel of the box: 0 in the background, otherwise 1 + index of its component.
    pub owner: Vec<u32>,
    /// Voxels of the object by component; components are in the order of their first voxels.
    voxels: Vec<u32>,
    /// Start of each component in `voxels`, and the end.
    starts: Vec<usize>,
}

/// Returns the steps to the 26 neighbours.
pub fn steps() -> impl Iterator<Item = [i64; 3]> {
    (0..27)
        .filter(|n| *n != 13)
        .map(|n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1])
}

impl Object {
    /// Creates the object of all non-zero voxels.
    pub fn new(volume: &Volume<u8>) -> Self {
        Self::from_predicate(volume, |value| value != 0)
    }

    /// Creates the object of a label.
    pub fn from_label(volume: &Volume<u8>, label: u8) -> Self {
        Self::from_predicate(volume, |value| value == label)
    }

    /// Creates the object of the voxels whose values satisfy a predicate.
    ///
    /// # Panics
    /// If the bounding box has 2^32 voxels or more.
    pub fn from_predicate(volume: &Volume<u8>, is_in: impl Fn(u8) -> bool) -> Self {
        let [nx, ny, _] = volume.dims();
        let position = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        for (i, _) in volume
            .samples()
            .iter()
            .enumerate()
            .filter(|(_, v)| is_in(**v))
        {
            let p = position(i);
            low = [0, 1, 2].map(|k| low[k].min(p[k]));
            high = [0, 1, 2].map(|k| high[k].max(p[k]));
        }
        if low[0] == usize::MAX {
            (low, high) = ([0; 3], [0; 3]);
        }
        let dims = [0, 1, 2].map(|k| high[k] - low[k] + 3);
        assert!(dims.iter().product::<usize>() < u32::MAX as usize);
        let mut object = Self {
            dims,
            first: low.map(|n| n as i64 - 1),
            geometry: *volume.geometry(),
            owner: vec![0; dims.iter().product()],
            voxels: Vec::new(),
            starts: vec![0],
        };
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    if volume.get([x, y, z]).is_some_and(&is_in) {
                        let at = object.index([x + 1 - low[0], y + 1 - low[1], z + 1 - low[2]]);
                        object.owner[at] = u32::MAX;
                    }
                }
            }
        }
        object.find_components();
        object
    }

    fn find_components(&mut self) {
        let steps: Vec<isize> = steps().map(|step| self.offset(step)).collect();
        let mut number = 0;
        for start in 0..self.owner.len() {
            if self.owner[start] != u32::MAX {
                continue;
            }
            number += 1;
            self.owner[start] = number;
            let from = self.voxels.len();
            self.voxels.push(start as u32);
            let mut next = from;
            while next < self.voxels.len() {
                let at = self.voxels[next] as usize;
                next += 1;
                for &step in &steps {
                    let neighbour = at.wrapping_add_signed(step);
                    if self.owner[neighbour] == u32::MAX {
                        self.owner[neighbour] = number;
                        self.voxels.push(neighbour as u32);
                    }
                }
            }
            self.starts.push(self.voxels.len());
        }
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of voxels.
    pub fn len(&self) -> usize {
        self.voxels.len()
    }

    /// Returns `true` if there are no voxels.
    pub fn is_empty(&self) -> bool {
        self.voxels.is_empty()
    }

    /// Returns the voxels of a component as indices in the box.
    pub fn component(&self, number: usize) -> &[u32] {
        &self.voxels[self.starts[number]..self.starts[number + 1]]
    }

    /// Returns all voxels.
    pub fn all(&self) -> &[u32] {
        &self.voxels
    }

    /// Returns the index of a voxel of the box.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.dims[0] * (y + self.dims[1] * z)
    }

    /// Returns the position of a voxel in the box.
    pub fn position(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.dims;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// Returns the index difference that corresponds to a step.
    pub fn offset(&self, [x, y, z]: [i64; 3]) -> isize {
        let [nx, ny, _] = self.dims.map(|n| n as isize);
        x as isize + nx * (y as isize + ny * z as isize)
    }

    /// Returns the component of a voxel of the volume, if it is in the object.
    pub fn component_at(&self, voxel: [i64; 3]) -> Option<usize> {
        let at = [0, 1, 2].map(|k| voxel[k] - self.first[k]);
        let inside = (0..3).all(|k| (0..self.dims[k] as i64).contains(&at[k]));
        let owner = inside.then(|| self.owner[self.index(at.map(|c| c as usize))])?;
        (owner as usize).checked_sub(1)
    }

    /// Returns the centre of a voxel of the box, in voxel coordinates of the volume.
    pub fn centre(&self, index: usize) -> Point3<f64> {
        let position = self.position(index);
        let [x, y, z] = [0, 1, 2].map(|k| (position[k] as i64 + self.first[k]) as f64);
        Point3::new(x, y, z)
    }

    /// Converts a position from voxel coordinates of the volume to the world.
    pub fn world(&self, voxels: Point3<f64>) -> Point3<f64> {
        self.geometry.index_to_world(voxels)
    }

    /// Returns the spacing along each axis.
    pub fn spacing(&self) -> Vector3<f64> {
        self.geometry.spacing()
    }
}
