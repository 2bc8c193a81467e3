use core::hash::Hasher;

use cuda_std::prelude::*;
use sha2::{Digest, Sha256, Sha512};
use siphasher::sip::{SipHasher13, SipHasher24};

/// Returns the slice of `text` of thread `i`, which ends at `ends[i]`.
fn piece<'a>(text: &'a [u8], ends: &[u32], i: usize) -> &'a [u8] {
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &text[start..ends[i] as usize]
}

#[kernel]
pub unsafe fn sha256(text: &[u8], ends: &[u32], digests: *mut [u8; 32]) {
    let i = thread::index_1d() as usize;
    if i < ends.len() {
        *digests.add(i) = Sha256::digest(piece(text, ends, i)).into();
    }
}

/// Hashes the text in two updates.
#[kernel]
pub unsafe fn sha512(text: &[u8], ends: &[u32], digests: *mut [u8; 64]) {
    let i = thread::index_1d() as usize;
    if i < ends.len() {
        let (first, second) = piece(text, ends, i).split_at((ends[i] as usize).min(1));
        let mut hasher = Sha512::new();
        hasher.update(first);
        hasher.update(second);
        *digests.add(i) = hasher.finalize().into();
    }
}

#[kernel]
pub unsafe fn siphash(bytes: &[u8], keys: [u64; 2], hashes_24: *mut u64, hashes_13: *mut u64) {
    let length = thread::index_1d() as usize;
    if length < bytes.len() {
        let mut hasher = SipHasher24::new_with_keys(keys[0], keys[1]);
        hasher.write(&bytes[..length]);
        *hashes_24.add(length) = hasher.finish();
        let mut hasher = SipHasher13::new_with_keys(keys[0], keys[1]);
        hasher.write(&bytes[..length]);
        *hashes_13.add(length) = hasher.finish();
    }
}

#[kernel]
pub unsafe fn crc32(text: &[u8], ends: &[u32], sums: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < ends.len() {
        *sums.add(i) = crc32fast::hash(piece(text, ends, i));
    }
}
