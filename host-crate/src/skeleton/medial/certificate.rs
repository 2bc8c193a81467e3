//! What holds of a component's curves, found on the result.

use super::{
    context::Known,
    curves::{
        coverage::{Cover, Reach},
        intermediate_graph::{Draft, Point},
        self_overlap::{self, Twice},
    },
    paths::{
        length_bound::Least,
        segment_voxels::{Place, cross, voxel_at},
        shorten::{longest_half, shortest_below},
    },
    progress::Stage,
    topology::{
        betti_numbers::Numbers,
        cocycle::{Cocycle, class_of},
        cycle_basis::CycleClasses,
        homology_classes::Class,
    },
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, with_capacity_or_unwind},
    monitor::Cancelled,
    parallel,
    union_find::UnionFind,
};

/// A component and everything that its curves are held to.
pub struct Judge<'a> {
    pub known: &'a Known<'a>,
    /// Triangles around which the classes of steps do not add up to zero.
    pub open_triangles: u64,
    pub numbers: Numbers,
    pub reach: Reach,
}

/// A property that does not hold. Places are in the component's frame, lengths in the smallest
/// spacing.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    Pieces(u64),
    Cycles(u64),
    Classes,
    Cocycle(u64),
    Cover {
        voxels: u64,
        at: [f64; 3],
    },
    Outside {
        edge: usize,
        segment: usize,
        at: Place,
    },
    ZeroLength {
        edge: usize,
        segment: usize,
    },
    Twice {
        edge: usize,
        at: Place,
    },
    Detour {
        edge: usize,
        length: f64,
        shortest: f64,
    },
}

/// What has been found.
pub struct Verdict {
    pub faults: Vec<Fault>,
    pub rank: u64,
    /// The distance to the surface of each node, and of each point of each edge, in the smallest
    /// spacing.
    pub node_radii: Vec<f64>,
    pub radii: Vec<Vec<f64>>,
}

impl Judge<'_> {
    /// Looks at everything.
    pub fn judge(&self, draft: &Draft, cocycle: &mut Cocycle) -> Result<Verdict, Cancelled> {
        let steps = self.known.steps;
        let nodes = &draft.nodes;
        let node_radii: Vec<f64> = parallel::collect(nodes.len(), 1 << 6, |range, radii| {
            radii.extend_or_unwind(nodes[range].iter().map(|&at| self.known.radius(at)));
        });
        let radii: Vec<Vec<f64>> = parallel::map(draft.edges.len(), |edge| {
            let edge = &draft.edges[edge];
            let mut radii: Vec<f64> = edge
                .points
                .iter()
                .map(|&at| self.known.radius(at))
                .collect_or_unwind();
            let last = radii.len() - 1;
            radii[0] = node_radii[edge.nodes[0]];
            radii[last] = node_radii[edge.nodes[1]];
            radii
        });
        steps.at(Stage::Certificate, 1, 4)?;
        let mut faults = Vec::new();
        self.pieces(draft, &mut faults);
        let classes = self.inside(draft, cocycle, &mut faults);
        let rank = self.classes(draft, cocycle, classes.as_deref(), &mut faults);
        steps.check()?;
        self.cover(draft, &node_radii, &radii, &mut faults);
        steps.at(Stage::Certificate, 2, 4)?;
        self.thin(draft, &mut faults);
        steps.at(Stage::Certificate, 3, 4)?;
        if let Some(classes) = classes {
            self.detours(draft, cocycle, &classes, &radii, &mut faults)?;
        }
        steps.done(Stage::Certificate)?;
        Ok(Verdict {
            faults,
            rank,
            node_radii,
            radii,
        })
    }

    fn pieces(&self, draft: &Draft, faults: &mut Vec<Fault>) {
        let mut sets = unwrap_or_unwind(UnionFind::<usize>::try_new(draft.nodes.len()));
        let mut pieces = draft.nodes.len();
        for edge in &draft.edges {
            pieces -= usize::from(sets.join(edge.nodes[0], edge.nodes[1]));
        }
        if pieces != 1 {
            faults.push_or_unwind(Fault::Pieces(pieces as u64));
        }
        let cycles = (draft.edges.len() + pieces - draft.nodes.len()) as u64;
        if cycles != self.numbers.tunnels {
            faults.push_or_unwind(Fault::Cycles(cycles));
        }
    }

    /// The class of each edge, as a way between voxels of its nodes; none if one leaves the
    /// component.
    fn inside(
        &self,
        draft: &Draft,
        cocycle: &mut Cocycle,
        faults: &mut Vec<Fault>,
    ) -> Option<Vec<Class>> {
        let before = faults.len();
        let mut classes = with_capacity_or_unwind(draft.edges.len());
        let mut way = Vec::new();
        for (number, edge) in draft.edges.iter().enumerate() {
            way.clear();
            let ends = edge
                .nodes
                .map(|node| voxel_at(self.known.object, draft.nodes[node]));
            way.extend_or_unwind(ends[0].map(|voxel| voxel as u32));
            for (segment, ends) in edge.points.windows(2).enumerate() {
                if !cross(self.known.object, ends[0], ends[1], &mut way) {
                    faults.push_or_unwind(Fault::Outside {
                        edge: number,
                        segment,
                        at: ends[0],
                    });
                    break;
                }
            }
            way.extend_or_unwind(ends[1].map(|voxel| voxel as u32));
            if faults.len() == before {
                classes.push_or_unwind(class_of(cocycle, self.known.object, &way));
            }
        }
        (faults.len() == before).then_some(classes)
    }

    /// The rank of the cycles.
    fn classes(
        &self,
        draft: &Draft,
        cocycle: &Cocycle,
        classes: Option<&[Class]>,
        faults: &mut Vec<Fault>,
    ) -> u64 {
        if self.open_triangles > 0 {
            faults.push_or_unwind(Fault::Cocycle(self.open_triangles));
        }
        let Some(classes) = classes else {
            return 0;
        };
        let edges = draft.edges.iter().zip(classes);
        let edges = edges.map(|(edge, &class)| (edge.nodes, cocycle.table.bits(class)));
        let rank = CycleClasses::of(draft.nodes.len(), edges).rank() as u64;
        if rank != self.numbers.tunnels {
            faults.push_or_unwind(Fault::Classes);
        }
        rank
    }

    fn cover(
        &self,
        draft: &Draft,
        node_radii: &[f64],
        radii: &[Vec<f64>],
        faults: &mut Vec<Fault>,
    ) {
        let mut cover = Cover::new(self.known.object, self.known.metric);
        cover.add_draft(self.known, self.reach, draft, |point, _| match point {
            Point::Node(node) => node_radii[node],
            Point::Inner(edge, at) => radii[edge][at],
        });
        if cover.left() > 0 {
            let first = cover.bare().next();
            faults.push_or_unwind(Fault::Cover {
                voxels: cover.left() as u64,
                at: self.known.object.place(first.unwrap_or(0)).map(f64::from),
            });
        }
    }

    /// No segment without length, and no place twice.
    fn thin(&self, draft: &Draft, faults: &mut Vec<Fault>) {
        for (number, edge) in draft.edges.iter().enumerate() {
            for (segment, ends) in edge.points.windows(2).enumerate() {
                if ends[0] == ends[1] {
                    faults.push_or_unwind(Fault::ZeroLength {
                        edge: number,
                        segment,
                    });
                }
            }
        }
        if let Some(Twice {
            edges, segments, ..
        }) = self_overlap::first(self.known, draft)
        {
            faults.push_or_unwind(Fault::Twice {
                edge: edges[1],
                at: draft.edges[edges[0]].points[segments[0]],
            });
        }
    }

    /// No edge that goes far round.
    fn detours(
        &self,
        draft: &Draft,
        cocycle: &mut Cocycle,
        classes: &[Class],
        radii: &[Vec<f64>],
        faults: &mut Vec<Fault>,
    ) -> Result<(), Cancelled> {
        let mut least = Least::new(self.known);
        for (number, edge) in draft.edges.iter().enumerate() {
            let length = self.known.length(&edge.points);
            let radius = radii[number].iter().fold(0.0, |a: f64, &b| a.max(b));
            let ends = edge
                .nodes
                .map(|node| voxel_at(self.known.object, draft.nodes[node]));
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            let [a, b] = edge.nodes.map(|node| draft.nodes[node]);
            let straight = self.known.distance(a, b);
            if straight >= longest_half(length, radius) {
                continue;
            }
            let found = shortest_below(
                self.known,
                cocycle,
                &mut least,
                [from, to],
                classes[number],
                longest_half(length, radius),
            )?;
            if let Some((shortest, _)) = found {
                faults.push_or_unwind(Fault::Detour {
                    edge: number,
                    length,
                    shortest: shortest.max(straight),
                });
            }
        }
        Ok(())
    }
}
