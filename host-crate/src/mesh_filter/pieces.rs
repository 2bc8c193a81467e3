//! The pieces of a solid, and its surface without the small ones.

use super::MeshFilterError;
use crate::{
    grid::{Connectivity, Geometry, Mask, Run, Runs},
    memory::{self, OutOfMemory, catch_out_of_memory, zeroed_or_unwind},
    mesh::{TriangleMesh, Triangles, VertexIndex},
    union_find::{Member, UnionFind},
};
use nalgebra::{Matrix3, Point3};

/// What lists here are of, for messages.
const PIECES: &str = "the choice of pieces";
/// How far from a whole number the index of a sample may be found, in voxels. Vertices stay twice
/// as far away from the ends of their edge.
const NEAR: f64 = 1.0 / 2048.0;
/// No run yet.
const NONE: usize = usize::MAX;

/// Which pieces of a solid are kept. By default all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceChoice {
    /// Only the piece with the most voxels, with its cavities; of several the one that comes first.
    pub largest: bool,
    /// Only pieces of at least so many voxels, and cavities of at least so many.
    pub min_voxels: u64,
}

impl PieceChoice {
    /// Whether all pieces are kept, whatever they are.
    pub fn is_all(&self) -> bool {
        !self.largest && self.min_voxels <= 1
    }
}

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiecesReport {
    /// Connected surfaces there were: of a piece its outer one and one for each cavity.
    pub surfaces_before: u64,
    /// Those that were kept.
    pub surfaces: u64,
    /// Voxels of the largest piece that was kept; 0 if none was.
    pub largest_voxels: u64,
}

/// The surfaces of some pieces of a solid, of the mesh of all: as it is, without the vertices and
/// triangles of the others, on the host.
///
/// `mesh` is the isosurface of `solid`, closed or not: each vertex is on an edge of the grid
/// between a voxel of the solid and one outside, or within a cell. Voxels are of one piece if they
/// share a face, or if they touch the same connected surface, from the same side: so pieces are
/// those of the mesh, by whatever rule it goes through ambiguous cells. What is outside is cut into
/// cavities in the same way; one that reaches the border of the grid is none, and always large.
///
/// Work is linear in the voxels and in the mesh; memory some 40 bytes for each vertex, 12 for each
/// run of voxels along x, and another mesh.
///
/// # Errors
/// [`MeshFilterError::TooFar`] if f32 does not say between which samples a vertex is,
/// [`MeshFilterError::NotOfSolid`] for the mesh of something else, one that is not valid, and want
/// of memory.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceVolume, Geometry, Inside, Mask, Volume}, isosurface::{self, IsosurfaceParams}};
/// use ferrovox::mesh_filter::{PieceChoice, choose_pieces};
///
/// // a block of 8 voxels, and a voxel beside it
/// let inside = |x, y, z| x == 5 && y == 1 && z == 1 || x < 3 && y < 3 && z < 3 && x > 0 && y > 0 && z > 0;
/// let volume = Volume::from_fn([7, 4, 4], Geometry::default(), |x, y, z| inside(x, y, z) as u8)?;
/// let stream = Device::best().stream()?;
/// let on_device = DeviceVolume::upload(&stream, volume.view())?;
/// let params = IsosurfaceParams { iso: 0.5, ..IsosurfaceParams::default() };
/// let mesh = isosurface::extract(&stream, &on_device, None, &params)?.download(&stream)?;
/// let solid = Mask::from_threshold(&volume.into(), 0.5, Inside::Above)?;
///
/// let choice = PieceChoice { min_voxels: 2, ..PieceChoice::default() };
/// let (block, report) = choose_pieces(&mesh, &solid, choice)?;
/// assert_eq!((report.surfaces_before, report.surfaces, report.largest_voxels), (2, 1, 8));
/// assert_eq!(block.vertices.len(), mesh.vertices.len() - 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose_pieces(
    mesh: &TriangleMesh,
    solid: &Mask,
    choice: PieceChoice,
) -> Result<(TriangleMesh, PiecesReport), MeshFilterError> {
    mesh.validate()?;
    catch_out_of_memory(|| match &mesh.triangles {
        Triangles::U32(triangles) => chosen(mesh, triangles, Triangles::U32, solid, choice),
        Triangles::U64(triangles) => chosen(mesh, triangles, Triangles::U64, solid, choice),
    })
}

fn chosen<I: VertexIndex + Member>(
    mesh: &TriangleMesh,
    triangles: &[[I; 3]],
    wrap: fn(Vec<[I; 3]>) -> Triangles,
    solid: &Mask,
    choice: PieceChoice,
) -> Result<(TriangleMesh, PiecesReport), MeshFilterError> {
    let vertices = mesh.vertices.len();
    let mut surfaces = UnionFind::<I>::try_new(vertices)?;
    for &[a, b, c] in triangles {
        surfaces.join(a, b);
        surfaces.join(b, c);
    }
    let places = Places::new(mesh, solid.geometry())?;
    let mut sides = [
        Side::new(Runs::of(solid.words(), solid.layout()), vertices, false)?,
        Side::new(
            Runs::of_others(solid.words(), solid.layout()),
            vertices,
            true,
        )?,
    ];
    for (vertex, position) in mesh.vertices.iter().enumerate() {
        let Some(ends) = places.ends(*position) else {
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
    let [mut solid, mut others] = sides.map(Side::sized);
    let is_first = |surfaces: &mut UnionFind<I>, vertex| root(surfaces, vertex) == vertex;
    let mut largest = (0, NONE);
    let mut report = PiecesReport {
        surfaces_before: 0,
        surfaces: 0,
        largest_voxels: 0,
    };
    for vertex in 0..vertices {
        if is_first(&mut surfaces, vertex) {
            report.surfaces_before += 1;
            let (voxels, piece) = solid.of(vertex);
            if voxels > largest.0 {
                largest = (voxels, piece);
            }
        }
    }
    // for each vertex its number among those that are kept
    let mut numbers = memory::try_filled(PIECES, vertices, I::from_index(0))?;
    let mut kept = 0;
    for (vertex, number) in numbers.iter_mut().enumerate() {
        let surface = root(&mut surfaces, vertex);
        let (voxels, piece) = solid.of(surface);
        let is_large = voxels.min(others.of(surface).0) >= choice.min_voxels;
        let is_kept = is_large && !(choice.largest && piece != largest.1);
        *number = if is_kept { I::from_index(kept) } else { None };
        kept += usize::from(is_kept);
        if is_kept && surface == vertex {
            report.surfaces += 1;
            report.largest_voxels = report.largest_voxels.max(voxels);
        }
    }
    let of_kept = |list: &[[f32; 3]]| {
        let both = list.iter().zip(&numbers);
        collected(
            kept,
            both.filter_map(|(value, number)| number.and(Some(*value))),
        )
    };
    let renumbered = |three: &[I; 3]| {
        let [a, b, c] = three.map(|vertex| numbers[vertex.index()]);
        Some([a?, b?, c?])
    };
    let count = triangles.iter().filter_map(renumbered).count();
    let list = collected(count, triangles.iter().filter_map(renumbered))?;
    let mesh = TriangleMesh {
        vertices: of_kept(&mesh.vertices)?,
        normals: mesh.normals.as_deref().map(of_kept).transpose()?,
        triangles: wrap(list),
    };
    Ok((mesh, report))
}

fn collected<T>(count: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    memory::try_reserve(PIECES, &mut list, count)?;
    list.extend(values);
    Ok(list)
}

/// The first vertex of a vertex's surface.
fn root<I: Member>(surfaces: &mut UnionFind<I>, vertex: usize) -> usize {
    I::from_index(vertex).map_or(vertex, |vertex| surfaces.root(vertex).index())
}

/// Finds where in the grid a vertex is.
struct Places<'a> {
    geometry: &'a Geometry,
}

impl<'a> Places<'a> {
    fn new(mesh: &TriangleMesh, geometry: &'a Geometry) -> Result<Self, MeshFilterError> {
        let coordinates = mesh.vertices.as_flattened().iter();
        let found = coordinates.fold(0.0f32, |most, x| most.max(x.abs()));
        let to_index = geometry.axes().try_inverse().unwrap_or_else(Matrix3::zeros);
        let row = |r: usize| to_index.row(r).abs().sum();
        // half of a last place of each coordinate
        let error = row(0).max(row(1)).max(row(2)) * 2f64.powi(-24);
        let most = 0.5 * NEAR / error;
        if f64::from(found) <= most {
            Ok(Self { geometry })
        } else {
            Err(MeshFilterError::TooFar { found, most })
        }
    }

    /// The voxels at the ends of the edge that a vertex is on, of which one may be a step outside
    /// the grid. None for a vertex within a cell.
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
    /// The runs, joined, and after them what is around the grid.
    sets: UnionFind,
    /// For each surface, by its first vertex, a run that it touches.
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
            touched: memory::try_filled(PIECES, vertices, NONE)?,
        })
    }

    /// Says that a surface touches a voxel, which is of this side or around the grid.
    fn touch(&mut self, surface: usize, voxel: [i64; 3]) {
        let run = self.runs.at_signed(voxel).unwrap_or(self.runs.list.len());
        match self.touched[surface] {
            NONE => self.touched[surface] = run,
            other => {
                self.sets.join(other, run);
            }
        }
    }

    fn sized(mut self) -> Components {
        let around = self.runs.list.len();
        let mut voxels: Vec<u64> = zeroed_or_unwind(around + 1);
        for (run, &Run { start, end }) in self.runs.list.iter().enumerate() {
            voxels[self.sets.root(run)] += u64::from(end - start);
        }
        voxels[self.sets.root(around)] = u64::MAX;
        Components {
            sets: self.sets,
            touched: self.touched,
            voxels,
        }
    }
}

/// The connected parts of one side.
struct Components {
    sets: UnionFind,
    touched: Vec<usize>,
    /// For the first run of each.
    voxels: Vec<u64>,
}

impl Components {
    /// The voxels of the part that a surface touches, and its first run.
    fn of(&mut self, surface: usize) -> (u64, usize) {
        match self.touched[surface] {
            NONE => (0, NONE),
            run => {
                let first = self.sets.root(run);
                (self.voxels[first], first)
            }
        }
    }
}
