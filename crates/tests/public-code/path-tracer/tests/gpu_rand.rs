//! Rust-CUDA's own path tracer uses `gpu_rand`, whose dependency `cuda_std` is replaced here.

use std::path::Path;

#[test]
fn gpu_rand_is_in_the_ptx_with_cuda_std_replaced() {
    let _ =
        public_code_support::check_ptx(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu-rand"));
}
