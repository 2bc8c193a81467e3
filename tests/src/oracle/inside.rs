//! Whether every segment lies in the object's closed cubes, and the edges of the cubes that curves
//! can be pushed to.

use super::{Object, Property, Verdict, cells::Complex, curve::Steps};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;

/// What was found on the way along the curves.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// The component of each node, if it is in the object.
    pub nodes: Vec<Option<usize>>,
    /// For each edge the edges of cubes that it can be pushed to, if all of it is inside.
    pub chains: Vec<Option<Vec<u32>>>,
    /// The component of each edge, by its first point that is in the object.
    pub edges: Vec<Option<usize>>,
    /// The length of all edges in the world.
    pub length: f64,
    /// The length of what is not inside.
    pub outside: f64,
    /// Where it is not.
    pub property: Property,
}

/// Goes along all curves.
pub fn trace(object: &Object, complex: &Complex, steps: &Steps, skeleton: &Skeleton) -> Traced {
    let component = |point: Point3<f64>| complex.component(object, steps.carrier(point));
    let mut traced = Traced::default();
    for (number, node) in skeleton.nodes.iter().enumerate() {
        let at = component(node.position);
        if at.is_none() {
            traced.property.fault(None, node.position, || {
                format!("node {number} is not in the object")
            });
        }
        traced.nodes.push(at);
    }
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let at = edge.points.iter().find_map(|&point| component(point));
        let mut chain = Some(Vec::new());
        for pair in edge.points.windows(2) {
            let length = (object.world(pair[1]) - object.world(pair[0])).norm();
            traced.length += length;
            for part in steps.parts(pair[0], pair[1]) {
                if complex.contains(part.cell) {
                    let numbers = part.pushed().filter_map(|edge| complex.number(edge));
                    if let Some(chain) = &mut chain {
                        chain.extend(numbers.map(|number| number as u32));
                    }
                } else {
                    chain = None;
                    let share = part.ends - part.begins;
                    traced.outside += length * share;
                    let place = pair[0] + (pair[1] - pair[0]) * (part.begins + 0.5 * share);
                    traced.property.fault(at, place, || {
                        let length = length * share;
                        format!(
                            "edge {number} is outside of the object for a length of {length:.3e}"
                        )
                    });
                }
            }
        }
        traced.chains.push(chain);
        traced.edges.push(at);
    }
    traced
}

/// What is outside.
pub fn check(verdict: &mut Verdict, _object: &Object, traced: &Traced) {
    verdict.inside = traced.property.clone();
    verdict.inside_share = if traced.length > 0.0 {
        1.0 - traced.outside / traced.length
    } else {
        1.0
    };
}
