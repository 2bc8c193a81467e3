//! NVIDIA's assembler: the resource usage of a kernel does not depend on other kernels in the file,
//! so it can be cached.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{has_toolchain, ptxas};
use cuda_builder::{NvvmArch, Ptxas, ResourceTable};

/// Items that kernels can share: a table, static and dynamic shared memory (whose alignment rounds
/// up that of every kernel), constants, a function.
const PTX: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.const .align 4 .b8 A[64] = {1};
.const .align 8 .b8 B[256] = {2};
.global .align 4 .b8 TABLE[16] = {1};
.shared .align 4 .b8 TILE[1028];
.shared .align 8 .b8 OTHER[520];
.visible .func (.param .b32 result) twice(.param .b32 number)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [number];
	add.u32 %r2, %r1, %r1;
	st.param.b32 [result], %r2;
	ret;
}
"#;

/// Returns a kernel that loads the thread's element of a static and processes it.
fn kernel(name: &str, number: usize, space: &str, table: &str, with: &str) -> String {
    format!(
        r#".visible .entry {name}(
	.param .u64 {name}_param_0
)
{{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [{name}_param_0];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, {table};
	add.s64 %rd3, %rd3, %rd2;
	ld.{space}.b32 %r2, [%rd3];
	setp.eq.u32 %p1, %r1, 7;
	@%p1 bra $L__BB{number}_2;
{with}$L__BB{number}_2:
	st.global.b32 [%rd1], %r2;
	ret;
}}
"#
    )
}

/// Returns kernels that each use different items of [`PTX`].
fn kernels() -> Vec<String> {
    let call = "\t{\n\t.param .b32 p0;\n\t.param .b32 p1;\n\tst.param.b32 [p0], %r2;\n\tcall.uni (p1), twice, (p0);\n\tld.param.b32 %r2, [p1];\n\t}\n";
    let second = "\tmov.u64 %rd3, B;\n\tld.const.b32 %r3, [%rd3];\n\tadd.u32 %r2, %r2, %r3;\n";
    vec![
        kernel("constant_a", 1, "const", "A", ""),
        kernel("constant_b", 2, "const", "B", ""),
        kernel("both", 3, "const", "A", second),
        kernel("table", 4, "global", "TABLE", ""),
        kernel("tile", 5, "shared", "TILE", "\tbar.sync 0;\n"),
        kernel("other", 6, "shared", "OTHER", ""),
        kernel("dynamic_too", 7, "shared", "dynamic", ""),
        kernel("calls", 8, "shared", "OTHER", call),
    ]
}

/// Returns the resource usage computed with a cache, and the number of assembled kernels.
fn cached(ptxas: &Ptxas, directory: &Path, text: &str, jobs: usize) -> (ResourceTable, usize) {
    let ptx = directory.join("k.ptx");
    fs::write(&ptx, text).unwrap();
    let found = ptxas
        .resources_cached(&ptx, NvvmArch::Compute70, &directory.join("k.json"), jobs)
        .unwrap_or_else(|error| panic!("{error}"));
    (found.kernels, found.fresh)
}

fn uncached(ptxas: &Ptxas, directory: &Path, text: &str) -> ResourceTable {
    let ptx = directory.join("whole.ptx");
    fs::write(&ptx, text).unwrap();
    ptxas
        .resources(&ptx, NvvmArch::Compute70)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn resource_usage_does_not_depend_on_other_kernels() {
    if !has_toolchain() {
        return;
    }
    let ptxas = ptxas();
    let directory = tempfile::tempdir().unwrap();
    let kernels = kernels();
    let all = PTX.to_owned() + &kernels.concat();
    let expected = uncached(&ptxas, directory.path(), &all);
    assert_eq!(expected.len(), kernels.len());
    let figures: BTreeSet<_> = expected
        .values()
        .map(|figures| (figures.constant_bytes, figures.static_shared_bytes))
        .collect();
    assert!(
        figures.len() >= 4,
        "a test of different kernels: {expected:?}"
    );
    // one assembler, several in parallel, and one per kernel, each with an empty cache
    for jobs in [1, 3, kernels.len()] {
        let empty = tempfile::tempdir().unwrap();
        let (found, fresh) = cached(&ptxas, empty.path(), &all, jobs);
        assert_eq!((fresh, found), (kernels.len(), expected.clone()));
    }
    // one more kernel each time: cached results come from smaller files
    for count in 1..=kernels.len() {
        let text = PTX.to_owned() + &kernels[..count].concat();
        let (found, fresh) = cached(&ptxas, directory.path(), &text, 1);
        assert_eq!(fresh, 1);
        assert_eq!(found, uncached(&ptxas, directory.path(), &text));
    }
}

#[test]
fn changes_of_shared_items_invalidate_dependent_kernels() {
    if !has_toolchain() {
        return;
    }
    let ptxas = ptxas();
    let directory = tempfile::tempdir().unwrap();
    let all = PTX.to_owned() + &kernels().concat();
    cached(&ptxas, directory.path(), &all, 1);
    for (from, to, expected) in [
        ("TABLE[16] = {1}", "TABLE[16] = {5}", 1),
        ("OTHER[520]", "OTHER[1040]", 2),
        // the position of a constant, the alignment of dynamic shared memory, and functions affect
        // all kernels
        ("A[64]", "A[72]", 8),
        (".align 16 .b8 dynamic", ".align 128 .b8 dynamic", 8),
        ("add.u32 %r2, %r1, %r1;", "mul.lo.u32 %r2, %r1, %r1;", 8),
    ] {
        let edited = all.replace(from, to);
        assert_ne!(edited, all);
        let (found, fresh) = cached(&ptxas, directory.path(), &edited, 1);
        assert_eq!(found, uncached(&ptxas, directory.path(), &edited), "{from}");
        assert_eq!(fresh, expected, "{from}");
    }
}
