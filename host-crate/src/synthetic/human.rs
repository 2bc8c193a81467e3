//! A figure like a human, standing.

use super::{Capsule, capsules};
use crate::{
    device::{DeviceError, Stream},
    grid::DeviceVolume,
};

/// Voxels along z of the volumes in which Zhao et al. (2016) have their human: the figure stands as
/// high.
pub const HUMAN_HEIGHT: usize = 487;

/// The width and the depth of the figure's room, in units of a voxel along z.
const ROOM: f32 = 256.0;

/// Lengths over which limbs go over into the trunk.
const BLEND: f32 = 12.0;

/// Two ends and the radii there; x to the side, y to the front, z upwards, x and y from the
/// figure's middle.
type Part = ([f32; 3], [f32; 3], f32, f32);

/// Parts in the middle.
const MIDDLE: [Part; 3] = [
    // head, neck, trunk
    ([0.0, 4.0, 448.0], [0.0, 0.0, 456.0], 28.0, 30.0),
    ([0.0, -2.0, 400.0], [0.0, 0.0, 425.0], 18.0, 18.0),
    ([0.0, 0.0, 252.0], [0.0, 0.0, 375.0], 31.0, 31.0),
];

/// Parts of the right side; the left has the same.
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

/// A figure like a human, at isovalue 0, inside above, that fills a volume of `dims` as it fills
/// one of 256 x 256 x 487: in narrower ones it is as much narrower. A phantom in place of Zhao et
/// al.'s (2016), which is not public, with about as many surface voxels:
///
/// | volume | Zhao et al.'s (2016) | the phantom's |
/// | --- | --- | --- |
/// | 16 x 16 x 487 | 10,971 | 8,053 |
/// | 32 x 32 x 487 | 22,254 | 20,712 |
/// | 64 x 64 x 487 | 45,464 | 46,167 |
/// | 128 x 128 x 487 | 101,619 | 99,591 |
/// | 256 x 256 x 487 | 206,010 | 217,898 |
///
/// # Errors
/// Those of an allocation.
pub fn human(stream: &Stream, dims: [usize; 3]) -> Result<DeviceVolume<f32>, DeviceError> {
    let part = |&(from, to, at_from, at_to): &Part| Capsule {
        ends: [from, to],
        radii: [at_from, at_to],
    };
    let mirrored = |part: &Part| {
        let mirror = |[x, y, z]: [f32; 3]| [-x, y, z];
        (mirror(part.0), mirror(part.1), part.2, part.3)
    };
    let sides = SIDE.iter().flat_map(|side| [*side, mirrored(side)]);
    let parts = MIDDLE.into_iter().chain(sides);
    let parts: Vec<Capsule> = parts.map(|it| part(&it)).collect();
    let room = [ROOM, ROOM, HUMAN_HEIGHT as f32];
    let scale = [0, 1, 2].map(|k| room[k] / dims[k].max(1) as f32);
    // voxels are in the middle of their part of the room, the lowest along z at 0
    let first = [0, 1].map(|k| scale[k] * 0.5 - ROOM / 2.0);
    let offset = [first[0], first[1], scale[2] * 0.5 - 0.5];
    capsules(stream, dims, &parts, BLEND, scale, offset)
}
