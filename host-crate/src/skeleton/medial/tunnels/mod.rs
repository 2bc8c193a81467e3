//! Filling of thin tunnels.
//!
//! A tunnel is closed where it is narrowest, by the hole closing of Aktouf, Bertrand and Perroton
//! (2002): the bounding box starts as object, and voxels of the background are removed from it,
//! farthest from the component first, unless a removal would create a tunnel. The voxels that
//! remain close the tunnels of the component; nothing else changes. Thicker tunnels stay, because
//! the positions of a ball that fits into the background are removed unconditionally.
//!
//! | stage | module |
//! | --- | --- |
//! | bits of the padded bounding box | `bit_box` |
//! | digital balls and offsets by distance | `digital_ball` |
//! | removal of the background voxels | `removal` |

mod bit_box;
mod digital_ball;
mod removal;

use super::voxels::runs::{Run, Runs};
use bit_box::BitBox;
use digital_ball::DigitalBall;
use removal::BackgroundRemoval;

/// Maximum thickness of tunnels that can be filled, in voxels.
pub const MAX_THICKNESS: u32 = 32;

/// Fills the tunnels of a component that are at most `thickness` voxels thick: through which no
/// ball of `thickness + 1` voxels in diameter passes. Returns the runs of the component and of the
/// added voxels, or `None` if no voxel is added. Unwinds if memory runs out.
///
/// `volume_runs` are the runs of all components. Voxels of other components are never added, nor
/// those that touch another component of the same label. The numbers of components and cavities do
/// not change.
///
/// Memory is about one byte per voxel of the bounding box. Time is linear in the box, multiplied by
/// the square of `thickness`, with 32 voxels per operation, plus O(n log n) for n background voxels
/// within half of the diameter of the object.
pub fn fill_tunnels(component: &[Run], volume_runs: &Runs, thickness: u32) -> Option<Vec<Run>> {
    let ball = DigitalBall::new(thickness + 1);
    let solid = BitBox::from_runs(component, ball.diameter() + 1);
    let centres = solid.dilated(&ball.reflected()).complement();
    let mut open = centres.dilated(&ball.core());
    drop(centres);
    open.add_padding();
    add_other_components(&mut open, &solid, component[0].label, volume_runs);
    let removal = BackgroundRemoval::new(&solid, open)?;
    let mut filled = removal.remaining_voxels(&ball)?;
    filled.unite(&solid);
    Some(filled.to_runs(component[0].label))
}

/// Adds the voxels of other components to the open background, and those that touch another
/// component of the label.
fn add_other_components(open: &mut BitBox, solid: &BitBox, label: i64, volume_runs: &Runs) {
    let mut others = solid.empty();
    let mut same_label = solid.empty();
    for [y, z] in solid.volume_rows() {
        for run in volume_runs.row(y, z) {
            others.set_run(run);
            if run.label == label {
                same_label.set_run(run);
            }
        }
    }
    same_label.subtract(solid);
    // most components have their bounding box to themselves
    if !same_label.is_empty() {
        others.unite(&same_label.dilated(&DigitalBall::cube()));
    }
    others.subtract(solid);
    open.unite(&others);
}
