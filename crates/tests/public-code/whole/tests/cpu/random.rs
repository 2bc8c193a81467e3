use public_code_support::{launch, MODES};
use public_code_whole as kernels;

/// The generator is that of Marsaglia (2003), who published its first output.
#[test]
fn rand_works_on_a_generator_of_ones_own() {
    for mode in MODES {
        let (mut raw, mut dice, mut below_one, mut rows) =
            ([[0; 2]; 64], [0; 64], [9.0; 64], [[9; 8]; 64]);
        let arguments = (
            raw.as_mut_ptr(),
            dice.as_mut_ptr(),
            below_one.as_mut_ptr(),
            rows.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own draws.
        unsafe { launch::<kernels::draws>(mode, 64, arguments) };
        assert_eq!(raw[0], [723_471_715, 2_497_366_906]);
        assert!(
            (1..=6).all(|face| dice.contains(&face))
                && dice.iter().all(|face| (1..=6).contains(face))
        );
        assert!(below_one.iter().all(|x| (0.0..1.0).contains(x)));
        for mut row in rows {
            row.sort_unstable();
            assert_eq!(row, [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    }
}
