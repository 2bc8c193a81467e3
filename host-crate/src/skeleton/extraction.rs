//! From a solid to its skeleton.

use super::{
    Certificate, ClassCounts, Classes, Execution, Levels, NodeKind, Skeleton, SkeletonError,
    SkeletonParams, SolidComponents, classify,
    clusters::{Chosen, apart, clusters},
    components,
    critical::{Density, Search, candidates, with_neighbours},
    field::{ForceField, force_field_by},
    fill_cavities, levels,
    radii::Radii,
    trace::{Growth, Inside, REACHED, paths},
};
use crate::{
    device::Stream,
    distance::{SiteMask, SitePoints},
};
use nalgebra::Point3;
use std::time::{Duration, Instant};

/// A skeleton, and what is known about how it was made.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// For each component of the solid whether all of its critical points have been found.
    pub certificate: Vec<Certificate>,
    /// How many voxels there are of each class.
    pub counts: ClassCounts,
    /// How long each stage took.
    pub timings: Vec<(&'static str, Duration)>,
}

/// How far from a saddle, in voxels, a curve begins.
const FIRST_STEP: f64 = 0.25;

/// A curve of level 2 is kept if it is longer than the radius where it meets the skeleton, by this factor.
const PROTRUDES: f64 = 1.3;

/// Curves of level 2 begin no nearer to one another than this, in voxels: the size of what the curvature was measured in.
const TIPS_APART: f64 = 8.0;

/// Voxels this near to the skeleton, in voxels, are not apart from it.
const BESIDE: f64 = 2.0;

/// A curve of level 1 or 2 that would begin this near to the skeleton, in voxels, is left out.
const LEAST_BRANCH: f64 = 1.0;

/// A later round of the search for critical points begins at no more places than the voxels inside by this: so the search never takes much longer than the field.
const LATER_SHARE: u64 = 4;

/// And where there are few voxels, at no more than this.
const LEAST_LATER: u64 = 1 << 14;

/// The skeleton of a solid.
///
/// Work is proportional to the voxels inside times those of the surface: the rest is little. It takes about 60 bytes of device memory for each voxel inside, and
/// 5 for each of the grid. Waits for each of its stages.
///
/// ```
/// use ferrovox::{device::Device, distance::SiteMask, skeleton::{self, SkeletonParams}, volume::Geometry};
///
/// // a bar of 40 x 9 x 9 voxels: a curve along its middle
/// let bar: Vec<u8> = (0..44 * 13 * 13)
///     .map(|i| [i % 44, i / 44 % 13, i / 572])
///     .map(|[x, y, z]| u8::from((2..42).contains(&x) && (2..11).contains(&y) && (2..11).contains(&z)))
///     .collect();
/// let stream = Device::best().stream()?;
/// let bar = SiteMask::upload(&stream, &bar, [44, 13, 13], Geometry::default())?;
/// let found = skeleton::skeleton(&stream, &bar, &SkeletonParams::default())?;
/// assert!(found.certificate[0].balanced() && found.skeleton.is_connected());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SkeletonError`].
pub fn skeleton(
    stream: &Stream,
    solid: &SiteMask,
    params: &SkeletonParams,
) -> Result<Extraction, SkeletonError> {
    Ok(skeleton_by(Execution::alone(stream), solid, params)?.0)
}

/// The same with the force field by one or more devices; and that field, for others that want it. The solid is on the first.
///
/// # Errors
/// [`SkeletonError`].
pub fn skeleton_by(
    execution: Execution<'_>,
    solid: &SiteMask,
    params: &SkeletonParams,
) -> Result<(Extraction, ForceField), SkeletonError> {
    params.check()?;
    let stream = execution.first();
    let mut watch = Watch::new();
    let filled = match params.fill {
        true => Some(fill_cavities(stream, solid)?),
        false => None,
    };
    let solid = filled.as_ref().unwrap_or(solid);
    let pieces = components(stream, solid)?;
    if pieces.count() == 0 {
        let voxels = solid.grid.samples();
        return Err(SkeletonError::Empty { voxels });
    }
    let classes = classify(stream, solid, params.surface)?;
    watch.lap("classes");
    let field = force_field_by(execution, &classes, params)?;
    stream.synchronize()?;
    watch.lap("field");
    let sources = SitePoints::from_sites(stream, &classes.surface)?;
    let radii = Radii::new(stream, &classes)?;
    stream.synchronize()?;
    watch.lap("distances");
    let work = Work {
        stream,
        solid,
        params,
        pieces: &pieces,
        classes: &classes,
        field: &field,
        inside: Inside::new(stream, &field)?,
        radii,
        sources: &sources,
    };
    let (search, certificate) = work.critical_points()?;
    watch.lap("critical points");
    let mut skeleton = work.grown(&search, &mut watch)?;
    work.radii.measure(&mut skeleton)?;
    watch.lap("radii");
    let extraction = Extraction {
        skeleton,
        certificate,
        counts: classes.counts,
        timings: watch.laps,
    };
    Ok((extraction, field))
}

/// Says how long stages take.
struct Watch {
    since: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Watch {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            laps: Vec::new(),
        }
    }

    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.since));
        self.since = now;
    }
}

/// What stages after the field have in common.
struct Work<'a> {
    stream: &'a Stream,
    solid: &'a SiteMask,
    params: &'a SkeletonParams,
    pieces: &'a SolidComponents,
    classes: &'a Classes,
    field: &'a ForceField,
    inside: Inside,
    radii: Radii<'a>,
    sources: &'a SitePoints,
}

impl Work<'_> {
    /// Finds the critical points: in the cells where there may be one, and, as long as they do not add up to the Euler number of their component, more
    /// densely there and around.
    fn critical_points(&self) -> Result<(Search, Vec<Certificate>), SkeletonError> {
        let cells: Vec<[i64; 3]> = candidates(self.stream, self.field)?
            .into_iter()
            .map(|cell| cell.map(|at| at as i64))
            .collect();
        let mut search = Search::default();
        let mut certificate = Vec::new();
        let inside = self.classes.counts.boundary + self.classes.counts.interior;
        let most = (inside / LATER_SHARE).max(LEAST_LATER);
        let rounds = [(false, 1), (false, 2), (false, 3), (true, 2), (true, 4)];
        for (around, along) in rounds {
            let mut wanted = cells.clone();
            if !certificate.is_empty() {
                let unbalanced = |cell: &[i64; 3]| {
                    let corner = Point3::from(cell.map(|at| at as f64));
                    let piece = self.piece_of(&corner) as usize;
                    !Certificate::balanced(&certificate[piece])
                };
                wanted.retain(unbalanced);
            }
            if around {
                wanted = with_neighbours(&wanted);
                wanted.retain(|&cell| self.inside.has_all_corners(cell));
            }
            let places = wanted.len() as u64 * u64::from(along).pow(3);
            if !certificate.is_empty() && places > most {
                break;
            }
            let ask = (self.stream, self.sources, self.params.exponent);
            search.search(ask, &wanted, Density(along), |at| {
                self.inside.is_in_cell(at)
            })?;
            certificate = self.certificates(&search);
            if certificate.iter().all(Certificate::balanced) {
                break;
            }
        }
        search.sort();
        Ok((search, certificate))
    }

    fn certificates(&self, search: &Search) -> Vec<Certificate> {
        let mut kinds: Vec<Vec<NodeKind>> = vec![Vec::new(); self.pieces.count()];
        for point in &search.points {
            kinds[self.piece_of(&point.position) as usize].push(point.kind);
        }
        let euler = self.pieces.euler_numbers();
        let pairs = kinds.into_iter().zip(euler);
        pairs
            .map(|(kinds, &euler)| Certificate::of(kinds, euler))
            .collect()
    }

    /// The component of the voxel at some coordinates, if it is of the solid.
    fn label(&self, at: [f64; 3]) -> Option<u32> {
        // below 0 becomes 0
        self.pieces.label(at.map(|a| a.round() as usize))
    }

    /// Whether the voxel that a point is in is of the solid.
    fn is_of_solid(&self, at: &Point3<f64>) -> bool {
        self.label((*at).into()).is_some()
    }

    /// The component of the solid that a point is in, or that one of the voxels around it is of.
    fn piece_of(&self, at: &Point3<f64>) -> u32 {
        let corner = at.map(f64::floor);
        let around = (0..8).map(|k| [0, 1, 2].map(|axis| corner[axis] + f64::from(k >> axis & 1)));
        std::iter::once((*at).into())
            .chain(around)
            .find_map(|at| self.label(at))
            .unwrap_or(0)
    }

    /// The skeleton, level by level.
    fn grown(&self, search: &Search, watch: &mut Watch) -> Result<Skeleton, SkeletonError> {
        let mut growth = Growth::default();
        let mut starts = Vec::new();
        for point in &search.points {
            let node = growth.add_node(point.kind, point.position, Some(point.eigenvalues));
            for direction in point.leaving.iter().flatten() {
                starts.push((node, point.position + FIRST_STEP * direction));
                starts.push((node, point.position - FIRST_STEP * direction));
            }
        }
        self.grow(&mut growth, &starts, 0)?;
        watch.lap("core");
        if self.params.levels >= Levels::One {
            let low = levels::converging(self.stream, self.field, self.params)?;
            // where such voxels go on beyond the core they lead to a tip, and the curve begins there
            let beside = |one: &Chosen| growth.is_near(&one.point(), BESIDE);
            let found = clusters(&low, beside);
            let tips = found.iter().filter_map(|cluster| cluster.farthest);
            self.grow_from(&mut growth, tips.map(|one| one.point()).collect(), 1)?;
            let lowest = found.iter().map(|cluster| cluster.lowest.point());
            self.grow_from(&mut growth, lowest.collect(), 1)?;
            watch.lap("level 1");
        }
        if self.params.levels >= Levels::Two {
            let curved = levels::curved(self.stream, self.solid, self.classes, self.params)?;
            let found = clusters(&curved, |_| false);
            let lowest = found.iter().map(|cluster| cluster.lowest.point());
            let apart = apart(lowest, TIPS_APART);
            self.grow_tips(&mut growth, &apart)?;
            watch.lap("level 2");
        }
        let mut skeleton = growth.done(self.solid.geometry);
        self.name_components(&mut skeleton);
        Ok(skeleton)
    }

    /// Adds the ways that begin at some points, each beside a node. They end where they meet what was there before, and then one another.
    fn grow(
        &self,
        growth: &mut Growth,
        starts: &[(usize, Point3<f64>)],
        level: u8,
    ) -> Result<(), SkeletonError> {
        let places: Vec<_> = starts.iter().map(|&(_, at)| at).collect();
        let exponent = self.params.exponent;
        let ways = paths(
            self.stream,
            self.sources,
            exponent,
            &places,
            |path, points| {
                let last = points.last().expect("a way has points");
                growth.met(starts[path].0, last).is_some() || !self.is_of_solid(last)
            },
        )?;
        for (&(node, _), way) in starts.iter().zip(&ways) {
            // with Newton's law nothing attracts inside, and ways lead out between the surface voxels
            let inside = way.iter().take_while(|at| self.is_of_solid(at)).count();
            growth.add_path(node, &way[..inside], level);
        }
        Ok(())
    }

    /// Adds the ways that begin at seeds which are not beside the skeleton already.
    fn grow_from(
        &self,
        growth: &mut Growth,
        seeds: Vec<Point3<f64>>,
        level: u8,
    ) -> Result<(), SkeletonError> {
        let apart = |seed: &Point3<f64>| !growth.is_near(seed, LEAST_BRANCH);
        let seeds: Vec<_> = seeds.into_iter().filter(apart).collect();
        let starts: Vec<_> = seeds
            .into_iter()
            .map(|seed| (growth.add_node(NodeKind::End, seed, None), seed))
            .collect();
        self.grow(growth, &starts, level)
    }

    /// Adds the ways of level 2 that begin at seeds, those alone that are clearly longer than the solid is thick where they meet the skeleton: others say
    /// nothing but that there is a surface.
    fn grow_tips(&self, growth: &mut Growth, seeds: &[Point3<f64>]) -> Result<(), SkeletonError> {
        let exponent = self.params.exponent;
        let ways = paths(self.stream, self.sources, exponent, seeds, |_, points| {
            let last = points.last().expect("a way has points");
            growth.is_near(last, REACHED)
        })?;
        let ends = ways.iter().map(|way| way.last().expect("a way has points"));
        let thick = self.radii.at(ends)?;
        let axes = self.solid.geometry.axes();
        for (way, radius) in ways.iter().zip(thick) {
            let steps = way.windows(2).map(|two| (axes * (two[1] - two[0])).norm());
            if steps.sum::<f64>() > PROTRUDES * radius {
                let node = growth.add_node(NodeKind::End, way[0], None);
                growth.add_path(node, way, 2);
            }
        }
        Ok(())
    }

    /// Says of each node which component it is in, and gives those that have none one in their middle.
    fn name_components(&self, skeleton: &mut Skeleton) {
        let mut has_node = vec![false; self.pieces.count()];
        for node in &mut skeleton.nodes {
            node.component = self.piece_of(&node.position);
            has_node[node.component as usize] = true;
        }
        let middles = self.pieces.central_voxels();
        for (component, middle) in (0..).zip(middles) {
            if !has_node[component as usize] {
                skeleton.nodes.push(super::Node {
                    kind: NodeKind::End,
                    position: Point3::from(middle.map(f64::from)),
                    eigenvalues: None,
                    radius: 0.0,
                    component,
                });
            }
        }
    }
}
