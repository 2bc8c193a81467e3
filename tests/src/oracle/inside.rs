//! Containment: each segment must lie in the object's closed cubes. Also finds the edges of the
//! cubes that curves can be pushed to.

use super::{Object, Property, Verdict, cells::Complex, curve::PositionGrid};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;

/// Result of tracing the curves through the complex.
#[derive(Clone, Debug, Default)]
pub struct CurveTrace {
    /// Component of each node, if it is in the object.
    pub nodes: Vec<Option<usize>>,
    /// Edges of the cubes to which each curve can be pushed; `None` unless the whole curve is
    /// inside.
    pub chains: Vec<Option<Vec<u32>>>,
    /// Component of each curve, by its first point in the object.
    pub edges: Vec<Option<usize>>,
    /// Total length of the curves, in world units.
    pub length: f64,
    /// Total length of the parts outside the object, in world units.
    pub outside: f64,
    /// Faults: positions outside the object.
    pub property: Property,
}

/// Traces all curves.
pub fn trace(
    object: &Object,
    complex: &Complex,
    steps: &PositionGrid,
    skeleton: &Skeleton,
) -> CurveTrace {
    let component = |point: Point3<f64>| complex.component(object, steps.carrier(point));
    let mut traced = CurveTrace::default();
    for (number, node) in skeleton.nodes.iter().enumerate() {
        let at = component(node.position);
        if at.is_none() {
            traced.property.add_fault(None, node.position, || {
                format!("node {number} is outside the object")
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
                    let numbers = part.pushed_edges().filter_map(|edge| complex.number(edge));
                    if let Some(chain) = &mut chain {
                        chain.extend(numbers.map(|number| number as u32));
                    }
                } else {
                    chain = None;
                    let share = part.ends - part.begins;
                    traced.outside += length * share;
                    let position = pair[0] + (pair[1] - pair[0]) * (part.begins + 0.5 * share);
                    traced.property.add_fault(at, position, || {
                        let length = length * share;
                        format!("edge {number} is outside the object for a length of {length:.3e}")
                    });
                }
            }
        }
        traced.chains.push(chain);
        traced.edges.push(at);
    }
    traced
}

/// Reports the parts outside the object.
pub fn check(verdict: &mut Verdict, _object: &Object, traced: &CurveTrace) {
    verdict.inside = traced.property.clone();
    verdict.inside_share = if traced.length > 0.0 {
        1.0 - traced.outside / traced.length
    } else {
        1.0
    };
}
