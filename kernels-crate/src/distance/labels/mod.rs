//! Volumes of labels: the distance of every voxel to the nearest one of another label.
//!
//! | kernel | reads and writes for each voxel |
//! | --- | --- |
//! | [`mark_label_changes`] | its label once; 3 bits written: where the label is another than that of the voxel before, along x, y and z |
//! | [`squares_from_changes`] | half a byte, a cost written: the squared distance along x |
//! | [`clamp_to_changes`] | a bit and a cost, twice; a cost written where it becomes less |
//! | [`distances_from_changes`] | the same, and 4 bytes written: the distance |
//! | [`keep_label_edges`] | 3 bits, 1 written: the voxels beside another label |
//!
//! # Why one axis after the other is exact
//! Let `d_a(v)` be the distance of voxel `v` to the nearest voxel of another label on the line
//! through `v` along axis `a`, infinite if the line has one label, and `D_k(v)` that to the nearest
//! voxel of another label in the first `k` axes through `v`: `D_1 = d_x`, and `D_3` is the result.
//! With distances in the axes' spacings,
//!
//! ```text
//! D_k(v)² = min( d_a(v)²,  min over all p on the line of v along a of  D_(k-1)(p)² + |p - v|² )      where a is axis k
//! ```
//!
//! though the inner minimum asks no `p` for its label, so that
//! [`least_along`](super::separable::least_along) can take whole lines:
//!
//! - *Nothing is less than `D_k(v)`.* `d_a(v)` is the distance to a voxel of another label. So is
//!   `D_(k-1)(p)² + |p - v|²`, squared, if `p` has the label of `v`: what has another label than
//!   `p` has another than `v`, and the two parts are at a right angle. Wherever on the line such a
//!   `p` lies, whatever is between. If `p` has another label, the sum may be of a path that ends in
//!   the label of `v`; but it is not less than `|p - v|²`, and `p` itself is a voxel of another
//!   label: this is at least `d_a(v)²`.
//! - *`D_k(v)` is among them.* Let `q` be the nearest voxel of another label, and `p` that of the
//!   line of `v` which shares all other axes with `q`. If `p` has the label of `v`, then
//!   `D_(k-1)(p) <= |q - p|`, and the sum for `p` is at most `|q - v|²`. Else `p` itself is of
//!   another label and no farther than `q`: `d_a(v) <= |p - v| <= |q - v|`.
//!
//! The clamp must come after the minimum: before it, `d_a(p)² + |p - v|²` would add two distances
//! along the same line as if they were at a right angle, and be too small. A sample that is not a
//! number equals nothing; it is of another label than every other voxel, and the argument holds.

mod changes;
mod rows;
mod sweep;

pub use changes::{keep_label_edges, mark_label_changes};
pub use rows::squares_from_changes;
pub use sweep::{Bundles, ChangesAlong, WIDE, clamp_to_changes, distances_from_changes};
