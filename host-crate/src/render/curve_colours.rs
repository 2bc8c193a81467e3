//! Colours of curves.

use crate::graph::{Edge, Node, NodeKind, Skeleton};
use crate::memory::CollectOrUnwind;

/// Quantity that determines the colours of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColourBy {
    /// Distance to the surface: from dark blue for the smallest to orange for the largest, on a
    /// perceptually uniform colour map.
    Radius,
    /// Label, in 27 easily distinguishable colours, which repeat.
    Label,
    /// Level of the hierarchy: red for 0, blue for 1, green for 2.
    Level,
    /// Component of the object, in the colours of labels.
    Component,
}

/// sRGB colour with channels from 0 to 1.
pub type Colour = [f32; 3];

/// Colours of the levels; higher levels have the last one.
const LEVELS: [Colour; 3] = [
    [0.69, 0.125, 0.157],
    [0.094, 0.337, 0.62],
    [0.141, 0.502, 0.275],
];

/// Colour of attracting critical points.
const ATTRACTING: Colour = [0.157, 0.047, 0.078];
/// Colour of saddles and repelling critical points.
const SADDLE: Colour = [0.933, 0.627, 0.157];

/// Fraction of the colour map that is used: the rest is as bright as the background.
const MAP_FRACTION: f64 = 0.8;

/// Brightness of each repetition of the palette: darker if negative, brighter if positive.
const BRIGHTNESS: [f32; 3] = [0.0, -0.4, 0.3];

/// Colours of the curves of some skeletons.
pub struct ColourMap {
    pub by: ColourBy,
    /// Smallest and largest radius, if there are radii.
    pub radii: Option<[f64; 2]>,
    /// Sorted labels, levels or components that have a colour.
    pub classes: Vec<i64>,
}

impl ColourMap {
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
            // Components are numbered within a label.
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

    /// Returns the colours of the points of an edge of skeleton number `at`.
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

    /// Returns the colour of a node, which is that of a curve at its position.
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

    /// Returns the colour of a class.
    pub fn class(&self, class: i64) -> Colour {
        if self.by == ColourBy::Level {
            return LEVELS[(class.max(0) as usize).min(LEVELS.len() - 1)];
        }
        let number = self.classes.partition_point(|&other| other < class);
        // The grey colour of the palette is left out: it looks like the object.
        let palette: Vec<_> = colorous::CATEGORY10
            .iter()
            .filter(|colour| colour.r != colour.g || colour.g != colour.b)
            .collect_or_unwind();
        let own = as_parts(*palette[number % palette.len()]);
        let brightness = BRIGHTNESS[number / palette.len() % BRIGHTNESS.len()];
        let goal = if brightness < 0.0 { 0.0 } else { 1.0 };
        own.map(|channel| channel + brightness.abs() * (goal - channel))
    }

    /// Returns the colour of a radius.
    pub fn radius(&self, radius: f64) -> Colour {
        let part = match self.radii {
            Some([min, max]) if max > min => (radius - min) / (max - min),
            _ => 0.5,
        };
        let part = if part.is_finite() { part } else { 0.0 };
        as_parts(colorous::PLASMA.eval_continuous(MAP_FRACTION * part.clamp(0.0, 1.0)))
    }
}

/// Returns the highlight colour of a critical point.
pub fn critical(kind: NodeKind) -> Option<Colour> {
    match kind {
        NodeKind::Attracting => Some(ATTRACTING),
        NodeKind::Saddle { .. } | NodeKind::Repelling => Some(SADDLE),
        NodeKind::Junction | NodeKind::End => None,
    }
}

/// Returns the radius at a point of an edge.
pub fn radius_at(edge: &Edge, point: usize) -> f64 {
    edge.radii.get(point).copied().unwrap_or(0.0)
}

/// Returns the number of components.
fn components(skeleton: &Skeleton) -> i64 {
    let numbers = skeleton.nodes.iter().map(|node| node.component);
    numbers.max().map_or(0, |last| i64::from(last) + 1)
}

/// Returns the smallest and the largest radius.
fn radii(skeletons: &[(i64, &Skeleton)]) -> Option<[f64; 2]> {
    let all = skeletons.iter().flat_map(|(_, one)| {
        let edge_radii = one.edges.iter().flat_map(|edge| edge.radii.iter().copied());
        edge_radii.chain(one.nodes.iter().map(|node| node.radius))
    });
    all.filter(|radius| radius.is_finite())
        .map(|radius| [radius; 2])
        .reduce(|[min, max], [radius, _]| [min.min(radius), max.max(radius)])
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
                section_areas: Vec::new(),
                level,
            }],
            ..Skeleton::default()
        }
    }

    #[test]
    fn default_colour_is_radius_for_one_label_and_label_for_many() {
        let (one, two) = (bar([1.0, 3.0], 0), bar([2.0, 2.0], 1));
        let painter = ColourMap::new(&[(1, &one)], None);
        assert_eq!(
            (painter.by, painter.radii),
            (ColourBy::Radius, Some([1.0, 3.0]))
        );
        let both = [(7, &one), (-2, &two)];
        let painter = ColourMap::new(&both, None);
        assert_eq!(
            (painter.by, &painter.classes),
            (ColourBy::Label, &vec![-2, 7])
        );
        assert_ne!(painter.class(7), painter.class(-2));
        let levels = ColourMap::new(&both, Some(ColourBy::Level));
        assert_eq!(levels.classes, [0, 1]);
        let parts = ColourMap::new(&both, Some(ColourBy::Component));
        assert_eq!(parts.classes, [0, 1]);
        let colours = [0, 1].map(|at| parts.node(&both, at, &both[at].1.nodes[0]));
        assert_ne!(colours[0], colours[1]);
    }

    #[test]
    fn radii_span_the_colour_map() {
        let one = bar([1.0, 3.0], 0);
        let list = [(1, &one)];
        let painter = ColourMap::new(&list, None);
        let edge = painter.edge(&list, 0, &one.edges[0]);
        let map = |part: f64| as_parts(colorous::PLASMA.eval_continuous(MAP_FRACTION * part));
        assert_eq!([edge(0), edge(1)], [map(0.0), map(1.0)]);
        assert_eq!(painter.radius(2.0), map(0.5));
        // A single radius has the middle colour, and NaN the first one.
        let flat = bar([2.0, 2.0], 0);
        assert_eq!(ColourMap::new(&[(1, &flat)], None).radius(2.0), map(0.5));
        assert_eq!(painter.radius(f64::NAN), map(0.0));
    }

    #[test]
    fn twenty_seven_labels_have_different_colours() {
        let one = bar([1.0, 1.0], 0);
        let many: Vec<_> = (1..=27).map(|label| (label, &one)).collect();
        let painter = ColourMap::new(&many, None);
        let mut colours: Vec<_> = (1..=27)
            .map(|label| painter.class(label).map(f32::to_bits))
            .collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), 27);
    }
}
