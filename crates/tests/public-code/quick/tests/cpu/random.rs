use cuda_std::View;
use public_code_quick as kernels;

use public_code_support::{launch, MODES};

/// The first block of RFC 8439, appendix A.1, test vector 1.
#[test]
fn chacha_of_rfc_8439() {
    let expected = [
        0xade0_b876_u32,
        0x903d_f1a0,
        0xe56a_5d40,
        0x28bd_8653,
        0xb819_d2bd,
        0x1aed_8da0,
        0xccef_36a8,
        0xc70d_778b,
        0x7c59_41da,
        0x8d48_5751,
        0x3fe0_2477,
        0x374a_d8b8,
        0xf4b8_436a,
        0x1ca1_1815,
        0x69b6_87c3,
        0x8665_eeb2,
    ];
    let seeds = [[0; 32], [1; 32]];
    for mode in MODES {
        let (mut of_20, mut of_8) = ([[0_u32; 16]; 2], [[0_u32; 16]; 2]);
        let arguments = (
            View::from(&seeds[..]),
            16,
            of_20.as_mut_ptr().cast(),
            of_8.as_mut_ptr().cast(),
        );
        // SAFETY: each thread writes its own row.
        unsafe { launch::<kernels::chacha>(mode, 2, arguments) };
        assert_eq!(of_20[0], expected);
        assert!(of_20[1] != expected && of_8[0] != expected && of_8[0] != of_8[1]);
    }
}

/// Output of the program `pcg32-demo` by the generator's author (O'Neill, 2014), from two crates.
#[test]
fn pcg32_of_its_authors_program() {
    let expected = [
        0xa15c_02b7_u32,
        0x7b47_f409,
        0xba1d_3330,
        0x83d2_f293,
        0xbfa4_784b,
        0xcbed_606e,
    ];
    let seeds = [[42, 54], [42, 55]];
    for mode in MODES {
        let (mut out, mut other) = ([[0_u32; 6]; 2], [[0_u32; 6]; 2]);
        let arguments = (
            View::from(&seeds[..]),
            6,
            out.as_mut_ptr().cast(),
            other.as_mut_ptr().cast(),
        );
        // SAFETY: each thread writes its own row.
        unsafe { launch::<kernels::pcg>(mode, 2, arguments) };
        assert_eq!((out[0], out), (expected, other));
        assert_ne!(out[1], expected);
    }
}

/// Compares with the crate's results outside kernels, because there are no published vectors.
#[test]
fn fastrand_gives_what_it_gives_elsewhere() {
    for mode in MODES {
        let (mut dice, mut cards, mut coins) = ([0; 20], [[0; 52]; 20], [false; 20]);
        let arguments = (dice.as_mut_ptr(), cards.as_mut_ptr(), coins.as_mut_ptr());
        // SAFETY: each thread writes its own game.
        unsafe { launch::<kernels::games>(mode, 20, arguments) };
        for i in 0..20 {
            let mut generator = fastrand::Rng::with_seed(i as u64);
            assert_eq!(dice[i], generator.u8(1..=6));
            let mut deck: [u8; 52] = core::array::from_fn(|card| card as u8);
            generator.shuffle(&mut deck);
            assert_eq!((cards[i], coins[i]), (deck, generator.bool()));
            deck.sort_unstable();
            assert!(deck
                .iter()
                .enumerate()
                .all(|(place, &card)| place == card as usize));
        }
        assert!(
            (1..=6).all(|face| dice.contains(&face))
                && coins.contains(&true)
                && coins.contains(&false)
        );
    }
}
