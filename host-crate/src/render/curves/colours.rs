//! Colours of curves.

use crate::graph::{Edge, Node, NodeKind, Skeleton};
use crate::memory::CollectOrUnwind;

/// What curves are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColourBy {
    /// The distance to the surface: from dark blue at the least to orange at the greatest, in steps
    /// that look even.
    Radius,
    /// The label, in colours that are easily told apart; there are 27, then they begin anew.
    Label,
    /// The level of the hierarchy: red for 0, blue for 1, green for 2.
    Level,
    /// The component of the object, as by labels.
    Component,
}

/// A colour as pictures have it, from 0 to 1.
pub type Colour = [f32; 3];

/// Colours by level; of all above the last, the last.
const LEVELS: [Colour; 3] = [
    [0.69, 0.125, 0.157],
    [0.094, 0.337, 0.62],
    [0.141, 0.502, 0.275],
];

/// Colours of critical points.
const ATTRACTING: Colour = [0.157, 0.047, 0.078];
const SADDLE: Colour = [0.933, 0.627, 0.157];

/// The part of the map from which colours by radius are: beyond it they are as bright as the paper.
const OF_MAP: f64 = 0.8;

/// How much darker (below 0) or brighter the colours of a row of labels are than the palette's.
const ROWS: [f32; 3] = [0.0, -0.4, 0.3];

/// Colours the curves of some skeletons.
pub struct Painter {
    pub by: ColourBy,
    /// The least and the greatest radius, if there is one.
    pub radii: Option<[f64; 2]>,
    /// What colours stand for, by number: labels, levels or components.
    pub classes: Vec<i64>,
}

impl Painter {
    pub fn new(skeletons: &[(i64, &Skeleton)], by: Option<ColourBy>) -> Self {
        let default = match skeletons.len() {
            0 | 1 => ColourBy::Radius,
            _ => ColourBy::Label,
        };
        let by = by.unwrap_or(default);
        let edges = || skeletons.iter().flat_map(|(_, one)| &one.edges);
        let mut classes: Vec<i64> = match by {
            ColourBy::Radius => Vec::new(),
            ColourBy::Label => skeletons
                .iter()
                .map(|&(label, _)| label)
                .collect_or_unwind(),
            ColourBy::Level => edges().map(|edge| edge.level.into()).collect_or_unwind(),
            // a component is of one label
            ColourBy::Component => {
                let counts = skeletons.iter().map(|(_, one)| components(one));
                (0..counts.sum()).collect_or_unwind()
            }
        };
        classes.sort_unstable();
        classes.dedup();
        Self {
            by,
            radii: radii(skeletons),
            classes,
        }
    }

    /// The colours of the points of an edge of the skeleton at a place of the list.
    pub fn edge<'a>(
        &'a self,
        skeletons: &'a [(i64, &Skeleton)],
        at: usize,
        edge: &'a Edge,
    ) -> impl Fn(usize) -> Colour + 'a {
        let (label, skeleton) = skeletons[at];
        let flat = match self.by {
            ColourBy::Radius => None,
            ColourBy::Label => Some(self.class(label)),
            ColourBy::Level => Some(LEVELS[usize::from(edge.level).min(LEVELS.len() - 1)]),
            ColourBy::Component => {
                let node = skeleton.nodes.get(edge.nodes[0]);
                Some(self.component(skeletons, at, node))
            }
        };
        move |point| flat.unwrap_or_else(|| self.radius(radius_at(edge, point)))
    }

    /// The colour of a node, as a curve would have it there.
    pub fn node(&self, skeletons: &[(i64, &Skeleton)], at: usize, node: &Node) -> Colour {
        match self.by {
            ColourBy::Radius => self.radius(node.radius),
            ColourBy::Label => self.class(skeletons[at].0),
            ColourBy::Level => LEVELS[0],
            ColourBy::Component => self.component(skeletons, at, Some(node)),
        }
    }

    fn component(&self, skeletons: &[(i64, &Skeleton)], at: usize, node: Option<&Node>) -> Colour {
        let before: i64 = skeletons[..at].iter().map(|(_, one)| components(one)).sum();
        self.class(before + node.map_or(0, |node| node.component.into()))
    }

    /// The colour of a class.
    pub fn class(&self, class: i64) -> Colour {
        if self.by == ColourBy::Level {
            return LEVELS[(class.max(0) as usize).min(LEVELS.len() - 1)];
        }
        let number = self.classes.partition_point(|&other| other < class);
        // the grey one is that of nothing
        let palette: Vec<_> = colorous::CATEGORY10
            .iter()
            .filter(|colour| colour.r != colour.g || colour.g != colour.b)
            .collect_or_unwind();
        let own = as_parts(*palette[number % palette.len()]);
        let row = ROWS[number / palette.len() % ROWS.len()];
        let goal = if row < 0.0 { 0.0 } else { 1.0 };
        own.map(|channel| channel + row.abs() * (goal - channel))
    }

    /// The colour of a radius.
    pub fn radius(&self, radius: f64) -> Colour {
        let part = match self.radii {
            Some([least, most]) if most > least => (radius - least) / (most - least),
            _ => 0.5,
        };
        let part = if part.is_finite() { part } else { 0.0 };
        as_parts(colorous::PLASMA.eval_continuous(OF_MAP * part.clamp(0.0, 1.0)))
    }
}

/// The colour of a critical point, which stands out.
pub fn critical(kind: NodeKind) -> Option<Colour> {
    match kind {
        NodeKind::Attracting => Some(ATTRACTING),
        NodeKind::Saddle { .. } | NodeKind::Repelling => Some(SADDLE),
        NodeKind::Junction | NodeKind::End => None,
    }
}

/// The radius at a point of an edge.
pub fn radius_at(edge: &Edge, point: usize) -> f64 {
    edge.radii.get(point).copied().unwrap_or(0.0)
}

/// As many components as the nodes name.
fn components(skeleton: &Skeleton) -> i64 {
    let numbers = skeleton.nodes.iter().map(|node| node.component);
    numbers.max().map_or(0, |last| i64::from(last) + 1)
}

/// The least and the greatest radius.
fn radii(skeletons: &[(i64, &Skeleton)]) -> Option<[f64; 2]> {
    let all = skeletons.iter().flat_map(|(_, one)| {
        let of_edges = one.edges.iter().flat_map(|edge| edge.radii.iter().copied());
        of_edges.chain(one.nodes.iter().map(|node| node.radius))
    });
    all.filter(|radius| radius.is_finite())
        .map(|radius| [radius; 2])
        .reduce(|[least, most], [radius, _]| [least.min(radius), most.max(radius)])
}

fn as_parts(colour: colorous::Color) -> Colour {
    colour
        .into_array()
        .map(|channel| f32::from(channel) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn bar(radii: [f64; 2], level: u8) -> Skeleton {
        let points = [0.0, 5.0].map(|x| Point3::new(x, 0.0, 0.0));
        let node = |k: usize| Node {
            kind: NodeKind::End,
            position: points[k],
            eigenvalues: None,
            radius: radii[k],
            component: 0,
        };
        Skeleton {
            nodes: vec![node(0), node(1)],
            edges: vec![Edge {
                nodes: [0, 1],
                points: points.to_vec(),
                radii: radii.to_vec(),
                level,
            }],
            ..Skeleton::default()
        }
    }

    #[test]
    fn one_is_coloured_by_radius_and_several_by_label() {
        let (one, two) = (bar([1.0, 3.0], 0), bar([2.0, 2.0], 1));
        let painter = Painter::new(&[(1, &one)], None);
        assert_eq!(
            (painter.by, painter.radii),
            (ColourBy::Radius, Some([1.0, 3.0]))
        );
        let both = [(7, &one), (-2, &two)];
        let painter = Painter::new(&both, None);
        assert_eq!(
            (painter.by, &painter.classes),
            (ColourBy::Label, &vec![-2, 7])
        );
        assert_ne!(painter.class(7), painter.class(-2));
        let levels = Painter::new(&both, Some(ColourBy::Level));
        assert_eq!(levels.classes, [0, 1]);
        let parts = Painter::new(&both, Some(ColourBy::Component));
        assert_eq!(parts.classes, [0, 1]);
        let colours = [0, 1].map(|at| parts.node(&both, at, &both[at].1.nodes[0]));
        assert_ne!(colours[0], colours[1]);
    }

    #[test]
    fn radii_have_the_colours_from_one_end_of_the_map_to_the_other() {
        let one = bar([1.0, 3.0], 0);
        let list = [(1, &one)];
        let painter = Painter::new(&list, None);
        let edge = painter.edge(&list, 0, &one.edges[0]);
        let map = |part: f64| as_parts(colorous::PLASMA.eval_continuous(OF_MAP * part));
        assert_eq!([edge(0), edge(1)], [map(0.0), map(1.0)]);
        assert_eq!(painter.radius(2.0), map(0.5));
        // of one radius, or what is none
        let flat = bar([2.0, 2.0], 0);
        assert_eq!(Painter::new(&[(1, &flat)], None).radius(2.0), map(0.5));
        assert_eq!(painter.radius(f64::NAN), map(0.0));
    }

    #[test]
    fn twenty_seven_labels_have_different_colours() {
        let one = bar([1.0, 1.0], 0);
        let many: Vec<_> = (1..=27).map(|label| (label, &one)).collect();
        let painter = Painter::new(&many, None);
        let mut colours: Vec<_> = (1..=27)
            .map(|label| painter.class(label).map(f32::to_bits))
            .collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), 27);
    }
}
