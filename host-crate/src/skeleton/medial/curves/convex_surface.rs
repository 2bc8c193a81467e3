//! Where the surface of a component is curved outwards.

use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        voxels::row_index::{ceil, floor},
    },
};

/// The radius of the balls in which voxels are counted, in the smallest spacing.
const BALL_RADIUS: f64 = 4.0;

/// So much of a ball around a voxel of the surface is in the object where the surface is curved
/// outwards: a tenth less than 0.594, which is so at a plane.
const MAX_CONVEX_FRACTION: f64 = 0.535;

/// The voxels of the surface that have the fewest voxels of the component around them, in a ball: a
/// part of all, but none where the surface is not clearly curved outwards (Manay et al. 2006 call
/// the count an integral invariant).
pub fn most_convex_voxels(context: &ComponentContext<'_>, fraction: f64) -> Vec<u32> {
    let object = context.object;
    let surface = object.surface_voxels();
    let count = (fraction * surface.len() as f64) as usize;
    if count == 0 {
        return Vec::new();
    }
    let ball = BallRows::new(context);
    let counts: Vec<u32> = parallel::collect(surface.len(), 1 << 6, |range, counts| {
        let voxels = surface[range].iter();
        counts.extend_or_unwind(voxels.map(|voxel| ball.count(context, voxel.position)));
    });
    let mut sorted = copy_or_unwind(&counts);
    sorted.sort_unstable();
    let limit = sorted[count - 1].min((MAX_CONVEX_FRACTION * f64::from(ball.voxels)) as u32);
    let both = surface.into_iter().zip(counts);
    both.filter(|&(_, count)| count <= limit)
        .map(|(voxel, _)| voxel.voxel)
        .collect_or_unwind()
}

/// The rows of a ball around a voxel.
struct BallRows {
    /// For each plane its rows: y, the least x and the greatest.
    planes: Vec<(i32, Vec<[i32; 3]>)>,
    /// All of its voxels.
    voxels: u32,
}

impl BallRows {
    fn new(context: &ComponentContext<'_>) -> Self {
        let u = context.metric.upper();
        let mut ball = Self {
            planes: Vec::new(),
            voxels: 0,
        };
        let last = floor(BALL_RADIUS / u[2][2]);
        for z in -last..=last {
            let far = u[2][2] * f64::from(z);
            let rest = BALL_RADIUS * BALL_RADIUS - far * far;
            let (half, shift) = (rest.max(0.0).sqrt(), u[1][2] * f64::from(z));
            let mut rows = Vec::new();
            for y in ceil((-half - shift) / u[1][1])..=floor((half - shift) / u[1][1]) {
                let across = u[1][1] * f64::from(y) + shift;
                let half = (rest - across * across).max(0.0).sqrt();
                let shift = u[0][1] * f64::from(y) + u[0][2] * f64::from(z);
                let low = ceil((-half - shift) / u[0][0]);
                let high = floor((half - shift) / u[0][0]);
                if low <= high {
                    rows.push_or_unwind([y, low, high]);
                    ball.voxels += (high - low + 1) as u32;
                }
            }
            ball.planes.push_or_unwind((z, rows));
        }
        ball
    }

    /// How many voxels of the component are in the ball around a voxel.
    fn count(&self, context: &ComponentContext<'_>, [x, y, z]: [i32; 3]) -> u32 {
        let object = context.object;
        let mut count = 0;
        for (dz, rows) in &self.planes {
            let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
                continue;
            };
            let between = [y + first[0], y + last[0]];
            for row in object.rows_between(z + dz, between) {
                let [row_y, _] = object.row_position(row);
                let [_, low, high] = rows[(row_y - between[0]) as usize];
                count += object.count_between(row, x + low, x + high);
            }
        }
        count
    }
}
