//! Extraction in slabs of any height.

use super::{
    super::{LabelField, LabelSurfaceParams, extract},
    Parts,
};
use crate::{device::Device, grid::Volume, monitor::Monitor};

/// Slabs of one and more planes of cells, with ambiguous cells and points on faces at their
/// borders.
#[test]
fn slabs_of_any_height_give_the_same_bits() {
    let mut state = 7_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    for dims in [[7, 6, 9], [1, 1, 5], [33, 4, 1]] {
        let [nx, ny, nz] = dims;
        let samples = (0..nx * ny * nz).map(|_| (random() % 4) as u8).collect();
        let volume = Volume::new(samples, dims, Default::default()).unwrap();
        let field = LabelField::new(&volume.into(), None).unwrap();
        let stream = Device::cpu().stream().unwrap();
        for params in [LabelSurfaceParams::raw(), LabelSurfaceParams::default()] {
            let whole = extract(&stream, &field, &params).unwrap();
            let unshared = whole.unshared_wall_count();
            let whole = whole.download(&stream, &field).unwrap();
            let devices = [Device::cpu(), Device::cpu()];
            let parts = Parts::new(&devices, &field, &params).unwrap();
            for height in 1..=parts.layers() {
                let found = parts.extract_slabs::<u8>(height, &Monitor::new()).unwrap();
                assert!(
                    found.walls == whole,
                    "{dims:?}, {height} planes, {params:?}"
                );
                assert_eq!(found.unshared_wall_count, unshared);
                assert_eq!(found.slabs, parts.layers().div_ceil(height));
            }
        }
    }
}
