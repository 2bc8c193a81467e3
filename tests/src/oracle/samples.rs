//! Sample points along curves.

use super::{Object, inside::CurveTrace};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;

/// Sample point of a skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Position in voxel coordinates.
    pub voxels: Point3<f64>,
    /// Position in world coordinates.
    pub world: Point3<f64>,
    /// Length of the curves that the sample represents, in world units.
    pub weight: f64,
    /// Component that contains the sample, if any.
    pub component: Option<usize>,
}

/// Returns the nodes without edges, and points along all curves at distances of at most `step`.
pub fn sample_curves(
    object: &Object,
    skeleton: &Skeleton,
    traced: Option<&CurveTrace>,
    step: f64,
) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut alone = vec![true; skeleton.nodes.len()];
    for (number, edge) in skeleton.edges.iter().enumerate() {
        edge.nodes.iter().for_each(|&node| alone[node] = false);
        let component = traced.and_then(|traced| traced.edges[number]);
        for pair in edge.points.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let length = (object.world(b) - object.world(a)).norm();
            let count = (length / step).ceil().max(1.0) as usize;
            // the end points have half of the weight of the others
            for n in 0..=count {
                let voxels = a + (b - a) * (n as f64 / count as f64);
                let weight = length / count as f64;
                samples.push(Sample {
                    voxels,
                    world: object.world(voxels),
                    weight: if n == 0 || n == count {
                        weight / 2.0
                    } else {
                        weight
                    },
                    component,
                });
            }
        }
    }
    for (number, node) in skeleton.nodes.iter().enumerate().filter(|(n, _)| alone[*n]) {
        samples.push(Sample {
            voxels: node.position,
            world: object.world(node.position),
            weight: 0.0,
            component: traced.and_then(|traced| traced.nodes[number]),
        });
    }
    samples
}
