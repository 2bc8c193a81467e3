//! The crate compiled to PTX.

use std::path::Path;

#[test]
fn all_kernels_are_in_the_ptx_and_are_assembled() {
    let _ = public_code_support::check_ptx(Path::new(env!("CARGO_MANIFEST_DIR")));
}
