extern crate alloc;

use alloc::format;
use alloc::string::String;

use core::sync::atomic::{AtomicU32, Ordering};
use cuda_std::prelude::*;
use k256::elliptic_curve::sec1::ToSec1Point;
use k256::{ProjectivePoint, Scalar};
use sha2::{Digest, Sha256};

/// Searches for the smallest secret key from `first` whose public key has a digest that starts with
/// the hexadecimal digits of `prefix`.
#[kernel]
pub unsafe fn mine(first: u64, prefix: &[u8], found: *mut u32) {
    let i = thread::index_1d();
    let point = ProjectivePoint::GENERATOR * Scalar::from(first + u64::from(i));
    let digest = Sha256::digest(point.to_affine().to_sec1_point(true).as_bytes());
    let text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if text.as_bytes().starts_with(prefix) {
        AtomicU32::from_ptr(found).fetch_min(i, Ordering::Relaxed);
    }
}
