//! Phantom of a standing human.

use super::{Capsule, capsules};
use crate::{
    device::{DeviceError, Stream},
    grid::DeviceVolume,
};

/// Height of the figure in voxels: the number of planes of the human volumes of Zhao et al. (2016).
pub const HUMAN_HEIGHT: usize = 487;

/// Width and depth of the bounding box of the figure, in units of a voxel along z.
const BOX_SIDE: f32 = 256.0;

/// Length over which limbs blend into the trunk, in units of a voxel along z.
const BLEND: f32 = 12.0;

/// Two end points and the radii there; x to the side, y to the front, z upwards, with x and y
/// relative to the axis of the figure.
type Part = ([f32; 3], [f32; 3], f32, f32);

/// Parts on the axis.
const MIDDLE: [Part; 3] = [
    // head, neck, trunk
    ([0.0, 4.0, 448.0], [0.0, 0.0, 456.0], 28.0, 30.0),
    ([0.0, -2.0, 400.0], [0.0, 0.0, 425.0], 18.0, 18.0),
    ([0.0, 0.0, 252.0], [0.0, 0.0, 375.0], 31.0, 31.0),
];

/// Parts of the right side, which are mirrored to the left.
const SIDE: [Part; 8] = [
    // the trunk's side, shoulder, upper arm, forearm, hand
    ([22.0, 0.0, 250.0], [28.0, -2.0, 366.0], 29.0, 30.0),
    ([18.0, 0.0, 380.0], [54.0, -3.0, 372.0], 19.0, 20.0),
    ([58.0, -3.0, 370.0], [72.0, -4.0, 290.0], 20.0, 18.0),
    ([72.0, -4.0, 290.0], [84.0, 4.0, 222.0], 18.0, 13.0),
    ([84.0, 4.0, 216.0], [87.0, 8.0, 186.0], 14.0, 10.0),
    // thigh, lower leg, foot
    ([25.0, 0.0, 240.0], [28.0, 2.0, 138.0], 34.0, 24.0),
    ([28.0, 2.0, 138.0], [30.0, -6.0, 30.0], 24.0, 15.0),
    ([30.0, -8.0, 16.0], [35.0, 28.0, 14.0], 14.0, 12.0),
];

/// Generates a standing human at isovalue 0, inside above, scaled from 256 x 256 x 487 voxels to
/// `dims` along each axis. The phantom replaces that of Zhao et al. (2016), which is not public,
/// and has a similar number of surface voxels:
///
/// | volume | Zhao et al. (2016) | this phantom |
/// | --- | --- | --- |
/// | 16 x 16 x 487 | 10,971 | 8,053 |
/// | 32 x 32 x 487 | 22,254 | 20,712 |
/// | 64 x 64 x 487 | 45,464 | 46,167 |
/// | 128 x 128 x 487 | 101,619 | 99,591 |
/// | 256 x 256 x 487 | 206,010 | 217,898 |
///
/// # Errors
/// The errors of an allocation.
pub fn human(stream: &Stream, dims: [usize; 3]) -> Result<DeviceVolume<f32>, DeviceError> {
    let capsule = |&(from, to, radius_from, radius_to): &Part| Capsule {
        ends: [from, to],
        radii: [radius_from, radius_to],
    };
    let mirrored = |part: &Part| {
        let mirror = |[x, y, z]: [f32; 3]| [-x, y, z];
        (mirror(part.0), mirror(part.1), part.2, part.3)
    };
    let sides = SIDE.iter().flat_map(|side| [*side, mirrored(side)]);
    let parts = MIDDLE.into_iter().chain(sides);
    let parts: Vec<Capsule> = parts.map(|part| capsule(&part)).collect();
    let extent = [BOX_SIDE, BOX_SIDE, HUMAN_HEIGHT as f32];
    let scale = [0, 1, 2].map(|k| extent[k] / dims[k].max(1) as f32);
    // Voxels are at the centres of their cells; the lowest plane is at z = 0.
    let first = [0, 1].map(|k| scale[k] * 0.5 - BOX_SIDE / 2.0);
    let offset = [first[0], first[1], scale[2] * 0.5 - 0.5];
    capsules(stream, dims, &parts, BLEND, scale, offset)
}
