use cuda_std::View;
use public_code_quick as kernels;

use public_code_support::{hex, joined, launch, MODES};

/// Messages of NIST's examples (FIPS 180-4), of 0, 24, 448 and 896 bits.
const MESSAGES: [&[u8]; 4] = [
    b"",
    b"abc",
    b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
];

#[test]
fn sha256_of_nists_messages() {
    let expected = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    ]
    .map(hex::<32>);
    let (text, ends) = joined(&MESSAGES);
    for mode in MODES {
        let mut digests = [[0; 32]; 4];
        let arguments = (
            View::from(&text[..]),
            View::from(&ends[..]),
            digests.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own digest.
        unsafe { launch::<kernels::sha256>(mode, 4, arguments) };
        assert_eq!(digests, expected);
    }
}

#[test]
fn sha512_of_nists_messages() {
    let expected = [
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
    ]
    .map(hex::<64>);
    let (text, ends) = joined(&MESSAGES);
    for mode in MODES {
        let mut digests = [[0; 64]; 4];
        let arguments = (
            View::from(&text[..]),
            View::from(&ends[..]),
            digests.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own digest.
        unsafe { launch::<kernels::sha512>(mode, 4, arguments) };
        assert_eq!(digests, expected);
    }
}

/// Vectors of SipHash's authors (Aumasson and Bernstein, 2012): the appendix has the one of 15
/// bytes; the others are from their program.
#[test]
fn siphash_of_its_authors_vectors() {
    let bytes: Vec<u8> = (0..16).collect();
    let keys = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
    for mode in MODES {
        let (mut of_24, mut of_13) = ([0_u64; 16], [0_u64; 16]);
        let arguments = (
            View::from(&bytes[..]),
            keys,
            of_24.as_mut_ptr(),
            of_13.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own hashes.
        unsafe { launch::<kernels::siphash>(mode, 16, arguments) };
        assert_eq!(of_24[15], 0xa129_ca61_49be_45e5);
        assert_eq!(of_24[0].to_le_bytes(), hex::<8>("310e0edd47db6f72"));
        assert_eq!(of_24[1].to_le_bytes(), hex::<8>("fd67dc93c539f874"));
        assert_eq!(of_13[0].to_le_bytes(), hex::<8>("dcc40f055801acab"));
    }
}

/// Check value of the CRC used by zlib and Ethernet.
#[test]
fn crc32_has_its_check_value() {
    let (text, ends) = joined(&[
        b"123456789".as_slice(),
        b"",
        b"The quick brown fox jumps over the lazy dog",
    ]);
    for mode in MODES {
        let mut sums = [9; 3];
        let arguments = (
            View::from(&text[..]),
            View::from(&ends[..]),
            sums.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own sum.
        unsafe { launch::<kernels::crc32>(mode, 3, arguments) };
        assert_eq!(sums, [0xcbf4_3926, 0, 0x414f_a339]);
    }
}
