//! A bounding-volume hierarchy of triangles: nearest points and winding numbers.

mod nearest;
mod winding;

pub use nearest::NearestPoint;

use super::TriangleMesh;
use crate::memory::{self, OutOfMemory};
use nalgebra::{Point3, Vector3};

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a hierarchy of triangles";
/// Maximum number of triangles of a leaf.
const LEAF_LEN: usize = 4;
/// Maximum depth of the hierarchy, whose nodes are halved.
const MAX_DEPTH: usize = 64;

/// A triangle by its corners.
pub type Corners = [Point3<f64>; 3];

/// A binary hierarchy of triangles, each node with its bounding box. Points and segments are
/// triangles with equal corners.
///
/// The construction takes time O(n log n) on one thread; memory is about 140 bytes per triangle.
///
/// ```
/// use ferrovox::mesh::TriangleTree;
/// use nalgebra::Point3;
///
/// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(Point3::from);
/// let tree = TriangleTree::new(vec![corners])?;
/// let nearest = tree.nearest(Point3::new(1.0, 1.0, 3.0)).unwrap();
/// assert_eq!((nearest.distance, nearest.position), (3.0, Point3::new(1.0, 1.0, 0.0)));
/// # Ok::<(), ferrovox::memory::OutOfMemory>(())
/// ```
pub struct TriangleTree {
    /// Triangles in the order of the leaves.
    triangles: Vec<Corners>,
    /// Index of each triangle in the list that the tree was built from.
    indices: Vec<u32>,
    /// Nodes in depth-first order: the first child of an inner node is the next one.
    nodes: Vec<Node>,
}

/// A node: all triangles of a part of the mesh.
struct Node {
    low: Point3<f64>,
    high: Point3<f64>,
    /// Range of the triangles.
    first: u32,
    end: u32,
    /// Index of the second child; 0 for a leaf.
    second_child: u32,
    /// Centre of the triangles, weighted by their areas.
    centre: Point3<f64>,
    /// Sum of the triangles' normals, each as long as the area of its triangle.
    normal: Vector3<f64>,
    /// Radius around the centre that contains the box.
    radius: f64,
}

impl TriangleTree {
    /// Builds the hierarchy of triangles.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Panics
    /// If there are 2³² triangles or more.
    pub fn new(triangles: Vec<Corners>) -> Result<Self, OutOfMemory> {
        let count = u32::try_from(triangles.len()).expect("fewer than 2^32 triangles");
        let mut items = Vec::new();
        memory::try_reserve(PURPOSE, &mut items, triangles.len())?;
        items.extend((0..count).map(|index| (index, centroid(&triangles[index as usize]))));
        let mut tree = Self {
            nodes: Vec::new(),
            triangles: Vec::new(),
            indices: Vec::new(),
        };
        // at most two nodes per leaf, and leaves are at least half full
        memory::try_reserve(PURPOSE, &mut tree.nodes, triangles.len() + 1)?;
        memory::try_reserve(PURPOSE, &mut tree.triangles, triangles.len())?;
        memory::try_reserve(PURPOSE, &mut tree.indices, triangles.len())?;
        if !items.is_empty() {
            tree.add(&mut items, &triangles);
        }
        Ok(tree)
    }

    /// Builds the hierarchy of the triangles of a mesh, in world coordinates.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Panics
    /// If the mesh is not [valid](TriangleMesh::validate), or has 2³² triangles or more.
    pub fn from_mesh(mesh: &TriangleMesh) -> Result<Self, OutOfMemory> {
        let origin = Vector3::from(mesh.origin);
        let corner =
            |vertex: u64| Point3::from(mesh.vertices[vertex as usize].map(f64::from)) + origin;
        let mut triangles = Vec::new();
        memory::try_reserve(PURPOSE, &mut triangles, mesh.triangles.len())?;
        triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(corner)));
        Self::new(triangles)
    }

    /// Returns the number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Returns `true` if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Adds a node of these triangles, and the nodes below it.
    fn add(&mut self, items: &mut [(u32, Point3<f64>)], triangles: &[Corners]) {
        let node = self.nodes.len();
        let first = self.triangles.len() as u32;
        self.nodes.push(Node::new(items, triangles, first));
        if items.len() <= LEAF_LEN {
            for &(index, _) in items.iter() {
                self.triangles.push(triangles[index as usize]);
                self.indices.push(index);
            }
            return;
        }
        let axis = longest_axis(items);
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |a, b| {
            a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0))
        });
        let (low, high) = items.split_at_mut(middle);
        self.add(low, triangles);
        self.nodes[node].second_child = self.nodes.len() as u32;
        self.add(high, triangles);
    }
}

impl Node {
    fn new(items: &[(u32, Point3<f64>)], triangles: &[Corners], first: u32) -> Self {
        let (mut low, mut high) = (Point3::from([f64::MAX; 3]), Point3::from([f64::MIN; 3]));
        let mut normal = Vector3::zeros();
        let (mut weighted, mut plain, mut areas) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        for (index, centroid) in items {
            let [a, b, c] = triangles[*index as usize];
            for corner in [a, b, c] {
                low = low.inf(&corner);
                high = high.sup(&corner);
            }
            let vector = (b - a).cross(&(c - a)) * 0.5;
            let area = vector.norm();
            normal += vector;
            weighted += centroid.coords * area;
            plain += centroid.coords;
            areas += area;
        }
        let centre = if areas > 0.0 {
            weighted / areas
        } else {
            plain / items.len() as f64
        };
        let centre = Point3::from(centre);
        let farthest = (high - centre).sup(&(centre - low));
        Self {
            low,
            high,
            first,
            end: first + items.len() as u32,
            second_child: 0,
            centre,
            normal,
            radius: farthest.norm(),
        }
    }
}

fn centroid([a, b, c]: &Corners) -> Point3<f64> {
    Point3::from((a.coords + b.coords + c.coords) / 3.0)
}

/// Returns the axis along which the centroids extend the most.
fn longest_axis(items: &[(u32, Point3<f64>)]) -> usize {
    let ends = items.iter().fold(
        (Point3::from([f64::MAX; 3]), Point3::from([f64::MIN; 3])),
        |(low, high), (_, centroid)| (low.inf(centroid), high.sup(centroid)),
    );
    (ends.1 - ends.0).imax()
}
