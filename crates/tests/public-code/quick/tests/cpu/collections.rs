use cuda_std::View;
use public_code_quick as kernels;

use public_code_support::{launch, MODES};

#[test]
fn heapless_heaps_and_maps() {
    let rows: [[u32; 16]; 8] = core::array::from_fn(|row| {
        core::array::from_fn(|i| ((i * 7 + 3 * row) % (5 + row)) as u32)
    });
    for mode in MODES {
        let (mut smallest, mut commonest) = ([[9; 4]; 8], [0; 8]);
        // SAFETY: each thread writes its own results.
        unsafe {
            launch::<kernels::smallest>(mode, 8, (View::from(&rows[..]), smallest.as_mut_ptr()));
            launch::<kernels::commonest>(mode, 8, (View::from(&rows[..]), commonest.as_mut_ptr()));
        }
        for (i, row) in rows.iter().enumerate() {
            let mut sorted = *row;
            sorted.sort_unstable();
            assert_eq!(smallest[i], sorted[..4]);
            let counts = row.iter().map(|x| row.iter().filter(|y| *y == x).count());
            assert_eq!(commonest[i] as usize, counts.max().unwrap());
        }
    }
}
