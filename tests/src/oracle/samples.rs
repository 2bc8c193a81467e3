//! Points along curves.

use super::{Object, inside::Traced};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;

/// A point of a skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Where it is, in voxels.
    pub voxels: Point3<f64>,
    /// And in the world.
    pub world: Point3<f64>,
    /// How much of the length of the curves it stands for, in world units.
    pub weight: f64,
    /// The component that it is in, if it is in one.
    pub component: Option<usize>,
}

/// Nodes without an edge, and points of all curves, no farther apart than `step`.
pub fn along(
    object: &Object,
    skeleton: &Skeleton,
    traced: Option<&Traced>,
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
            // the ends with half of the weight of the others
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
