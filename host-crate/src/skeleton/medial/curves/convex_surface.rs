//! Convex parts of a component's surface.

use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        voxels::row_index::{ceil, floor},
    },
};

/// Radius of the ball in which voxels are counted, in units of the smallest spacing.
const BALL_RADIUS: f64 = 4.0;

/// Largest fraction of a ball around a surface voxel that lies in the component where the surface
/// is convex: one tenth below the fraction 0.594 at a plane.
const MAX_CONVEX_FRACTION: f64 = 0.535;

/// Returns the surface voxels with the fewest component voxels in a ball around them (an integral
/// invariant; Manay et al. 2006): a `fraction` of all surface voxels, except where the surface is
/// not clearly convex.
pub fn most_convex_voxels(context: &ComponentContext<'_>, fraction: f64) -> Vec<u32> {
    let object = context.object;
    let surface = object.surface_voxels();
    let selected_count = (fraction * surface.len() as f64) as usize;
    if selected_count == 0 {
        return Vec::new();
    }
    let ball = BallRows::new(context);
    let counts: Vec<u32> = parallel::collect(surface.len(), 1 << 6, |range, counts| {
        let voxels = surface[range].iter();
        counts.extend_or_unwind(voxels.map(|voxel| ball.count(context, voxel.position)));
    });
    let mut sorted = copy_or_unwind(&counts);
    sorted.sort_unstable();
    let limit =
        sorted[selected_count - 1].min((MAX_CONVEX_FRACTION * f64::from(ball.voxels)) as u32);
    let candidates = surface.into_iter().zip(counts);
    candidates
        .filter(|&(_, selected_count)| selected_count <= limit)
        .map(|(voxel, _)| voxel.voxel)
        .collect_or_unwind()
}

/// Rows of a ball around a voxel.
struct BallRows {
    /// For each plane offset, the rows of the ball: y, smallest x and largest x.
    planes: Vec<(i32, Vec<[i32; 3]>)>,
    /// Number of voxels of the ball.
    voxels: u32,
}

impl BallRows {
    /// Rasterises the ball.
    fn new(context: &ComponentContext<'_>) -> Self {
        let u = context.metric.upper();
        let mut ball = Self {
            planes: Vec::new(),
            voxels: 0,
        };
        let last = floor(BALL_RADIUS / u[2][2]);
        for z in -last..=last {
            let height = u[2][2] * f64::from(z);
            let squared_section = BALL_RADIUS * BALL_RADIUS - height * height;
            let (half, shift) = (squared_section.max(0.0).sqrt(), u[1][2] * f64::from(z));
            let mut rows = Vec::new();
            for y in ceil((-half - shift) / u[1][1])..=floor((half - shift) / u[1][1]) {
                let across = u[1][1] * f64::from(y) + shift;
                let half = (squared_section - across * across).max(0.0).sqrt();
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

    /// Returns the number of component voxels in the ball around a position.
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
