//! Distance transform by sites sorted into cubes: exact everywhere (`bucketed`), or exact up to 36
//! voxels and estimated beyond, as in the distance map article (`cubes`).

use super::{
    DistanceError, DistanceMap, DistanceParams, Method, NoSites, Sites, brute_force::SitePoints,
    scale::distance_scale,
};
use crate::{device::items_launch, grid::DevicePoints};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    grid::{Geometry, kernel_grid},
    partition::TooLittleMemory,
    scan::exclusive_small,
};
use ferrovox_kernels::{
    distance::{
        cubes::{
            BRICK, CUBE_SIDE_LOG2, Cubes, Nodes, SearchRadii, Slab, box_cubes, count_in_cubes,
            measure_bricks, measure_nodes, sort_into_cubes,
        },
        metric::{Real, Scale},
    },
    grid::Grid,
};
use std::ops::Range;

/// Number of threads per block that the kernel for brick centres can use.
const NODE_THREADS: u32 = 64;

pub(super) fn transform(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.nearest {
        let method = params.method;
        return Err(DistanceError::NearestUnsupported { method });
    }
    let index = CubeIndex::new(stream, sites, params)?;
    let planes = 0..index.dims()[2];
    Ok(DistanceMap {
        distances: index.planes(stream, planes)?,
        nearest: None,
        dims: index.dims(),
        geometry: index.geometry,
    })
}

/// Sites sorted into cubes, and the distances at the brick centres: everything needed to compute
/// any part of the map.
pub(super) struct CubeIndex {
    sorted: Buffer<f32>,
    starts: Buffer<u64>,
    boxes: Buffer<f32>,
    centres: Buffer<f32>,
    cubes: Cubes,
    nodes: Nodes,
    radii: SearchRadii,
    /// `true` if f32 represents all relevant squared distances exactly.
    uses_f32: bool,
    grid: Grid,
    geometry: Geometry,
}

impl CubeIndex {
    pub fn new(
        stream: &Stream,
        sites: Sites<'_>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        let points = SitePoints::new(stream, sites)?;
        let site_points = points.get();
        if site_points.is_empty() && params.no_sites == NoSites::Error {
            return Err(DistanceError::NoSites);
        }
        let grid = kernel_grid(site_points.dims)?;
        let (scale, integers) = distance_scale(&site_points.geometry, params);
        let radii = search_radii(scale, params.method);
        let uses_f32 = points.are_voxels() && integers && radii.search_max < f64::from(1 << 11);
        let dims = [grid.nx, grid.ny, grid.nz];
        let cubes = Cubes::new(dims, CUBE_SIDE_LOG2);
        let [nx, ny, nz] = dims.map(|n| n.div_ceil(BRICK) + 2);
        let nodes = Nodes { nx, ny, nz };
        if let Some(limit) = params.memory {
            let point_bytes = site_points.coordinates.bytes() as u64;
            // Counts and offsets during sorting, boxes, and brick centres.
            let index_bytes = cubes.count() * (8 + 8 + 24) + nodes.count() * 4 + (1 << 16);
            let needed = index_bytes + point_bytes * (1 + u64::from(points.are_voxels()));
            if limit < needed {
                return Err(TooLittleMemory {
                    needed,
                    budget: limit,
                }
                .into());
            }
        }
        let boxes = stream.alloc::<f32>(6 * cubes.count() as usize)?;
        let SortedSites {
            sorted,
            starts,
            boxes,
            ..
        } = sort_sites(stream, site_points, cubes, false, boxes)?;
        drop(points);
        let centres = stream.alloc::<f32>(nodes.count() as usize)?;
        let mut index = Self {
            sorted,
            starts,
            boxes,
            centres,
            cubes,
            nodes,
            radii,
            uses_f32,
            grid,
            geometry: *sites_geometry(sites),
        };
        if uses_f32 {
            index.measure_nodes::<f32>(stream)?;
        } else {
            index.measure_nodes::<f64>(stream)?;
        }
        Ok(index)
    }

    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|axis| axis as usize)
    }

    fn measure_nodes<C: Real + Element>(&mut self, stream: &Stream) -> Result<(), DeviceError> {
        if self.sorted.is_empty() {
            let infinite = vec![f32::INFINITY; self.centres.len()];
            return stream.write(&mut self.centres, &infinite);
        }
        let launch = Launch::pieces(self.nodes.groups()).max_useful_threads(NODE_THREADS);
        // SAFETY: there are sites, sorted into the cubes, and there is one element per node.
        unsafe {
            let args = (
                self.sorted.view(),
                self.starts.view(),
                self.boxes.view(),
                self.nodes,
                self.radii,
                self.centres.view_mut(),
            );
            stream.launch::<measure_nodes<C>>(launch, args)
        }
    }

    /// Computes the distances of a range of planes that starts at a layer of bricks and ends at one
    /// or at the last plane.
    pub fn planes(
        &self,
        stream: &Stream,
        planes: Range<usize>,
    ) -> Result<Buffer<f32>, DeviceError> {
        let brick = BRICK as usize;
        debug_assert!(
            planes.start.is_multiple_of(brick),
            "slabs start at a layer of bricks"
        );
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
        if self.uses_f32 {
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
        // SAFETY: the sites are sorted into the cubes, the centres are computed, and there is one
        // element per voxel.
        unsafe {
            let args = (
                self.sorted.view(),
                self.starts.view(),
                self.boxes.view(),
                self.cubes,
                self.nodes,
                self.centres.view(),
                slab,
                self.radii,
                distances.view_mut(),
            );
            stream.launch::<measure_bricks<C>>(launch, args)
        }
    }
}

/// Returns the search radii of a method: up to the maximum distance for `bucketed`, up to the exact
/// range and its transition for `cubes`.
///
/// The statements of `kernels-crate/src/distance/cubes/mod.rs` hold for any search distance `T`.
/// Without a limit, a brick whose centre is at distance `D` from its nearest site is compared with
/// the sites within `D + r`, and all its distances are exact.
fn search_radii(scale: Scale, method: Method) -> SearchRadii {
    let radii = SearchRadii::new(scale);
    let max_distance = scale.max_distance / scale.unit;
    match method {
        Method::Bucketed => SearchRadii {
            exact_max: max_distance,
            search_max: max_distance,
            ..radii
        },
        _ => radii,
    }
}

fn sites_geometry<'a>(sites: Sites<'a>) -> &'a Geometry {
    match sites {
        Sites::Voxels(sites) => &sites.geometry,
        Sites::Points(points) => &points.geometry,
    }
}

/// Sites ordered by cube.
pub(super) struct SortedSites {
    /// Coordinates of the sites.
    pub sorted: Buffer<f32>,
    /// Numbers of the sites, if requested.
    pub site_numbers: Buffer<u64>,
    /// Index of each cube's first site, followed by the number of sites.
    pub starts: Buffer<u64>,
    /// Bounding boxes; the first ones are those of the cubes' sites.
    pub boxes: Buffer<f32>,
}

/// Sorts points by cube and computes the bounding boxes of the cubes, the first of `boxes`.
pub(super) fn sort_sites(
    stream: &Stream,
    points: &DevicePoints,
    cubes: Cubes,
    with_numbers: bool,
    mut boxes: Buffer<f32>,
) -> Result<SortedSites, DeviceError> {
    let sites = &points.coordinates;
    let count = cubes.count() as usize;
    let (launch, items) = items_launch(stream, points.len() as u64);
    let mut starts = stream.zeros::<u64>(count + 1)?;
    // SAFETY: the items are the points, and there is one count per cube.
    unsafe {
        let args = (sites.view(), items, cubes, starts.view_mut());
        stream.launch::<count_in_cubes>(launch, args)?;
    }
    exclusive_small(stream, &mut starts)?;
    let mut sorted = stream.alloc::<f32>(sites.len())?;
    let mut site_numbers = stream.alloc::<u64>(if with_numbers { points.len() } else { 0 })?;
    let mut fill_counts = stream.zeros::<u64>(count)?;
    // SAFETY: as above, and the offsets are the exclusive sums of the counts.
    unsafe {
        let args = (
            sites.view(),
            items,
            cubes,
            starts.view(),
            fill_counts.view_mut(),
            sorted.view_mut(),
            site_numbers.view_mut(),
        );
        stream.launch::<sort_into_cubes>(launch, args)?;
    }
    drop(fill_counts);
    let cube_boxes = boxes.view_mut().slice(0, 6 * count);
    // SAFETY: the sites are sorted, and there is one box per cube.
    unsafe {
        let args = (sorted.view(), starts.view(), cube_boxes);
        stream.launch::<box_cubes>(Launch::pieces(count as u64), args)?;
    }
    Ok(SortedSites {
        sorted,
        site_numbers,
        starts,
        boxes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::Device, grid::DeviceMask};

    #[test]
    fn parts_of_a_map_match_the_entire_map() {
        let stream = Device::cpu().stream().unwrap();
        let dims = [70, 9, 29];
        let indices = [5, 630, 9000, 17_003];
        let sites = DeviceMask::from_indices(&stream, &indices, dims, Geometry::default()).unwrap();
        let params = DistanceParams {
            method: Method::Cubes,
            ..Default::default()
        };
        let index = CubeIndex::new(&stream, Sites::Voxels(&sites), &params).unwrap();
        let planes = |range| {
            let planes = index.planes(&stream, range).unwrap();
            stream.download(&planes).unwrap()
        };
        let parts = [planes(0..8), planes(8..24), planes(24..29)].concat();
        assert!(parts == planes(0..29));
    }
}
