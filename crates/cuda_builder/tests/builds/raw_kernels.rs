//! Kernels without cuda_std: memory spaces, barriers, arithmetic options, the lint.

use std::fs;

use crate::support::{body, builder, copy_fixtures, has_toolchain, ptxas};
use cuda_builder::lint::{FindingKind, LintReport, LintRules};
use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};

/// Returns a copy of the fixture, and a builder for it with a target directory of its own.
fn raw() -> Option<(tempfile::TempDir, CudaBuilder)> {
    has_toolchain().then(|| {
        let directory = tempfile::tempdir().unwrap();
        copy_fixtures(directory.path());
        let builder =
            builder(&directory.path().join("raw")).copy_to(directory.path().join("out.ptx"));
        (directory, builder)
    })
}

fn build(builder: CudaBuilder) -> (String, LintReport) {
    let output = builder
        .build_with_report()
        .unwrap_or_else(|error| panic!("{error}"));
    (fs::read_to_string(&output.ptx).unwrap(), output.lint)
}

#[test]
fn statics_are_in_their_memory_spaces() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let (ptx, lint) = build(builder);
    let reverse = body(&ptx, "reverse");
    for instruction in [
        "st.shared.b32",
        "ld.shared.b32",
        "ld.const.b32",
        "ld.global",
        "st.global.b32",
    ] {
        assert!(
            reverse.contains(instruction),
            "{instruction} not in\n{reverse}"
        );
    }
    assert!(
        ptx.contains(".visible .const .align 4 .b8 COEFFICIENTS[64]"),
        "{ptx}"
    );
    assert!(ptx.contains("PRESET[16] = {10, 0, 0, 0, 20,"), "{ptx}");
    assert!(
        ptx.contains(".extern .shared .align 16 .b8 __ferrovox_dynamic_shared[]"),
        "{ptx}"
    );
    let dynamic = body(&ptx, "dynamic");
    assert!(
        dynamic.contains("st.shared.b32") && dynamic.contains("ld.shared.b32"),
        "{dynamic}"
    );
    for kernel in ["reverse", "three_barriers", "dynamic", "arithmetic"] {
        assert!(lint.kernel(kernel).unwrap().findings.is_empty(), "{lint}");
    }
}

/// rust-lang/rust#137086: a barrier must not be duplicated into the arms of a branch.
#[test]
fn barriers_are_not_duplicated() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let (ptx, lint) = build(builder);
    for (kernel, barriers) in [
        ("reverse", 2),
        ("three_barriers", 3),
        ("dynamic", 1),
        ("arithmetic", 0),
    ] {
        assert_eq!(
            body(&ptx, kernel).matches("bar.sync").count(),
            barriers,
            "{kernel}\n{ptx}"
        );
        assert_eq!(lint.kernel(kernel).unwrap().barriers, barriers, "{kernel}");
    }
}

/// Assembly executed by a warp together must not be duplicated either.
#[test]
fn warp_barriers_in_assembly_are_not_duplicated() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let (ptx, _) = build(builder);
    let kernel = body(&ptx, "warp_barriers");
    assert_eq!(kernel.matches("bar.warp.sync").count(), 3, "{kernel}");
}

#[test]
fn arithmetic_options_select_the_instructions() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let arithmetic = |builder: CudaBuilder| body(&build(builder).0, "arithmetic").to_owned();
    let fused = arithmetic(builder.clone());
    assert!(
        fused.contains("fma.rn.f32") && fused.contains("div.rn.f32"),
        "{fused}"
    );
    let exact = arithmetic(builder.clone().fma_contraction(false));
    assert!(
        exact.contains("mul.rn.f32") && exact.contains("add.rn.f32") && !exact.contains("fma"),
        "{exact}"
    );
    let fast = arithmetic(builder.clone().fast_div(true).ftz(true));
    assert!(
        fast.contains("div.full.ftz.f32") && fast.contains("fma.rn.ftz.f32"),
        "{fast}"
    );
    let unoptimised = build(builder.nvvm_opts(false));
    assert_eq!(unoptimised.1.kernel("three_barriers").unwrap().barriers, 3);
}

#[test]
fn lint_findings_have_kernel_and_source_line() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let (_, lint) = build(builder.clone());
    let panics = lint.kernel("panics").unwrap();
    let call = panics
        .findings
        .iter()
        .find(|finding| finding.kind == FindingKind::PanicCall)
        .unwrap();
    assert_eq!(call.what, "core_panicking_panic_bounds_check");
    assert!(
        call.source.as_ref().unwrap().ends_with("src/lib.rs:6"),
        "{call}"
    );
    let generic = lint.kernel("generic").unwrap();
    assert!(
        generic.count(FindingKind::GenericAccessInLoop) >= 2,
        "{lint}"
    );
    let line = generic.findings[0].source.clone().unwrap();
    assert!(line.starts_with("src/lib.rs:"), "{line}");

    let error = builder
        .lint(LintRules::strict())
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("kernel panics")
            && error.contains("kernel generic")
            && error.contains("src/lib.rs:6"),
        "{error}"
    );
}

#[test]
fn compile_errors_contain_rustcs_messages() {
    let Some((keep, builder)) = raw() else { return };
    let error = builder
        .clone()
        .build_args(&["--features", "broken"])
        .build()
        .unwrap_err();
    assert!(matches!(error, CudaBuilderError::BuildFailed { .. }));
    let text = error.to_string();
    assert!(
        text.contains("mismatched types") && text.contains("src/lib.rs"),
        "{text}"
    );

    let text = builder
        .build_args(&["--features", "missing"])
        .build()
        .unwrap_err()
        .to_string();
    assert!(text.contains("nobody_defines_me"), "{text}");
    assert!(
        !keep.path().join("out.ptx").exists(),
        "a failed build must not leave PTX"
    );
    let text = CudaBuilder::new(keep.path().join("nowhere"))
        .build()
        .unwrap_err()
        .to_string();
    assert!(text.contains("nowhere"), "{text}");
}

#[test]
fn debug_and_line_information_follow_the_options() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let (plain, _) = build(builder.clone());
    assert!(
        !plain.contains(".loc") && !plain.contains(".file") && !plain.contains("src/lib.rs"),
        "{plain}"
    );
    let (lines, _) = build(builder.clone().generate_line_info(true));
    assert!(
        lines.contains("\t.loc\t") && lines.contains("src/lib.rs"),
        "{lines}"
    );
    let (full, _) = build(builder.clone().debug(DebugInfo::Full));
    assert!(
        full.contains(".target sm_70, debug") && full.contains(".section\t.debug_info"),
        "{full}"
    );
    let (debug, _) = build(builder.release(false));
    assert!(debug.contains("// target: sm_70, debug"));
}

#[test]
fn ptxas_assembles_every_supported_architecture() {
    let Some((keep, builder)) = raw() else { return };
    let ptx = keep.path().join("out.ptx");
    let shared = [NvvmArch::Compute70, NvvmArch::Compute90];
    let others = [NvvmArch::Compute80, NvvmArch::Compute100];
    // Each of the others needs its own `core`, compiled in half a minute, which no step shares.
    let others = others.into_iter().filter(|_| test_cases::run_all_cases());
    for arch in shared.into_iter().chain(others) {
        build(builder.clone().arch(arch));
        let resources = ptxas()
            .resources(&ptx, arch)
            .unwrap_or_else(|error| panic!("{arch}: {error}"));
        assert_eq!(resources["reverse"].static_shared_bytes, 1024, "{arch}");
        assert_eq!(
            resources["three_barriers"].static_shared_bytes, 128,
            "{arch}"
        );
        assert!(resources["reverse"].registers > 0 && resources["reverse"].barriers == 1);
    }
    // PTX with debug information must be valid too
    build(builder.debug(DebugInfo::Full));
    ptxas()
        .resources(&ptx, NvvmArch::Compute70)
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn ir_and_bitcode_can_be_emitted() {
    let Some((keep, builder)) = raw() else { return };
    let output = builder
        .clone()
        .emit_llvm_ir(true)
        .build_with_report()
        .unwrap();
    let text = fs::read_to_string(output.emitted.unwrap()).unwrap();
    assert!(text.contains("define ptx_kernel void @reverse") && text.contains("addrspace(3)"));
    let output = builder.emit_llvm_bitcode(true).build_with_report().unwrap();
    assert_eq!(output.emitted.unwrap(), keep.path().join("out.bc"));
    assert!(
        fs::read(keep.path().join("out.bc"))
            .unwrap()
            .starts_with(b"BC")
    );
}

#[test]
fn a_single_kernel_can_be_built() {
    let Some((_keep, builder)) = raw() else {
        return;
    };
    let (all, _) = build(builder.clone());
    let (one, _) = build(builder.clone().only_kernel("reverse"));
    assert_eq!(body(&one, "reverse"), body(&all, "reverse"));
    assert_eq!(one.matches(".entry").count(), 1, "{one}");
    // constant memory written by the host stays visible
    assert!(one.contains(".visible .const .align 4 .b8 COEFFICIENTS[64]"));
    let error = builder.only_kernel("reverze").build().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no kernel `reverze`; available:")
            && error.to_string().contains("reverse"),
        "{error}"
    );
}

#[test]
fn too_much_static_shared_memory_is_an_error() {
    let Some((keep, builder)) = raw() else {
        return;
    };
    let source = keep.path().join("raw/src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    let small = "TILE: MaybeUninit<[f32; 256]>";
    assert!(text.contains(small));
    let large = text.replace(small, "TILE: MaybeUninit<[f32; 12289]>");
    fs::write(&source, large).unwrap();
    let error = builder.build().unwrap_err();
    assert!(
        matches!(
            &error,
            CudaBuilderError::SharedMemory { bytes: 49156, max: 49152, kernel, .. } if kernel == "reverse"
        ),
        "{error}"
    );
    assert!(error.to_string().contains("dynamic_shared_mem"), "{error}");
}
