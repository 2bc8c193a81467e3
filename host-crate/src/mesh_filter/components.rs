//! Selection of the connected components of a solid, and of the corresponding surfaces of its mesh.

use super::MeshFilterError;
use crate::{
    grid::{Connectivity, Geometry, Mask, Run, Runs},
    memory::{self, OutOfMemory, catch_out_of_memory, zeroed_or_unwind},
    mesh::{TriangleMesh, Triangles, VertexIndex},
    union_find::{Member, UnionFind},
};
use nalgebra::{Matrix3, Point3};

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the filter of components";
/// Tolerance, in voxels, within which a coordinate counts as an integer. Vertices are at least
/// twice as far from the ends of their edge.
const NEAR: f64 = 1.0 / 2048.0;
/// Number of voxels of a region that reaches the border of the grid.
const UNBOUNDED: u64 = u64::MAX;
/// Marks the absence of a run.
const NONE: usize = usize::MAX;

/// Criteria for keeping connected components of a solid. The default keeps all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentFilter {
    /// `true` to keep only the component with the most voxels and its cavities; on ties, the first.
    pub largest: bool,
    /// Minimum number of voxels of components and of cavities to keep.
    pub min_voxels: u64,
    /// `true` to remove all cavities, with the components inside them.
    pub fill_cavities: bool,
}

impl ComponentFilter {
    /// Returns `true` if all components are kept.
    pub fn keeps_all(&self) -> bool {
        !self.largest && !self.fill_cavities && self.min_voxels <= 1
    }
}

/// Result of a selection of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentFilterReport {
    /// Number of connected surfaces before: one outer surface per component, and one per cavity.
    pub surfaces_before: u64,
    /// Number of connected surfaces kept.
    pub surfaces: u64,
    /// Number of voxels of the largest component kept, or 0.
    pub largest_voxels: u64,
}

/// Removes the vertices and triangles of all connected components of `solid` that `filter` does not
/// keep, and leaves the others unchanged. Runs on the host.
///
/// `mesh` is the isosurface of `solid`, closed or not: each vertex lies on a grid edge between a
/// voxel of the solid and one outside, or inside a cell. Voxels belong to the same component if
/// they share a face, or if they touch the same connected surface from the same side; so components
/// match those of the mesh, however ambiguous cells are resolved. The outside is divided into
/// cavities in the same way; a region that reaches the border of the grid is not a cavity, and is
/// always kept.
///
/// Time is linear in voxels and mesh size; memory is about 40 bytes per vertex, 12 bytes per run of
/// voxels along x, and a second mesh.
///
/// # Errors
/// [`MeshFilterError::TooFar`] if `f32` cannot resolve which grid edge a vertex lies on,
/// [`MeshFilterError::NotOfSolid`] if the mesh does not belong to `solid`, an error for an
/// inconsistent mesh, and insufficient memory.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::grid::{DeviceVolume, Geometry, Inside, Mask, Volume};
/// use ferrovox::isosurface::{self, IsosurfaceParams};
/// use ferrovox::mesh_filter::{ComponentFilter, filter_components};
///
/// // a block of 8 voxels, and a separate voxel
/// let inside = |x, y, z| {
///     let is_in_block = (1..3).contains(&x) && (1..3).contains(&y) && (1..3).contains(&z);
///     is_in_block || [x, y, z] == [5, 1, 1]
/// };
/// let volume = Volume::from_fn([7, 4, 4], Geometry::default(), |x, y, z| inside(x, y, z) as u8)?;
/// let stream = Device::best().stream()?;
/// let on_device = DeviceVolume::upload(&stream, volume.view())?;
/// let params = IsosurfaceParams { iso: 0.5, ..IsosurfaceParams::default() };
/// let mesh = isosurface::extract(&stream, &on_device, None, &params)?.download(&stream)?;
/// let solid = Mask::from_threshold(&volume.into(), 0.5, Inside::Above)?;
///
/// let choice = ComponentFilter { min_voxels: 2, ..ComponentFilter::default() };
/// let (block, report) = filter_components(&mesh, &solid, choice)?;
/// assert_eq!((report.surfaces_before, report.surfaces, report.largest_voxels), (2, 1, 8));
/// assert_eq!(block.vertices.len(), mesh.vertices.len() - 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn filter_components(
    mesh: &TriangleMesh,
    solid: &Mask,
    filter: ComponentFilter,
) -> Result<(TriangleMesh, ComponentFilterReport), MeshFilterError> {
    mesh.validate()?;
    catch_out_of_memory("the components of a mesh", || match &mesh.triangles {
        Triangles::U32(triangles) => filter_indexed(mesh, triangles, Triangles::U32, solid, filter),
        Triangles::U64(triangles) => filter_indexed(mesh, triangles, Triangles::U64, solid, filter),
    })
}

fn filter_indexed<I: VertexIndex + Member>(
    mesh: &TriangleMesh,
    triangles: &[[I; 3]],
    wrap: fn(Vec<[I; 3]>) -> Triangles,
    solid: &Mask,
    filter: ComponentFilter,
) -> Result<(TriangleMesh, ComponentFilterReport), MeshFilterError> {
    let vertices = mesh.vertices.len();
    let mut surfaces = UnionFind::<I>::try_new(vertices)?;
    for &[a, b, c] in triangles {
        surfaces.join(a, b);
        surfaces.join(b, c);
    }
    let locator = EdgeLocator::new(mesh, solid.geometry())?;
    let mut sides = [
        Side::new(
            Runs::from_words(solid.words(), solid.layout()),
            vertices,
            false,
        )?,
        Side::new(
            Runs::from_complement(solid.words(), solid.layout()),
            vertices,
            true,
        )?,
    ];
    for (vertex, position) in mesh.vertices.iter().enumerate() {
        let Some(ends) = locator.ends(*position) else {
            continue;
        };
        let surface = root(&mut surfaces, vertex);
        let [a, b] = ends.map(|end| sides[0].runs.at_signed(end).is_some());
        if a == b {
            return Err(MeshFilterError::NotOfSolid { vertex });
        }
        let [inside, outside] = if a { ends } else { [ends[1], ends[0]] };
        sides[0].touch(surface, inside);
        sides[1].touch(surface, outside);
    }
    let [mut solid, mut outside] = sides.map(Side::into_components);
    let is_representative = |surfaces: &mut UnionFind<I>, vertex| root(surfaces, vertex) == vertex;
    let mut largest = (0, NONE);
    let mut report = ComponentFilterReport {
        surfaces_before: 0,
        surfaces: 0,
        largest_voxels: 0,
    };
    for vertex in 0..vertices {
        if is_representative(&mut surfaces, vertex) {
            report.surfaces_before += 1;
            let (voxels, component) = solid.size_and_root(vertex);
            if voxels > largest.0 {
                largest = (voxels, component);
            }
        }
    }
    // index of each vertex among those kept
    let mut kept_indices = memory::try_filled(PURPOSE, vertices, I::from_index(0))?;
    let mut kept = 0;
    for (vertex, kept_index) in kept_indices.iter_mut().enumerate() {
        let surface = root(&mut surfaces, vertex);
        let (voxels, component) = solid.size_and_root(surface);
        let surroundings = outside.size_and_root(surface).0;
        let is_large = voxels.min(surroundings) >= filter.min_voxels;
        let is_filled = filter.fill_cavities && surroundings != UNBOUNDED;
        let is_kept = is_large && !is_filled && !(filter.largest && component != largest.1);
        *kept_index = if is_kept { I::from_index(kept) } else { None };
        kept += usize::from(is_kept);
        if is_kept && surface == vertex {
            report.surfaces += 1;
            report.largest_voxels = report.largest_voxels.max(voxels);
        }
    }
    let select_kept = |list: &[[f32; 3]]| {
        let both = list.iter().zip(&kept_indices);
        collect(
            kept,
            both.filter_map(|(value, kept_index)| kept_index.and(Some(*value))),
        )
    };
    let renumbered = |triangle: &[I; 3]| {
        let [a, b, c] = triangle.map(|vertex| kept_indices[vertex.index()]);
        Some([a?, b?, c?])
    };
    let count = triangles.iter().filter_map(renumbered).count();
    let list = collect(count, triangles.iter().filter_map(renumbered))?;
    let mesh = TriangleMesh {
        origin: mesh.origin,
        vertices: select_kept(&mesh.vertices)?,
        normals: mesh.normals.as_deref().map(select_kept).transpose()?,
        triangles: wrap(list),
    };
    Ok((mesh, report))
}

fn collect<T>(count: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    memory::try_reserve(PURPOSE, &mut list, count)?;
    list.extend(values);
    Ok(list)
}

/// Returns the representative vertex of a vertex's surface.
fn root<I: Member>(surfaces: &mut UnionFind<I>, vertex: usize) -> usize {
    I::from_index(vertex).map_or(vertex, |vertex| surfaces.root(vertex).index())
}

/// Locates vertices on grid edges.
struct EdgeLocator {
    /// Geometry relative to the origin of the mesh.
    geometry: Geometry,
}

impl EdgeLocator {
    fn new(mesh: &TriangleMesh, geometry: &Geometry) -> Result<Self, MeshFilterError> {
        let geometry = geometry.relative_to(mesh.origin.into());
        let coordinates = mesh.vertices.as_flattened().iter();
        let found = coordinates.fold(0.0f32, |max, x| max.max(x.abs()));
        let to_index = geometry.axes().try_inverse().unwrap_or_else(Matrix3::zeros);
        let row = |r: usize| to_index.row(r).abs().sum();
        // half a unit in the last place of each coordinate
        let error = row(0).max(row(1)).max(row(2)) * 2f64.powi(-24);
        let max = 0.5 * NEAR / error;
        if f64::from(found) <= max {
            Ok(Self { geometry })
        } else {
            Err(MeshFilterError::TooFar { found, max })
        }
    }

    /// Returns the voxels at the ends of the grid edge that a vertex lies on, one of which may be
    /// outside the grid by one step, or `None` for a vertex inside a cell.
    fn ends(&self, position: [f32; 3]) -> Option<[[i64; 3]; 2]> {
        let index = self
            .geometry
            .world_to_index(Point3::from(position.map(f64::from)));
        let whole = index.coords.map(f64::round);
        let mut between = (0..3).filter(|&k| (index[k] - whole[k]).abs() > NEAR);
        let (Some(axis), None) = (between.next(), between.next()) else {
            return None;
        };
        let mut low: [i64; 3] = whole.map(|x| x as i64).into();
        low[axis] = index[axis].floor() as i64;
        let mut high = low;
        high[axis] += 1;
        Some([low, high])
    }
}

/// The voxels on one side of all surfaces.
struct Side {
    runs: Runs,
    /// Union-find sets of the runs, followed by the surroundings of the grid.
    sets: UnionFind,
    /// For each surface, by its representative vertex, a run that it touches.
    touched: Vec<usize>,
}

impl Side {
    fn new(runs: Runs, vertices: usize, is_outside: bool) -> Result<Self, OutOfMemory> {
        let around = runs.list.len();
        let mut sets = runs.joined(Connectivity::Faces, 1)?;
        if is_outside {
            let grid = runs.bits.grid;
            let [ny, nz] = [grid.ny as usize, grid.nz as usize];
            for row in 0..runs.row_count() {
                let (y, z) = (row % ny, row / ny);
                let is_at_border = y == 0 || z == 0 || y + 1 == ny || z + 1 == nz;
                for run in runs.row(row) {
                    let Run { start, end } = runs.list[run];
                    if is_at_border || start == 0 || end == grid.nx {
                        sets.join(run, around);
                    }
                }
            }
        }
        Ok(Self {
            runs,
            sets,
            touched: memory::try_filled(PURPOSE, vertices, NONE)?,
        })
    }

    /// Records that a surface touches a voxel of this side, or the surroundings of the grid.
    fn touch(&mut self, surface: usize, voxel: [i64; 3]) {
        let run = self.runs.at_signed(voxel).unwrap_or(self.runs.list.len());
        match self.touched[surface] {
            NONE => self.touched[surface] = run,
            other => {
                self.sets.join(other, run);
            }
        }
    }

    fn into_components(mut self) -> Components {
        let around = self.runs.list.len();
        let mut voxels: Vec<u64> = zeroed_or_unwind(around + 1);
        for (run, &Run { start, end }) in self.runs.list.iter().enumerate() {
            voxels[self.sets.root(run)] += u64::from(end - start);
        }
        voxels[self.sets.root(around)] = UNBOUNDED;
        Components {
            sets: self.sets,
            touched: self.touched,
            voxels,
        }
    }
}

/// Connected components of one side.
struct Components {
    sets: UnionFind,
    touched: Vec<usize>,
    /// Number of voxels, by the representative run of each component.
    voxels: Vec<u64>,
}

impl Components {
    /// Returns the voxel count and the representative run of the component that a surface touches.
    fn size_and_root(&mut self, surface: usize) -> (u64, usize) {
        match self.touched[surface] {
            NONE => (0, NONE),
            run => {
                let first = self.sets.root(run);
                (self.voxels[first], first)
            }
        }
    }
}
