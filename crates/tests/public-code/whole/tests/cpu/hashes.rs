use cuda_std::View;
use public_code_support::{hex, launch, MODES};
use public_code_whole as kernels;

/// Vectors of BLAKE3's authors: inputs whose bytes count cyclically to 250.
#[test]
fn blake3_of_its_authors_vectors() {
    let bytes: Vec<u8> = (0..2048).map(|i| (i % 251) as u8).collect();
    let lengths = [0, 1, 1024];
    let first = [
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
        "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
    ]
    .map(hex::<32>);
    let more = hex::<32>("e00f03e7b69af26b7faaf09fcd333050338ddfe085b8cc869ca98b206c08243a");
    for mode in MODES {
        let mut digests = [[0; 64]; 3];
        let arguments = (
            View::from(&bytes[..]),
            View::from(&lengths[..]),
            digests.as_mut_ptr(),
        );
        // SAFETY: each thread writes its own digest.
        unsafe { launch::<kernels::blake3_of_prefixes>(mode, 3, arguments) };
        assert!((0..3).all(|i| digests[i][..32] == first[i]), "{digests:x?}");
        assert_eq!(digests[0][32..], more);
    }
}
