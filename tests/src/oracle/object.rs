//! The voxels of an object and their components.

use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Vector3};

/// An object in the box around it, with a voxel of background on each side.
#[derive(Clone, Debug)]
pub struct Object {
    /// Voxels of the box along each axis.
    pub dims: [usize; 3],
    /// Where voxel (0, 0, 0) of the box is in the volume.
    pub first: [i64; 3],
    /// How the volume lies in the world.
    pub geometry: Geometry,
    /// For each voxel of the box 0, or the number of its component and 1.
    pub owner: Vec<u32>,
    /// The object's voxels by component, components in the order of their first voxels.
    voxels: Vec<u32>,
    /// Where in `voxels` each component begins, and the end.
    starts: Vec<usize>,
}

/// The steps to the 26 neighbours.
pub fn steps() -> impl Iterator<Item = [i64; 3]> {
    (0..27)
        .filter(|n| *n != 13)
        .map(|n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1])
}

impl Object {
    /// What is not 0.
    pub fn of(volume: &Volume<u8>) -> Self {
        Self::by(volume, |value| value != 0)
    }

    /// The voxels of a label.
    pub fn of_label(volume: &Volume<u8>, label: u8) -> Self {
        Self::by(volume, |value| value == label)
    }

    /// The voxels of these values.
    ///
    /// # Panics
    /// If the box around them has 2^32 voxels or more.
    pub fn by(volume: &Volume<u8>, is_in: impl Fn(u8) -> bool) -> Self {
        let [nx, ny, _] = volume.dims();
        let place = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        for (i, _) in volume
            .samples()
            .iter()
            .enumerate()
            .filter(|(_, v)| is_in(**v))
        {
            let p = place(i);
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
                    let other = at.wrapping_add_signed(step);
                    if self.owner[other] == u32::MAX {
                        self.owner[other] = number;
                        self.voxels.push(other as u32);
                    }
                }
            }
            self.starts.push(self.voxels.len());
        }
    }

    /// How many components there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many voxels there are.
    pub fn len(&self) -> usize {
        self.voxels.len()
    }

    /// Whether there is no voxel.
    pub fn is_empty(&self) -> bool {
        self.voxels.is_empty()
    }

    /// The voxels of a component, by their index in the box.
    pub fn component(&self, number: usize) -> &[u32] {
        &self.voxels[self.starts[number]..self.starts[number + 1]]
    }

    /// All voxels.
    pub fn all(&self) -> &[u32] {
        &self.voxels
    }

    /// The index of a voxel of the box.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.dims[0] * (y + self.dims[1] * z)
    }

    /// Where a voxel is in the box.
    pub fn place(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.dims;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// The difference of two voxels' indices.
    pub fn offset(&self, [x, y, z]: [i64; 3]) -> isize {
        let [nx, ny, _] = self.dims.map(|n| n as isize);
        x as isize + nx * (y as isize + ny * z as isize)
    }

    /// The component of a voxel of the volume, if it is in the object.
    pub fn component_at(&self, voxel: [i64; 3]) -> Option<usize> {
        let at = [0, 1, 2].map(|k| voxel[k] - self.first[k]);
        let inside = (0..3).all(|k| (0..self.dims[k] as i64).contains(&at[k]));
        let owner = inside.then(|| self.owner[self.index(at.map(|c| c as usize))])?;
        (owner as usize).checked_sub(1)
    }

    /// The centre of a voxel of the box, in voxels of the volume.
    pub fn centre(&self, index: usize) -> Point3<f64> {
        let place = self.place(index);
        let [x, y, z] = [0, 1, 2].map(|k| (place[k] as i64 + self.first[k]) as f64);
        Point3::new(x, y, z)
    }

    /// A place in voxels of the volume, in the world.
    pub fn world(&self, voxels: Point3<f64>) -> Point3<f64> {
        self.geometry.index_to_world(voxels)
    }

    /// The spacing along each axis.
    pub fn spacing(&self) -> Vector3<f64> {
        self.geometry.spacing()
    }
}
