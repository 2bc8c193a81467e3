use cuda_std::View;
use k256::elliptic_curve::sec1::ToSec1Point;
use k256::{ProjectivePoint, Scalar};
use public_code_support::{launch, MODES};
use public_code_whole as kernels;
use sha2::{Digest, Sha256};

/// Returns the digest of the public key of a secret key, as text.
fn digest(secret: u64) -> String {
    let point = (ProjectivePoint::GENERATOR * Scalar::from(secret)).to_affine();
    let digest = Sha256::digest(point.to_sec1_point(true).as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_miner_with_alloc_finds_keys() {
    // the digest of the generator itself, as computed by other tools
    assert_eq!(
        digest(1),
        "0f715baf5d4c2ed329785cef29e562f73488c8a2bb9dbc5700b361d54b9b0554"
    );
    let thirteenth = digest(14);
    for mode in MODES {
        for (prefix, expected) in [
            ("0f715baf", 0),
            (&thirteenth[..8], 13),
            ("no digit", u32::MAX),
        ] {
            let mut found = u32::MAX;
            // SAFETY: the threads write by atomic operations.
            unsafe {
                launch::<kernels::mine>(
                    mode,
                    16,
                    (1, View::from(prefix.as_bytes()), &raw mut found),
                )
            };
            assert_eq!(found, expected, "{prefix}");
        }
    }
}
