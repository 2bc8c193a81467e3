use cuda_std::View;
use public_code_support::{hex, launch, MODES};
use public_code_whole as kernels;

/// Multiples of the generator of secp256k1 (SEC 2), in SEC 1's compressed form.
#[test]
fn k256_multiplies_the_generator() {
    let factors = [1_u64, 2, 3, 20];
    let expected = [
        "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
        "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
        "024ce119c96e2fa357200b559b2f7dd5a5f02d5290aff74b03f3e471b273211c97",
    ]
    .map(hex::<33>);
    for mode in MODES {
        let mut points = [[0; 33]; 4];
        // SAFETY: each thread writes its own point.
        unsafe {
            launch::<kernels::multiples>(mode, 4, (View::from(&factors[..]), points.as_mut_ptr()))
        };
        assert_eq!(points, expected);
    }
}

/// Nonces by RFC 6979, which has no vectors for this curve; the vector is the one used by wallets.
#[test]
fn k256_signs_as_rfc_6979_says() {
    let mut keys = [[0_u8; 32]; 2];
    (keys[0][31], keys[1][0]) = (1, 7);
    let text = b"Satoshi Nakamoto";
    let expected = hex(
        "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
    );
    for mode in MODES {
        let (mut signatures, mut right) = ([[0; 64]; 2], [[false; 2]; 2]);
        let arguments = (
            View::from(&keys[..]),
            View::from(&text[..]),
            signatures.as_mut_ptr(),
            right.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own signature.
        unsafe { launch::<kernels::sign_k256>(mode, 2, arguments) };
        assert_eq!(signatures[0], expected);
        assert_ne!(signatures[1], expected);
        assert_eq!(right, [[true, false]; 2]);
    }
}

/// Vectors of RFC 7748, section 5.2.
#[test]
fn curve25519_of_rfc_7748() {
    let secrets = [
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
    ]
    .map(hex::<32>);
    let points = [
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
    ]
    .map(hex::<32>);
    let expected = [
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ]
    .map(hex::<32>);
    for mode in MODES {
        let mut out = [[0; 32]; 2];
        let arguments = (
            View::from(&secrets[..]),
            View::from(&points[..]),
            out.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own point.
        unsafe { launch::<kernels::x25519>(mode, 2, arguments) };
        assert_eq!(out, expected);
    }
}

/// Vectors of RFC 8032, section 7.1: test 3, and the key of test 1.
#[test]
fn ed25519_of_rfc_8032() {
    let keys = [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    ]
    .map(hex::<32>);
    let expected_keys = [
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    ]
    .map(hex::<32>);
    let expected = hex(
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    );
    let text = [0xaf, 0x82];
    for mode in MODES {
        let (mut public, mut signatures, mut right) = ([[0; 32]; 2], [[0; 64]; 2], [[false; 2]; 2]);
        let arguments = (
            View::from(&keys[..]),
            View::from(&text[..]),
            public.as_mut_ptr(),
            signatures.as_mut_ptr(),
            right.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own keys and signatures.
        unsafe { launch::<kernels::sign_ed25519>(mode, 2, arguments) };
        assert_eq!((public, signatures[0]), (expected_keys, expected));
        assert_eq!(right, [[true, false]; 2]);
    }
}
