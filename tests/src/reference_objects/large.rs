//! Objects of realistic size: vessels, an atlas, bones.

use super::{Axis, Grid, ReferenceObject, Tubes};
use crate::noise::Noise;
use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Vector3};

/// Sites of a lattice, and the component that occupies each.
struct LatticeSites {
    along: [usize; 3],
    owner: Vec<Option<usize>>,
}

impl LatticeSites {
    fn neighbours(&self, site: usize) -> impl Iterator<Item = usize> {
        let [nx, ny, nz] = self.along;
        let position = [site % nx, site / nx % ny, site / (nx * ny)];
        let steps = [1, nx, nx * ny];
        (0..3).flat_map(move |k| {
            let down = (position[k] > 0).then(|| site - steps[k]);
            let up = (position[k] + 1 < [nx, ny, nz][k]).then(|| site + steps[k]);
            [down, up].into_iter().flatten()
        })
    }

    /// Grows a connected component of `size` sites, starting at a free one.
    fn grow_component(&mut self, owner: usize, size: usize, noise: &mut Noise) -> Vec<usize> {
        let mut component_sites = Vec::new();
        let start = loop {
            let site = noise.below(self.owner.len() as u64) as usize;
            if self.owner[site].is_none() {
                break site;
            }
        };
        let mut frontier = vec![start];
        while component_sites.len() < size && !frontier.is_empty() {
            let site = frontier.swap_remove(noise.below(frontier.len() as u64) as usize);
            if self.owner[site].is_none() {
                self.owner[site] = Some(owner);
                component_sites.push(site);
                frontier.extend(self.neighbours(site));
            }
        }
        component_sites
    }
}

const PITCH: f64 = 24.0;

/// Creates a network of bent tubes resembling the vessels of an animal: 110 components, most of
/// them short, 67 tunnels, radii up to 3, in 470 × 500 × 136 voxels, of which one per cent are in
/// the object.
pub fn vessels(seed: u64) -> ReferenceObject {
    let mut noise = Noise(seed);
    let along = [19, 20, 5];
    let mut sites = LatticeSites {
        along,
        owner: vec![None; 19 * 20 * 5],
    };
    // five large components with tunnels, some trees, and 80 single tubes
    let tunnels = [30, 17, 10, 6, 4];
    let sizes = [230, 130, 80, 60, 40].into_iter();
    let sizes = sizes
        .chain([12; 10])
        .chain([5; 15])
        .chain([1; 80])
        .collect::<Vec<_>>();
    let mut tubes = Tubes::default();
    let mut components = 0;
    for (number, &size) in sizes.iter().enumerate() {
        let component_sites = sites.grow_component(number, size, &mut noise);
        let node = |site: usize, noise: &mut Noise| {
            let position = [site % 19, site / 19 % 20, site / (19 * 20)].map(|c| c as f64 + 0.5);
            let moved = Vector3::from_fn(|_, _| noise.between(-2.0, 2.0));
            Point3::from(Vector3::from(position) * PITCH + moved)
        };
        components += 1;
        if component_sites.len() == 1 {
            let from = node(component_sites[0], &mut noise);
            let to = from + noise.direction() * noise.between(2.0, 7.0);
            let radius = noise.between(0.6, 2.2);
            tubes.axes.push(Axis::straight(from, to, radius));
            continue;
        }
        let positions: Vec<_> = component_sites
            .iter()
            .map(|&site| node(site, &mut noise))
            .collect();
        let more = tunnels.get(number).copied().unwrap_or(0);
        let mut node_degree_and_radius = vec![(0, 0.0f64); positions.len()];
        for [a, b] in links(&sites, &component_sites, more, &mut noise) {
            let radius = noise.between(0.8, 3.0);
            for node in [a, b] {
                let (degree, max_radius) = node_degree_and_radius[node];
                node_degree_and_radius[node] = (degree + 1, max_radius.max(radius));
            }
            tubes
                .axes
                .push(bent_tube([positions[a], positions[b]], radius, &mut noise));
        }
        // the voxels of tubes that meet may leave holes
        let meeting = node_degree_and_radius
            .iter()
            .zip(&positions)
            .filter(|((degree, _), _)| *degree > 1);
        let balls = meeting.map(|((_, max_radius), &position)| (position, 1.2 * max_radius + 1.0));
        tubes.balls.extend(balls);
    }
    let reference = tubes.voxelize("vessels", seed, Grid::unit());
    centre_in(reference, [470, 500, 136]).with_betti(components, 67, 0)
}

/// Returns links between the sites of a component that connect all of them and close the given
/// number of cycles.
fn links(
    sites: &LatticeSites,
    component_sites: &[usize],
    cycles: usize,
    noise: &mut Noise,
) -> Vec<[usize; 2]> {
    let site_index = |site: usize| {
        component_sites
            .iter()
            .position(|&candidate| candidate == site)
    };
    let mut all = Vec::new();
    for (index, &site) in component_sites.iter().enumerate() {
        let others = sites.neighbours(site).filter_map(site_index);
        all.extend(
            others
                .filter(|&other| other > index)
                .map(|other| [index, other]),
        );
    }
    for last in (1..all.len()).rev() {
        all.swap(last, noise.below(last as u64 + 1) as usize);
    }
    let mut set: Vec<usize> = (0..component_sites.len()).collect();
    let (mut chosen, mut closed) = (Vec::new(), 0);
    for [a, b] in all {
        let (from, to) = (set[a], set[b]);
        if from != to {
            set.iter_mut().filter(|p| **p == from).for_each(|p| *p = to);
        } else if closed < cycles {
            closed += 1;
        } else {
            continue;
        }
        chosen.push([a, b]);
    }
    assert_eq!(closed, cycles, "the component has room for its cycles");
    chosen
}

/// Returns a curve between two points that deviates by up to 2 from the straight line.
fn bent_tube([a, b]: [Point3<f64>; 2], radius: f64, noise: &mut Noise) -> Axis {
    let middle = Point3::from((a.coords + b.coords) / 2.0);
    let middle = middle + noise.direction() * noise.between(0.0, 4.0);
    let at = |t: f64| {
        let (one, two) = (a + (middle - a) * t, middle + (b - middle) * t);
        one + (two - one) * t
    };
    Axis {
        points: (0..=8).map(|n| at(n as f64 / 8.0)).collect(),
        radius,
    }
}

/// Centres an object in a volume of the given dimensions, into which it must fit.
fn centre_in(mut reference: ReferenceObject, dims: [usize; 3]) -> ReferenceObject {
    let object_dims = reference.voxels.dims();
    let margin = [0, 1, 2].map(|k| (dims[k] as i64 - object_dims[k] as i64) / 2);
    let geometry = reference.voxels.geometry().shifted(margin.map(|n| -n));
    let placed = Volume::from_fn(dims, geometry, |x, y, z| {
        let at = [x, y, z].map(|c| c as i64);
        let at = [0, 1, 2].map(|k| usize::try_from(at[k] - margin[k]).unwrap_or(usize::MAX));
        reference.voxels.get(at).unwrap_or(0)
    });
    reference.voxels = placed.expect("a size");
    reference
}

/// Creates a segmentation of 181 × 217 × 181 voxels with labels 1 to 116: an ellipsoid divided into
/// cells with wavy boundaries. No ground truth is given for the labels.
pub fn atlas(seed: u64) -> ReferenceObject {
    const LABELS: usize = 116;
    let dims = [181usize, 217, 181];
    let middle = dims.map(|n| (n as f64 - 1.0) / 2.0);
    let half = [70.0, 88.0, 70.0];
    let depth = |p: [f64; 3]| -> f64 {
        let squared = |k: usize| ((p[k] - middle[k]) / half[k]).powi(2);
        squared(0) + squared(1) + squared(2)
    };
    let mut noise = Noise(seed);
    let mut seeds: Vec<[f64; 3]> = Vec::new();
    while seeds.len() < LABELS {
        let next = [0, 1, 2].map(|k| middle[k] + half[k] * noise.between(-1.0, 1.0));
        let far = |one: &[f64; 3]| {
            let squared: f64 = (0..3).map(|k| (one[k] - next[k]).powi(2)).sum();
            squared > 12.0 * 12.0
        };
        if depth(next) < 0.95 && seeds.iter().all(far) {
            seeds.push(next);
        }
    }
    let wave = |a: f64, b: f64| 4.0 * (0.23 * a + 0.11 * b).sin() + 2.5 * (0.41 * b).cos();
    let voxels = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        let p = [x, y, z].map(|c| c as f64);
        // gaps like the folds of a brain
        let fold = (0.30 * p[0] + 2.0 * (0.13 * p[1]).sin()).sin() * (0.27 * p[2]).cos();
        if depth(p) > 1.0 - 0.18 * fold.max(0.0) {
            return 0;
        }
        let moved = [
            p[0] + wave(p[1], p[2]),
            p[1] + wave(p[2], p[0]),
            p[2] + wave(p[0], p[1]),
        ];
        let squared = |one: &[f64; 3]| -> f64 { (0..3).map(|k| (one[k] - moved[k]).powi(2)).sum() };
        let nearest =
            (0..LABELS).min_by(|&a, &b| squared(&seeds[a]).total_cmp(&squared(&seeds[b])));
        nearest.map_or(0, |label| label as u8 + 1)
    });
    ReferenceObject::without_ground_truth("atlas of 116 labels", seed, voxels.expect("a size"))
}

/// Creates five fingers of four bones each: hollow, thicker at their ends, with six holes through
/// the wall of each. 20 components with 5 tunnels each.
pub fn digits(seed: u64) -> ReferenceObject {
    let mut noise = Noise(seed);
    struct Bone {
        ends: [Vector3<f64>; 2],
        radius: f64,
        holes: Vec<(f64, Vector3<f64>)>,
    }
    let mut bones = Vec::new();
    for finger in 0..5 {
        let spread = (f64::from(finger) - 2.0) * 0.16;
        let along = Vector3::new(spread.sin(), spread.cos(), 0.0);
        let mut from = Vector3::new(f64::from(finger) * 24.0, 0.0, 8.0) + along * 8.0;
        for bone in 0..4 {
            let radius = 6.0 - 0.5 * f64::from(bone);
            let length = 38.0 - 6.0 * f64::from(bone);
            let lift = Vector3::new(0.0, 0.0, noise.between(-2.0, 2.0));
            let to = from + along * length + lift;
            let across = (to - from).cross(&Vector3::z()).normalize();
            let up = (to - from).cross(&across).normalize();
            // spread apart, so that they do not touch
            let holes = (0..6).map(|n| {
                let part = 0.15 + 0.14 * f64::from(n);
                let angle = 2.4 * f64::from(n) + noise.between(-0.2, 0.2);
                (part, across * angle.cos() + up * angle.sin())
            });
            bones.push(Bone {
                ends: [from, to],
                radius,
                holes: holes.collect(),
            });
            from = to + along * (2.0 * radius + 6.0);
        }
    }
    let corner = |upper: bool| {
        let points = bones.iter().flat_map(|bone| bone.ends);
        points
            .reduce(|a, b| if upper { a.sup(&b) } else { a.inf(&b) })
            .expect("there are bones")
    };
    let margin = Vector3::repeat(12.0);
    let low = corner(false) - margin;
    let dims = (corner(true) + margin - low).map(|n| n.ceil() as usize);
    let geometry = Geometry::new(nalgebra::Matrix3::identity(), low).expect("a position");
    let is_in = |bone: &Bone, p: Vector3<f64>| {
        let [a, b] = bone.ends;
        let along = b - a;
        let part = ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        let out = p - (a + along * part);
        let thick = bone.radius * (0.8 + 0.8 * (part - 0.5).powi(2));
        let wall = (thick - 2.6..=thick).contains(&out.norm());
        let pierced = bone.holes.iter().any(|(at, direction)| {
            let from = p - (a + along * *at);
            let far = from.dot(direction);
            far > 0.0 && (from - direction * far).norm() <= 1.6
        });
        wall && !pierced
    };
    let mut voxels =
        Volume::from_fn([dims.x, dims.y, dims.z], geometry, |_, _, _| 0u8).expect("a size");
    for bone in &bones {
        let reach = Vector3::repeat(bone.radius + 2.0);
        let [a, b] = bone.ends;
        let first = (a.inf(&b) - reach - low).map(|c| c.floor() as usize);
        let last = (a.sup(&b) + reach - low).map(|c| c.ceil() as usize);
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    let p = low + Vector3::new(x as f64, y as f64, z as f64);
                    if is_in(bone, p) {
                        voxels.samples_mut()[x + dims.x * (y + dims.y * z)] = 1;
                    }
                }
            }
        }
    }
    ReferenceObject::without_ground_truth("bones with holes", seed, voxels).with_betti(20, 100, 0)
}
