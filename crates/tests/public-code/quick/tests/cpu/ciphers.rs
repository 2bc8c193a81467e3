use public_code_quick as kernels;

use public_code_support::{hex, launch, MODES};

/// The examples of FIPS 197, appendix C.
#[test]
fn aes_of_fips_197() {
    let key: [u8; 32] = core::array::from_fn(|i| i as u8);
    let block = hex("00112233445566778899aabbccddeeff");
    let expected = [
        "69c4e0d86a7b0430d8cdb78070b4c55a",
        "dda97ca4864cdfe06eaf70a0ec0d7191",
        "8ea2b7ca516745bfeafc49904b496089",
    ]
    .map(hex::<16>);
    for mode in MODES {
        let (mut there, mut back) = ([[0; 16]; 3], [[0; 16]; 3]);
        let arguments = (key, block, there.as_mut_ptr(), back.as_mut_ptr());
        // SAFETY: each thread writes its own blocks.
        unsafe { launch::<kernels::aes_block>(mode, 3, arguments) };
        assert_eq!((there, back), (expected, [block; 3]));
    }
}
