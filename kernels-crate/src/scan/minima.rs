//! Entry points of single-pass minima and maxima.

use super::{
    kernels::{BlockShape, rows},
    scheduler::ScanJob,
    warp_specialised::scan_tiles_warp_specialised,
};
use crate::operator::{FloatOrder, IntegerOrder, Order, Value};
use cuda_std::{View, ViewMut, kernel};

/// Shape of the kernels for minima of 32-bit values.
pub const MIN_32: BlockShape = BlockShape::warp_specialised(896, 16);
/// Shape of the kernels for minima of 64-bit values, of which two blocks fit on a multiprocessor.
pub const MIN_64: BlockShape = BlockShape::warp_specialised(256, 18);

macro_rules! minima {
    ($($name:ident $bits:ident $order:ident $values:literal by $vector:literal, $shape:ident, $registers:literal, as $sum:ident;)+) => {
        $(
            #[doc = concat!("Scans `job.count` ", $values, " by minimum in the given order, in a single")]
            /// pass: see [`scan_tiles_warp_specialised`]. The order defines the type of the values;
            /// a reversed order yields the maximum.
            ///
            #[doc = concat!("**Mapping:** vectors of ", $vector, " elements. **Traffic** as for [`", stringify!($sum), "`](super::", stringify!($sum), ").")]
            ///
            /// # Safety
            #[doc = concat!("As for [`", stringify!($sum), "`](super::", stringify!($sum), ").")]
            #[kernel(baseline)]
            pub unsafe fn $name(
                input: View<$bits>,
                output: ViewMut<$bits>,
                initial: $bits,
                job: ScanJob,
                states: ViewMut<u64>,
                total: ViewMut<$bits>,
                order: $order<$bits>,
            ) {
                scan_min::<$bits, _, $vector, { rows($shape, $vector) }, $registers>(
                    input, output, initial, job, states, total, order,
                );
            }
        )+
    };
}

minima! {
    scan_min_u32 u32 IntegerOrder "32-bit integers" by 4, MIN_32, 72, as scan_sum_u32;
    scan_min_f32 u32 FloatOrder "32-bit floating-point numbers" by 4, MIN_32, 72, as scan_sum_u32;
    scan_min_u64 u64 IntegerOrder "64-bit integers" by 2, MIN_64, 128, as scan_sum_u64;
    scan_min_f64 u64 FloatOrder "64-bit floating-point numbers" by 2, MIN_64, 128, as scan_sum_u64;
}

#[cuda_std::inline_closures]
#[inline(always)]
fn scan_min<
    Bits: Value,
    K: Order<Bits>,
    const N: usize,
    const ROWS: usize,
    const MAX_REGISTERS: u32,
>(
    input: View<Bits>,
    output: ViewMut<Bits>,
    initial: Bits,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<Bits>,
    order: K,
) {
    let inclusive = job.inclusive != 0;
    let lift = |bits: Bits| order.key(bits);
    let output_of =
        |before: Bits, through: Bits| order.bits(if inclusive { through } else { before });
    let write_total = |key: Bits| total.write(0, order.bits(key));
    let initial = lift(initial);
    scan_tiles_warp_specialised::<Bits, K::Minimum, N, ROWS, MAX_REGISTERS>(
        input,
        output,
        initial,
        job,
        states,
        lift,
        output_of,
        write_total,
    );
}
