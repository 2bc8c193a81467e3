//! Distance maps of label volumes: distances to the nearest voxel with another label.
//!
//! | kernel | reads per voxel | writes per voxel |
//! | --- | --- | --- |
//! | [`mark_label_changes`] | its label, once | 3 bits: label changes along x, y and z |
//! | [`squared_from_changes`] | half a byte | a cost: the squared distance along x |
//! | [`clamp_to_changes`] | a bit and a cost, twice | a cost where it decreases |
//! | [`distances_from_changes`] | a bit and a cost, twice | a cost where it decreases; distance |
//! | [`group_label_minima_from_rows`] | 6 bits | a cost: the squared distance in the plane |
//! | [`group_label_minima_along`] | a cost, 2 bits | a cost |
//! | [`group_label_distances_along`] | a cost, 2 bits | a distance |
//! | [`keep_label_edges`] | 3 bits | 1 bit: whether a face neighbour has another label |
//!
//! # Exactness of the separable evaluation
//! Let `d_a(v)` be the distance from voxel `v` to the nearest voxel with another label on the
//! scanline through `v` along axis `a` (infinite if the scanline has one label), and `D_k(v)` the
//! distance to the nearest voxel with another label in the subspace spanned by the first `k` axes
//! through `v`: `D_1 = d_x`, and `D_3` is the result. With distances in the axes' spacings,
//!
//! ```text
//! D_k(v)² = min( d_a(v)²,  min over p of D_(k-1)(p)² + |p - v|² )
//!
//! where a is axis k, and p ranges over the scanline of v along a
//! ```
//!
//! although the inner minimum ignores the labels of `p`, so that
//! [`minimise_along`](super::separable::minimise_along) can process complete scanlines:
//!
//! - *No term is less than `D_k(v)²`.* `d_a(v)` is the distance to a voxel with another label. If
//!   `p` has the label of `v`, `D_(k-1)(p)² + |p - v|²` is also such a squared distance: a voxel
//!   whose label differs from that of `p` differs from that of `v`, and the two parts are
//!   perpendicular. This holds for every such `p` on the scanline, regardless of the voxels
//!   between. If `p` has another label, the sum may belong to a path that ends in the label of `v`,
//!   but it is at least `|p - v|²`, and `p` itself is a voxel with another label, so `|p - v| ≥
//!   d_a(v)`.
//! - *`D_k(v)²` is among the terms.* Let `q` be the nearest voxel with another label, and `p` the
//!   voxel on the scanline of `v` that shares all other coordinates with `q`. If `p` has the label
//!   of `v`, then `D_(k-1)(p) <= |q - p|`, and the sum for `p` is at most `|q - v|²`. Otherwise `p`
//!   itself has another label and is no farther than `q`: `d_a(v) <= |p - v| <= |q - v|`.
//!
//! The clamp must follow the minimum: before it, `d_a(p)² + |p - v|²` would treat two distances
//! along the same scanline as perpendicular and be too small. NaN differs from every label,
//! including itself, and the argument still holds.

mod changes;
mod group_envelope;
mod rows;
mod sweep;

pub use changes::{keep_label_edges, mark_label_changes};
pub use group_envelope::{
    group_label_distances_along, group_label_minima_along, group_label_minima_from_rows,
    label_group_shared_bytes,
};
pub use rows::squared_from_changes;
pub use sweep::{LineChanges, clamp_to_changes, distances_from_changes};
