//! Tests of each kind of finding on PTX with and without it.

use super::*;
use crate::lint::LintRules;

const PTX: &str = r#"
.visible .entry clean(
)
{
	.loc	1 3 0
	ld.global.b32 	%r1, [%rd1];
	ld.const.b32 	%r1, [%rd1];
	st.shared::cta.b32 	[%rd1], %r1;
	atom.acquire.gpu.global.add.u32 	%r1, [%rd1], 1;
	bar.sync 	0;
	barrier.sync 	0;
	barrier.sync 1, %r1;
	bar.arrive 	15, 64;
	barrier.cta.red.popc.aligned.u32 	%r1, 2, 64, %p1;
	bar.warp.sync 	-1;
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;
	ret;
}
.visible .entry dirty(
)
{
	.local .align 8 .b8 	__local_depot1[16];
	.loc	1 10 0
	st.local.b32 	[%SPL], %r1;
	.loc	1 11 0
	ld.volatile.b32 	%r1, [%rd1];
$L__BB1_1:
	.loc	1 12 0
	st.b32 	[%rd1], %r1;
	st.b32 	[%rd1+4], %r1;
	@%p1 bra 	$L__BB1_1;
	.loc	1 13 0
	call.uni 	core_panicking_panic, ();
	call.uni 	helper, ();
}
.func helper()
{
	.loc	1 20 0
	trap;
	bar.sync 	0;
}
	.file	1 "src/k.rs"
"#;

#[test]
fn a_clean_kernel_has_no_findings() {
    let report = lint(PTX);
    let clean = report.kernel("clean").unwrap();
    assert_eq!((clean.barriers, clean.findings.len()), (5, 0), "{report}");
}

#[test]
fn every_kind_is_found_with_its_source_line() {
    let report = lint(PTX);
    let dirty = report.kernel("dirty").unwrap();
    let found: Vec<String> = dirty.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "generic access: ld.volatile.b32 at src/k.rs:11",
            "generic access in a loop: st.b32 (2 times) at src/k.rs:12",
            "local depot: 16 bytes of stack at src/k.rs:10",
            "panic call: core_panicking_panic at src/k.rs:13",
            "trap: trap at src/k.rs:20 in the called function helper",
        ]
    );
    assert_eq!(dirty.barriers, 1);
}

#[test]
fn rules_select_the_errors() {
    let report = lint(PTX);
    assert!(report.errors(&LintRules::default()).is_empty());
    let errors = report.errors(&LintRules::strict());
    assert_eq!(errors.len(), 4, "{errors:?}");
    assert!(
        errors
            .iter()
            .all(|error| error.starts_with("kernel dirty: ") && error.contains("Remedy: "))
    );
    let eased = LintRules::strict()
        .allow(FindingKind::Trap)
        .allow_in("dirty", FindingKind::PanicCall);
    assert_eq!(report.errors(&eased).len(), 2);
    assert_eq!(
        report
            .errors(&LintRules::default().deny(FindingKind::GenericAccess))
            .len(),
        1
    );
}
