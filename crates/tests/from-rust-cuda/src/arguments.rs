use cuda_std::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Settings {
    pub scale: f32,
    pub offset: [f32; 2],
    pub flip: bool,
}

/// Takes a struct and an array by value.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn by_value(settings: Settings, weights: [f32; 3], out: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < 3 {
        let sign = if settings.flip { -1.0 } else { 1.0 };
        *out.add(i) =
            sign * (settings.scale * weights[i] + settings.offset[0] - settings.offset[1]);
    }
}

/// Takes references to single values, with an explicit ABI.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe extern "C" fn by_reference(settings: &Settings, weights: &[f32; 3], total: &mut f32) {
    if thread::first() {
        *total = settings.scale * (weights[0] + weights[1] + weights[2]);
    }
}

/// Slices in a struct; on the device they must refer to device memory.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    pub keys: &'a [u32],
    pub values: &'a [f32],
}

/// Takes structs with lifetimes, by reference and by value.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn look_up<'a>(
    first: &'a Table<'a>,
    second: Table<'_>,
    wanted: &[u32],
    out: *mut [f32; 2],
) {
    let i = thread::index_1d() as usize;
    if i < wanted.len() {
        *out.add(i) = [*first, second].map(|table| {
            let place = table.keys.iter().position(|key| *key == wanted[i]);
            place.map_or(-1.0, |place| table.values[place])
        });
    }
}
