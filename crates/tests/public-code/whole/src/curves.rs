use cuda_std::prelude::*;
use curve25519_dalek::montgomery::MontgomeryPoint;
use ed25519_dalek::ed25519::signature::Signer as _;
use ed25519_dalek::{SigningKey, VerifyingKey};
use k256::ecdsa::signature::Verifier as _;
use k256::elliptic_curve::sec1::ToSec1Point;
use k256::{ProjectivePoint, Scalar};

/// Multiplies the generator of secp256k1 by numbers, and compresses the points.
#[kernel]
pub unsafe fn multiples(factors: &[u64], points: *mut [u8; 33]) {
    let i = thread::index_1d() as usize;
    if i < factors.len() {
        let point = ProjectivePoint::GENERATOR * Scalar::from(factors[i]);
        let bytes = point.to_affine().to_sec1_point(true);
        (&mut *points.add(i)).copy_from_slice(bytes.as_bytes());
    }
}

/// Signs by ECDSA (RFC 6979), and verifies the signature with the text and with another text.
#[kernel]
pub unsafe fn sign_k256(
    keys: &[[u8; 32]],
    text: &[u8],
    signatures: *mut [u8; 64],
    right: *mut [bool; 2],
) {
    let i = thread::index_1d() as usize;
    if i < keys.len() {
        let key = k256::ecdsa::SigningKey::from_bytes(&keys[i].into()).unwrap();
        let signature: k256::ecdsa::Signature = key.sign(text);
        *signatures.add(i) = signature.to_bytes().into();
        let public = key.verifying_key();
        *right.add(i) = [
            public.verify(text, &signature).is_ok(),
            public.verify(&text[1..], &signature).is_ok(),
        ];
    }
}

/// Computes the X25519 shared secret.
#[kernel]
pub unsafe fn x25519(secrets: &[[u8; 32]], points: &[[u8; 32]], out: *mut [u8; 32]) {
    let i = thread::index_1d() as usize;
    if i < secrets.len() {
        *out.add(i) = MontgomeryPoint(points[i])
            .mul_clamped(secrets[i])
            .to_bytes();
    }
}

/// Signs by Ed25519, and verifies the signature with the key and with another key.
#[kernel]
pub unsafe fn sign_ed25519(
    keys: &[[u8; 32]],
    text: &[u8],
    public: *mut [u8; 32],
    signatures: *mut [u8; 64],
    right: *mut [bool; 2],
) {
    let i = thread::index_1d() as usize;
    if i < keys.len() {
        let key = SigningKey::from_bytes(&keys[i]);
        let signature = key.sign(text);
        *public.add(i) = key.verifying_key().to_bytes();
        *signatures.add(i) = signature.to_bytes();
        let other: VerifyingKey =
            SigningKey::from_bytes(&keys[(i + 1) % keys.len()]).verifying_key();
        *right.add(i) = [
            key.verifying_key().verify_strict(text, &signature).is_ok(),
            other.verify_strict(text, &signature).is_ok(),
        ];
    }
}
