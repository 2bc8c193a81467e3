//! Layout of an array as volumes: meaning of its axes and their order in the file.

use super::ArrayHeader;
use crate::io::volume::extra_axes::{AxisMeaning, ExtraAxis};
use crate::io::volume::layout::Layout;
use crate::io::{AxisOrder, FileProblem};

/// Returns the layout of an array whose axes have the meaning `order`. With `has_components`, the
/// last axis is that of the components.
pub(super) fn layout(
    array: &ArrayHeader,
    order: AxisOrder,
    has_components: bool,
) -> Result<Layout, FileProblem> {
    let shape = &array.shape[..];
    let too_large = || FileProblem::TooLarge {
        sizes: shape.to_vec(),
    };
    let grid_axes = shape.len() - usize::from(has_components);
    let spatial_axes = grid_axes.min(3);
    // Positions in the shape, x first.
    let spatial: Vec<usize> = match order {
        AxisOrder::Zyx => (grid_axes - spatial_axes..grid_axes).rev().collect(),
        AxisOrder::Xyz => (0..spatial_axes).collect(),
    };
    // Positions of the axes that count volumes, the one next to the spatial axes first.
    let mut extra: Vec<(usize, AxisMeaning)> = match order {
        AxisOrder::Zyx => (0..grid_axes - spatial_axes).rev().collect::<Vec<_>>(),
        AxisOrder::Xyz => (spatial_axes..grid_axes).collect(),
    }
    .into_iter()
    .map(|position| (position, AxisMeaning::Volume))
    .collect();
    if has_components {
        extra.push((grid_axes, AxisMeaning::Component));
    }
    // `true` for an axis that is faster than the spatial ones.
    let is_fast = |position: usize| {
        let is_first = spatial.first().is_some_and(|&axis| position < axis);
        is_first == array.fortran
    };
    let is_empty = shape.contains(&0);
    // Number of elements between neighbours along an axis, counting faster axes of its group only.
    let stride = |position: usize| {
        let is_faster = |&&(other, _): &&(usize, AxisMeaning)| {
            is_fast(other) == is_fast(position)
                && (other < position) == array.fortran
                && other != position
        };
        let faster = extra.iter().filter(is_faster);
        faster.fold(1_u64, |product, &(other, _)| {
            product.saturating_mul(shape[other])
        })
    };
    let mut extra_axes: Vec<ExtraAxis> = extra
        .iter()
        .map(|&(position, meaning)| ExtraAxis {
            meaning,
            size: shape[position],
            is_interleaved: is_fast(position),
            stride: stride(position)
                * if is_fast(position) {
                    array.components
                } else {
                    1
                },
        })
        .collect();
    let mut sizes: Vec<u64> = spatial.iter().map(|&position| shape[position]).collect();
    let has_reversed_storage = (order == AxisOrder::Zyx) == array.fortran;
    let is_reversed =
        has_reversed_storage && !is_empty && sizes.iter().filter(|&&size| size > 1).count() > 1;
    sizes.resize(3, 1);
    let dims = sizes.clone();
    let mut interleaved = array.components;
    for axis in &extra_axes {
        if axis.is_interleaved && !is_empty {
            interleaved = interleaved.checked_mul(axis.size).ok_or_else(too_large)?;
        } else {
            sizes.push(axis.size);
        }
    }
    let mut layout =
        Layout::new(&sizes, array.stored, array.order)?.with_components(interleaved)?;
    if array.components > 1 {
        extra_axes.push(ExtraAxis {
            meaning: AxisMeaning::Component,
            size: array.components,
            is_interleaved: true,
            stride: 1,
        });
    }
    layout.sizes = dims;
    layout.sizes.truncate(spatial_axes.max(1));
    let volumes = extra
        .iter()
        .filter(|(_, meaning)| *meaning == AxisMeaning::Volume);
    layout
        .sizes
        .extend(volumes.map(|&(position, _)| shape[position]));
    layout.extra_axes = extra_axes;
    layout.is_reversed = is_reversed;
    Ok(layout)
}
