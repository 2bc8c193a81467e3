//! Crates written for Rust-CUDA, without changes for this builder.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::small_crates::small;
use crate::support::{body, builder, has_toolchain, ptxas};
use cuda_builder::lint::{FindingKind, LintReport, LintRules};
use cuda_builder::{CudaBuilder, NvvmArch};
use test_cases::skip_slow_test;

/// Builds the crate whose kernels `crates/tests/from-rust-cuda` runs on the CPU.
fn kernels(arch: NvvmArch) -> Option<Built> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/from-rust-cuda");
    build(builder(&path).arch(arch))
}

/// Returns the build for the architecture that most tests use; the first test builds it.
fn kernels_for_volta() -> Option<&'static Built> {
    static BUILT: LazyLock<Option<Built>> = LazyLock::new(|| kernels(NvvmArch::Compute70));
    BUILT.as_ref()
}

/// The PTX and the results of the lint.
type Built = (String, LintReport);

fn build(builder: CudaBuilder) -> Option<Built> {
    has_toolchain().then(|| {
        let directory = tempfile::tempdir().unwrap();
        let output = builder
            .copy_to(directory.path().join("out.ptx"))
            .build_with_report()
            .unwrap_or_else(|error| panic!("{error}"));
        let ptx = fs::read_to_string(&output.ptx).unwrap();
        (ptx, output.lint)
    })
}

#[test]
fn an_unchanged_crate_compiles() {
    let Some((ptx, _)) = kernels_for_volta() else {
        return;
    };
    for kernel in [
        "vecadd",
        "gemm",
        "squares",
        "by_value",
        "by_reference",
        "known_features",
        "float_functions",
        "intervals",
        "lengths",
        "rotate_long",
        "sum_up",
        "wait",
        "name_negative",
        "halve",
        "half_axpy_bf16",
        "half_axpy_f16",
        "half_neighbours",
        "round_to_half",
        "rotate_points",
        "places",
        "look_up",
        "branches",
        "loops",
        "arrays",
        "written_later",
        "constant_pointers",
        "references",
        "bit_counts_i64",
        "signs",
        "transform",
        "build_matrices",
        "march_rays",
        "gemm_blocked",
        "gemm_tiled",
        "sum_tiles",
    ] {
        assert!(ptx.contains(&format!(".entry {kernel}(")), "{kernel}");
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("out.ptx");
    fs::write(&file, ptx).unwrap();
    let resources = ptxas()
        .resources(&file, NvvmArch::Compute70)
        .unwrap_or_else(|error| panic!("{error}"));
    // four named barriers, and the block's own, number 0
    assert_eq!(resources["sum_tiles"].barriers, 5);
}

/// A struct and an array are one parameter each, of their own size; a reference is a pointer.
#[test]
fn parameters_have_the_layout_of_rust_cuda() {
    let Some((ptx, _)) = kernels_for_volta() else {
        return;
    };
    let parameters = |kernel: &str| -> Vec<String> {
        let start = ptx.find(&format!(".entry {kernel}(")).unwrap();
        ptx[start..]
            .lines()
            .skip(1)
            .take_while(|line| line.trim() != ")")
            .map(|line| {
                let words: Vec<&str> = line.trim_end_matches(',').split_whitespace().collect();
                match words.last().unwrap().split_once('[') {
                    Some((_, bytes)) => format!("[{bytes}"),
                    None => words[1].replace(".u64", ".b64"),
                }
            })
            .collect()
    };
    assert_eq!(parameters("by_value"), ["[16]", "[12]", ".b64"], "{ptx}");
    assert_eq!(parameters("by_reference"), [".b64"; 3], "{ptx}");
    assert_eq!(parameters("vecadd"), [".b64"; 5], "{ptx}");
    // glam's vectors have the same size and alignment as on the host
    let layout = [".b64", ".b64", ".u32", "[16]", "[8]", "[16]", ".b64"];
    assert_eq!(parameters("rotate_points"), layout, "{ptx}");
    let half = [".u16", ".b64", ".b64", ".b64", ".b64", ".b64"];
    assert_eq!(parameters("half_axpy_f16"), half, "{ptx}");
    for parameter in [
        ".align 16 .b8 rotate_points_param_5[16]",
        ".align 8 .b8 rotate_points_param_4[8]",
    ] {
        assert!(ptx.contains(parameter), "{parameter}\n{ptx}");
    }
}

#[test]
fn allocation_is_supported_and_reported_by_the_lint() {
    let Some((ptx, lint)) = kernels_for_volta() else {
        return;
    };
    assert!(
        ptx.contains(".visible .global .align 8 .b8 __ferrovox_heap[24]"),
        "{ptx}"
    );
    assert!(
        lint.kernel("squares")
            .unwrap()
            .count(FindingKind::Allocation)
            > 0,
        "{lint}"
    );
    assert_eq!(
        lint.kernel("vecadd")
            .unwrap()
            .count(FindingKind::Allocation),
        0
    );
    let errors = lint.errors(&LintRules::default().deny(FindingKind::Allocation));
    assert!(
        errors.iter().all(|error| error.contains("heap"))
            && ["kernel squares", "kernel lengths"]
                .iter()
                .all(|kernel| errors.iter().any(|error| error.contains(kernel)))
            && !errors.iter().any(|error| error.contains("kernel vecadd")),
        "{errors:?}"
    );
}

/// PTX without allocations contains no heap, and PTX without printing no print instruction: panics
/// do not print by themselves.
#[test]
fn unused_heap_and_printing_are_absent() {
    if let Some((ptx, _)) = build(builder(&small("plain"))) {
        assert!(!ptx.contains("heap") && !ptx.contains("vprintf"), "{ptx}");
    }
}

/// `cfg(target_feature = "compute_NN")` is set for the architecture and all older ones.
#[test]
fn target_features_include_all_older_architectures() {
    if skip_slow_test("all crates for a second architecture") {
        return;
    }
    let (Some((volta, _)), Some((hopper, _))) = (kernels_for_volta(), kernels(NvvmArch::Compute90))
    else {
        return;
    };
    for (arch, ptx, eighty) in [
        (NvvmArch::Compute70, volta, 0.0_f32),
        (NvvmArch::Compute90, &hopper, 1.0),
    ] {
        let kernel = body(ptx, "known_features");
        let stored: Vec<u32> = kernel
            .lines()
            .filter(|line| line.contains("st.global"))
            .map(|line| {
                let value = line.rsplit(", ").next().unwrap().trim_end_matches(';');
                value.parse().unwrap_or_else(|_| panic!("{kernel}"))
            })
            .collect();
        assert_eq!(
            stored,
            [130.0_f32, eighty, 1.0].map(f32::to_bits),
            "{arch}\n{kernel}"
        );
    }
}

/// Attributes required by cuda_std 0.2 are errors in current compilers; the message names the lines
/// to remove.
#[test]
fn outdated_attributes_are_explained() {
    if !has_toolchain() {
        return;
    }
    let text = builder(&small("old_headers"))
        .build()
        .unwrap_err()
        .to_string();
    for words in [
        "feature(register_attr)",
        "register_attr(nvvm_internal)",
        "remove",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

/// The vectors of cuda_std 0.2, and glam's vectors of other types than f32 and u32, are features.
#[test]
fn vek_and_other_glam_types_are_features() {
    if skip_slow_test("other crates of vectors") {
        return;
    }
    if let Some((ptx, _)) = build(builder(&small("vectors"))) {
        assert!(body(&ptx, "scaled").contains("div.rn.f32"), "{ptx}");
        assert!(body(&ptx, "whole").contains("cvt.rzi.s64.f64"), "{ptx}");
    }
}

/// Printing uses the driver's functions.
#[test]
fn printing_uses_the_drivers_functions() {
    let Some((ptx, _)) = kernels_for_volta() else {
        return;
    };
    let functions = cuda_builder::ptx::PtxModule::parse(ptx);
    let calls = |kernel: &str, wanted: &str| {
        let entry = functions
            .function(kernel)
            .unwrap_or_else(|| panic!("{kernel}"));
        entry.callees().any(|(_, callee)| callee.contains(wanted))
    };
    assert!(calls("name_negative", "print_text"), "{ptx}");
    assert!(calls("halve", "assertion_failed"), "{ptx}");
    assert!(
        body(ptx, "cuda_std_io_device_print_text").contains("vprintf"),
        "{ptx}"
    );
    assert!(
        body(ptx, "cuda_std_io_device_assertion_failed").contains("__assertfail"),
        "{ptx}"
    );
}

/// Each function compiles to its instruction, repeated as needed for the size of the value.
#[test]
fn intrinsics_compile_to_their_instructions() {
    let Some((ptx, _)) = kernels_for_volta() else {
        return;
    };
    let count = |kernel: &str, words: &str| body(ptx, kernel).matches(words).count();
    assert_eq!(count("rotate_long", "shfl.sync.idx.b32"), 4, "{ptx}");
    assert_eq!(count("rotate_long", "match.any.sync.b64"), 2, "{ptx}");
    assert_eq!(count("wait", "%clock64"), 2, "{ptx}");
    assert_eq!(count("wait", "nanosleep.u32"), 1, "{ptx}");
    for words in [
        "add.rm.f32",
        "add.rp.f32",
        "sqrt.rz.f32",
        "fma.rp.f64",
        "rcp.rm.f64",
        "mul.hi.u32",
    ] {
        assert_eq!(count("intervals", words), 1, "{words}\n{ptx}");
    }
    for words in ["atom.relaxed.gpu.add.f32", "atom.relaxed.gpu.max.u32"] {
        assert!(count("sum_up", words) > 0, "{words}\n{ptx}");
    }
}

/// Named barriers compile to instructions with their numbers, as many as in the source, for waiting
/// and arriving.
#[test]
fn named_barriers_compile_to_instructions() {
    let Some((ptx, lint)) = kernels_for_volta() else {
        return;
    };
    let kernel = body(ptx, "sum_tiles");
    let count = |words: &str| kernel.matches(words).count();
    for barrier in 1..=4 {
        for what in ["sync", "arrive"] {
            let words = format!("barrier.{what} {barrier}, %r");
            assert_eq!(count(&words), 1, "{words}\n{kernel}");
        }
    }
    assert_eq!((count("bar.sync"), count("barrier.")), (0, 8), "{kernel}");
    assert_eq!(lint.kernel("sum_tiles").unwrap().barriers, 8, "{lint}");
}

/// A feature enables the printing of panic messages.
#[test]
fn panic_messages_are_a_feature() {
    if let Some((ptx, _)) = build(builder(&small("messages"))) {
        assert!(ptx.contains("vprintf"), "{ptx}");
    }
}

/// A kernel with one addition consists of two loads, the addition and a store, all in global
/// memory.
#[test]
fn an_addition_compiles_to_minimal_instructions() {
    if let Some((ptx, _)) = build(builder(&small("addition"))) {
        let kernel = body(&ptx, "add");
        for (words, count) in [("ld.global", 2), ("add.f32", 1), ("st.global", 1)] {
            assert_eq!(kernel.matches(words).count(), count, "{words}\n{kernel}");
        }
        assert!(
            !kernel.contains("call") && !kernel.contains("local"),
            "{kernel}"
        );
    }
}

/// Use of `std` is an error with an explanation.
#[test]
fn std_in_a_kernel_is_explained() {
    if !has_toolchain() {
        return;
    }
    let text = builder(&small("with_std")).build().unwrap_err().to_string();
    assert!(text.contains("there is no std on a GPU"), "{text}");
}
