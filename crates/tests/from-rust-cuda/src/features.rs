use cuda_std::prelude::*;

/// Stores the known features of the device for which this is compiled.
#[kernel]
#[allow(clippy::missing_safety_doc, unexpected_cfgs)]
pub unsafe fn known_features(out: *mut f32) {
    #[cfg(target_feature = "compute_60")]
    let sixty = 130.0;
    #[cfg(not(target_feature = "compute_60"))]
    let sixty = 0.0;
    *out = sixty;
    *out.add(1) = if cfg!(target_feature = "compute_80") {
        1.0
    } else {
        0.0
    };
    *out.add(2) = if cfg!(any(
        target_feature = "compute_70",
        target_feature = "compute_90"
    )) {
        1.0
    } else {
        0.0
    };
}
