//! Each voxel is compared with the sites that are near enough to matter: everywhere, or up to 36
//! voxels, as the distance map article has it.

use super::{
    DistanceError, DistanceMap, DistanceParams, Method, NoSites, Sites, brute_force::Points,
    scale::scale_of,
};
use crate::{device::over, grid::DevicePoints};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    grid::{Geometry, grid_of},
    partition::TooLittleMemory,
    scan::exclusive_small,
};
use ferrovox_kernels::{
    distance::{
        cubes::{
            BRICK, CUBE_POWER, Cubes, Nodes, Search, Slab, box_cubes, count_in_cubes,
            measure_bricks, measure_nodes, sort_into_cubes,
        },
        measure::{Real, Scale},
    },
    grid::Grid,
};
use std::ops::Range;

/// Nodes that blocks of the kernel have threads for.
const GROUP: u32 = 64;

pub(super) fn map(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.nearest {
        let method = params.method;
        return Err(DistanceError::NoNearestWith { method });
    }
    let prepared = Prepared::new(stream, sites, params)?;
    let planes = 0..prepared.dims()[2];
    Ok(DistanceMap {
        distances: prepared.planes(stream, planes)?,
        nearest: None,
        dims: prepared.dims(),
        geometry: prepared.geometry,
    })
}

/// Sites in cubes, and the distances at the centres of the bricks: what any part of the map is made
/// from.
pub(super) struct Prepared {
    sorted: Buffer<f32>,
    starts: Buffer<u64>,
    boxes: Buffer<f32>,
    centres: Buffer<f32>,
    cubes: Cubes,
    nodes: Nodes,
    search: Search,
    /// Whether 32 bits hold all squared distances that matter.
    in_f32: bool,
    grid: Grid,
    geometry: Geometry,
}

impl Prepared {
    pub fn new(
        stream: &Stream,
        sites: Sites<'_>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        let points = Points::of(stream, sites)?;
        let given = points.get();
        if given.is_empty() && params.no_sites == NoSites::Error {
            return Err(DistanceError::NoSites);
        }
        let grid = grid_of(given.dims)?;
        let (scale, integers) = scale_of(&given.geometry, params);
        let search = search_of(scale, params.method);
        let in_f32 = points.are_voxels() && integers && search.searched < f64::from(1 << 11);
        let dims = [grid.nx, grid.ny, grid.nz];
        let cubes = Cubes::new(dims, CUBE_POWER);
        let [nx, ny, nz] = dims.map(|n| n.div_ceil(BRICK) + 2);
        let nodes = Nodes { nx, ny, nz };
        if let Some(limit) = params.memory {
            let of_points = given.coordinates.bytes() as u64;
            // sums and places while sites are sorted, boxes, the centres of the bricks
            let index = cubes.count() * (8 + 8 + 24) + nodes.count() * 4 + (1 << 16);
            let least = index + of_points * (1 + u64::from(points.are_voxels()));
            if limit < least {
                return Err(TooLittleMemory {
                    needed: least,
                    budget: limit,
                }
                .into());
            }
        }
        let boxes = stream.alloc::<f32>(6 * cubes.count() as usize)?;
        let Sorted {
            sorted,
            starts,
            boxes,
            ..
        } = sort(stream, given, cubes, false, boxes)?;
        drop(points);
        let centres = stream.alloc::<f32>(nodes.count() as usize)?;
        let mut prepared = Self {
            sorted,
            starts,
            boxes,
            centres,
            cubes,
            nodes,
            search,
            in_f32,
            grid,
            geometry: *geometry_of(sites),
        };
        if in_f32 {
            prepared.measure_nodes::<f32>(stream)?;
        } else {
            prepared.measure_nodes::<f64>(stream)?;
        }
        Ok(prepared)
    }

    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|axis| axis as usize)
    }

    fn measure_nodes<C: Real + Element>(&mut self, stream: &Stream) -> Result<(), DeviceError> {
        if self.sorted.is_empty() {
            let far = vec![f32::INFINITY; self.centres.len()];
            return stream.write(&mut self.centres, &far);
        }
        let launch = Launch::pieces(self.nodes.groups()).max_useful_threads(GROUP);
        // SAFETY: there are sites, sorted into the cubes, and there is an element for each node.
        unsafe {
            let args = (
                self.sorted.view(),
                self.starts.view(),
                self.boxes.view(),
                self.nodes,
                self.search,
                self.centres.view_mut(),
            );
            stream.launch::<measure_nodes<C>>(launch, args)
        }
    }

    /// The map of some planes: all, or whole layers of bricks.
    pub fn planes(
        &self,
        stream: &Stream,
        planes: Range<usize>,
    ) -> Result<Buffer<f32>, DeviceError> {
        let brick = BRICK as usize;
        debug_assert!(planes.start.is_multiple_of(brick), "layers are whole");
        let voxels = self.grid.nx as usize * self.grid.ny as usize * planes.len();
        let mut distances = stream.alloc::<f32>(voxels)?;
        let slab = Slab {
            grid: Grid {
                nz: planes.end as u32,
                ..self.grid
            },
            first: (planes.start / brick) as u32,
            layers: planes.len().div_ceil(brick) as u32,
        };
        if self.in_f32 {
            self.measure_bricks::<f32>(stream, slab, &mut distances)?;
        } else {
            self.measure_bricks::<f64>(stream, slab, &mut distances)?;
        }
        Ok(distances)
    }

    fn measure_bricks<C: Real + Element>(
        &self,
        stream: &Stream,
        slab: Slab,
        distances: &mut Buffer<f32>,
    ) -> Result<(), DeviceError> {
        let launch = Launch::pieces(slab.bricks()).max_useful_threads(BRICK * BRICK);
        // SAFETY: the sites are sorted into the cubes, the centres are measured, and there is an
        // element for each voxel.
        unsafe {
            let args = (
                self.sorted.view(),
                self.starts.view(),
                self.boxes.view(),
                self.cubes,
                self.nodes,
                self.centres.view(),
                slab,
                self.search,
                distances.view_mut(),
            );
            stream.launch::<measure_bricks<C>>(launch, args)
        }
    }
}

/// How far sites are searched: to the bound, or by the method `cubes` as far as it is exact.
///
/// What `kernels-crate/src/distance/cubes/mod.rs` states for the distance `T` that is searched
/// holds for every `T`. Without an end, a brick whose centre is `D` from its nearest site is
/// compared with the sites within `D + r` of it, and all its distances are exact.
fn search_of(scale: Scale, method: Method) -> Search {
    let search = Search::new(scale);
    let bound = scale.bound / scale.unit;
    match method {
        Method::Bucketed => Search {
            exact: bound,
            searched: bound,
            ..search
        },
        _ => search,
    }
}

fn geometry_of<'a>(sites: Sites<'a>) -> &'a Geometry {
    match sites {
        Sites::Voxels(sites) => &sites.geometry,
        Sites::Points(points) => &points.geometry,
    }
}

/// Sites cube after cube.
pub(super) struct Sorted {
    /// Their coordinates.
    pub sorted: Buffer<f32>,
    /// Their numbers, if they are wanted.
    pub numbers: Buffer<u64>,
    /// Where each cube's begin, and how many there are.
    pub starts: Buffer<u64>,
    /// The boxes that they fill, which are the first of these.
    pub boxes: Buffer<f32>,
}

/// Sorts points by cubes, and fills the first of the boxes.
pub(super) fn sort(
    stream: &Stream,
    points: &DevicePoints,
    cubes: Cubes,
    numbered: bool,
    mut boxes: Buffer<f32>,
) -> Result<Sorted, DeviceError> {
    let sites = &points.coordinates;
    let count = cubes.count() as usize;
    let (launch, items) = over(stream, points.len() as u64);
    let mut starts = stream.zeros::<u64>(count + 1)?;
    // SAFETY: the items are the points, and there is a count for each cube.
    unsafe {
        let args = (sites.view(), items, cubes, starts.view_mut());
        stream.launch::<count_in_cubes>(launch, args)?;
    }
    exclusive_small(stream, &mut starts)?;
    let mut sorted = stream.alloc::<f32>(sites.len())?;
    let mut numbers = stream.alloc::<u64>(if numbered { points.len() } else { 0 })?;
    let mut taken = stream.zeros::<u64>(count)?;
    // SAFETY: as above, and the sums are those of the counts.
    unsafe {
        let args = (
            sites.view(),
            items,
            cubes,
            starts.view(),
            taken.view_mut(),
            sorted.view_mut(),
            numbers.view_mut(),
        );
        stream.launch::<sort_into_cubes>(launch, args)?;
    }
    drop(taken);
    let of_cubes = boxes.view_mut().slice(0, 6 * count);
    // SAFETY: the sites are sorted, and there is a box for each cube.
    unsafe {
        let args = (sorted.view(), starts.view(), of_cubes);
        stream.launch::<box_cubes>(Launch::pieces(count as u64), args)?;
    }
    Ok(Sorted {
        sorted,
        numbers,
        starts,
        boxes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::Device, grid::DeviceMask};

    #[test]
    fn parts_of_a_map_are_those_of_the_whole() {
        let stream = Device::cpu().stream().unwrap();
        let dims = [70, 9, 29];
        let indices = [5, 630, 9000, 17_003];
        let sites = DeviceMask::from_indices(&stream, &indices, dims, Geometry::default()).unwrap();
        let params = DistanceParams {
            method: Method::Cubes,
            ..Default::default()
        };
        let prepared = Prepared::new(&stream, Sites::Voxels(&sites), &params).unwrap();
        let planes = |range| {
            let planes = prepared.planes(&stream, range).unwrap();
            stream.download(&planes).unwrap()
        };
        let parts = [planes(0..8), planes(8..24), planes(24..29)].concat();
        assert!(parts == planes(0..29));
    }
}
