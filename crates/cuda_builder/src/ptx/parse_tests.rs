//! Tests of the parser with PTX as written by LLVM 22.

use super::*;

const PTX: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.func helper
()
;
.visible .global .align 4 .b8 TABLE[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
.visible .entry run(
	.param .u64 .ptr .align 1 run_param_0
)                                       // @run
{
	.local .align 8 .b8 	__local_depot0[24];
	.reg .pred 	%p<2>;
	.loc	1 33 0                          // src/lib.rs:33:0
// %bb.0:
	ld.param.b64 	%rd1, [run_param_0];
$L__BB0_1:
	.loc	2 963 18                        // library/core/src/ptr/const_ptr.rs:963:18 @[ src/sum.rs:35:67 @[ src/lib.rs:40:3 ] ]
	ld.v4.b32 	{%r1, %r2, %r3, %r4}, [%rd7];
	@%p1 bra 	$L__BB0_1;
	{ // callseq 0, 0
	.param .b64 param0;
	st.param.b64 	[param0], %rd1;
	call.uni (retval0), helper, (param0);
	} // callseq 0
	bar.sync 	0;
	// begin inline asm
	{ .reg .pred q; setp.ne.u32 q, %r1, 0; vote.sync.any.pred q, q, %r2; }
	// end inline asm
	ret;
}
.func  (.param .b32 func_retval0) helper(
	.param .b64 helper_param_0
)
{
	trap;
}
	.file	1 "src/lib.rs"
	.file	2 "library/core/src/ptr/const_ptr.rs"
"#;

#[test]
fn functions_and_instructions_are_parsed() {
    let module = PtxModule::parse(PTX);
    let names: Vec<_> = module
        .functions
        .iter()
        .map(|function| (function.name.as_str(), function.is_entry))
        .collect();
    assert_eq!(names, [("run", true), ("helper", false)]);
    let run = module.function("run").unwrap();
    let opcodes: Vec<_> = run
        .instructions
        .iter()
        .map(|instruction| instruction.opcode.as_str())
        .collect();
    assert_eq!(
        opcodes,
        [
            "ld.param.b64",
            "ld.v4.b32",
            "bra",
            "st.param.b64",
            "call.uni",
            "bar.sync",
            "setp.ne.u32",
            "vote.sync.any.pred",
            "ret"
        ]
    );
    assert_eq!(run.local_depot, 24);
    assert_eq!(
        run.in_loop(),
        [false, true, true, false, false, false, false, false, false]
    );
    assert_eq!(
        run.callees().map(|(_, name)| name).collect::<Vec<_>>(),
        ["helper"]
    );
    assert_eq!(
        module.function("helper").unwrap().instructions[0].opcode,
        "trap"
    );
}

#[test]
fn source_lines_include_inlined_call_sites() {
    let module = PtxModule::parse(PTX);
    let run = &module.functions[0];
    assert_eq!(
        run.instructions[0].user_source().unwrap().to_string(),
        "src/lib.rs:33"
    );
    let load = &run.instructions[1];
    let chain: Vec<_> = load.source.iter().map(ToString::to_string).collect();
    assert_eq!(
        chain,
        [
            "library/core/src/ptr/const_ptr.rs:963",
            "src/sum.rs:35",
            "src/lib.rs:40"
        ]
    );
    assert_eq!(load.user_source().unwrap().to_string(), "src/sum.rs:35");
}

#[test]
fn other_text_results_in_an_empty_module() {
    assert_eq!(
        PtxModule::parse("hello } world { ; }"),
        PtxModule::parse("hello } world { ; }")
    );
    assert!(PtxModule::parse("").functions.is_empty());
}
