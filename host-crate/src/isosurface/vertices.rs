//! What is made of the flags: the flagged items' numbers, and a position and a normal for each active edge.

use super::{Inside, IsosurfaceError, IsosurfaceParams};
use crate::{
    device::{Buffer, Element, Launch, Stream},
    grid::{DeviceSample, DeviceVolume, gradient_to_world, index_to_world},
};
use ferrovox_kernels::{
    isosurface::{NormalRule, compact_flagged, emit_normals, emit_vertices},
    rows::Items,
    sample::Count,
};

/// Items of a piece where single items are dealt to threads.
pub(super) const PIECE: u32 = 4096;

/// The numbers of the `total` items that are flagged.
pub(super) fn compact<I: Count + Element>(
    stream: &Stream,
    flags: &Buffer<u8>,
    offsets: &Buffer<I>,
    total: u64,
) -> Result<Buffer<u64>, IsosurfaceError> {
    let mut compacted = stream.alloc::<u64>(total as usize)?;
    let items = Items {
        count: flags.len() as u64,
        piece: PIECE,
    };
    // SAFETY: a flag and an offset for each item, and room for every flag that is set.
    unsafe {
        let args = (flags.view(), offsets.view(), items, compacted.view_mut());
        stream.launch::<compact_flagged<I>>(Launch::pieces(items.pieces()), args)?;
    }
    Ok(compacted)
}

/// The position of the vertex on each active edge.
pub(super) fn positions<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    active_edges: &Buffer<u64>,
) -> Result<Buffer<f32>, IsosurfaceError> {
    let mut positions = stream.alloc::<f32>(active_edges.len() * 3)?;
    let items = Items {
        count: active_edges.len() as u64,
        piece: PIECE,
    };
    // SAFETY: slots of edges that exist, and room for three coordinates for each.
    unsafe {
        stream.launch::<emit_vertices<T>>(
            Launch::pieces(items.pieces()),
            (
                volume.samples().view(),
                volume.grid(),
                items,
                params.iso,
                index_to_world(volume.geometry()),
                active_edges.view(),
                positions.view_mut(),
            ),
        )?;
    }
    Ok(positions)
}

/// The outward unit normal of the vertex on each active edge.
pub(super) fn normals<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    active_edges: &Buffer<u64>,
) -> Result<Buffer<f32>, IsosurfaceError> {
    let mut normals = stream.alloc::<f32>(active_edges.len() * 3)?;
    let outward = match params.inside {
        Inside::Above => -1.0,
        Inside::Below => 1.0,
    };
    let items = Items {
        count: active_edges.len() as u64,
        piece: PIECE,
    };
    // SAFETY: slots of edges that exist, and room for three components for each.
    unsafe {
        stream.launch::<emit_normals<T>>(
            Launch::pieces(items.pieces()),
            (
                volume.samples().view(),
                volume.grid(),
                items,
                params.iso,
                NormalRule {
                    gradient_to_world: gradient_to_world(volume.geometry()),
                    outward,
                },
                active_edges.view(),
                normals.view_mut(),
            ),
        )?;
    }
    Ok(normals)
}
