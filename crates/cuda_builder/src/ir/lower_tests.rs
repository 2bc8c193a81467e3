//! Tests of the lowering on small modules with cases that textual replacement would get wrong.

use super::super::placement::{CONSTANT_SECTION, SHARED_SECTION};
use super::*;

fn lowered(text: &str, exported: &[&str]) -> LoweredModule {
    let exported: Vec<String> = exported.iter().map(|name| name.to_string()).collect();
    lower(&Module::parse(text), &exported).unwrap()
}

fn error(text: &str) -> String {
    lower(&Module::parse(text), &[]).unwrap_err().to_string()
}

#[test]
fn shared_static_and_its_uses_are_lowered() {
    let out = lowered(
        r#"@TILE = internal unnamed_addr global [1024 x i8] undef, section ".nvptx.shared", align 4
@TILE2 = internal global [4 x i8] zeroinitializer, align 4

define ptx_kernel void @k(ptr %0) {
  %1 = load i32, ptr @TILE, align 4
  %2 = load i32, ptr getelementptr inbounds nuw (i8, ptr @TILE, i64 4), align 4
  %3 = load i32, ptr @TILE2, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 4 dereferenceable(1024) @TILE, i8 0, i64 1024, i1 false)
  ret void
}
"#,
        &["k"],
    );
    assert!(
        out.text.contains(
            "@TILE = internal unnamed_addr addrspace(3) global [1024 x i8] undef, align 4\n"
        ),
        "{}",
        out.text
    );
    assert!(
        out.text
            .contains("load i32, ptr addrspacecast (ptr addrspace(3) @TILE to ptr), align 4")
    );
    assert!(
        out.text
            .contains("(i8, ptr addrspacecast (ptr addrspace(3) @TILE to ptr), i64 4)")
    );
    assert!(
        out.text
            .contains("dereferenceable(1024) addrspacecast (ptr addrspace(3) @TILE to ptr), i8 0")
    );
    assert!(
        out.text.contains("load i32, ptr @TILE2, align 4"),
        "a longer name is another symbol"
    );
    assert_eq!(out.exported, ["k"]);
}

#[test]
fn quoted_names_with_spaces_are_lowered() {
    let out = lowered(
        r#"@"my tile" = internal global [8 x i8] undef, section ".nvptx.shared", align 8
@"my tile.1" = internal global [8 x i8] zeroinitializer
define ptx_kernel void @k() {
  store i8 1, ptr @"my tile"
  store i8 1, ptr @"my tile.1"
  ret void
}
"#,
        &["k"],
    );
    assert!(
        out.text
            .contains("store i8 1, ptr addrspacecast (ptr addrspace(3) @my_tile to ptr)"),
        "{}",
        out.text
    );
    assert!(out.text.contains("store i8 1, ptr @my_tile_1\n"));
}

#[test]
fn strings_and_comments_in_metadata_are_unchanged() {
    let out = lowered(
        r#"@T = internal global [8 x i8] undef, section ".nvptx.shared", align 8
@S = internal constant [2 x i8] c"@T"
define ptx_kernel void @k() !dbg !1 {
  store i8 1, ptr @T, !dbg !1 ; ptr @T
  store ptr @S, ptr null
  ret void
}
!0 = !{ptr @T, !"@T"}
!1 = !{}
"#,
        &["k"],
    );
    assert!(out.text.contains("c\"@T\""));
    assert!(out.text.contains("to ptr), !dbg !1 ; ptr @T"));
    assert!(
        out.text
            .contains("!0 = !{ptr addrspacecast (ptr addrspace(3) @T to ptr), !\"@T\"}"),
        "{}",
        out.text
    );
}

#[test]
fn constant_statics_keep_values_and_are_visible_if_writable() {
    let out = lowered(
        r#"@COEFF = local_unnamed_addr global [64 x i8] undef, section ".nvptx.constant", align 4
@TABLE = constant [2 x i8] c"\01\02", section ".nvptx.constant", align 1
@_RNvCslfbWnW9npKB_2k14FOLD = internal constant [2 x i8] c"\03\04", section ".nvptx.constant", align 1
@_RNvCslfbWnW9npKB_2k15WRITE = internal global [2 x i8] zeroinitializer, section ".nvptx.constant", align 1
define ptx_kernel void @k() {
  ret void
}
"#,
        &["k", "COEFF", "TABLE"],
    );
    for line in [
        "@COEFF = addrspace(4) externally_initialized global [64 x i8] zeroinitializer, align 4\n",
        "@TABLE = addrspace(4) externally_initialized global [2 x i8] c\"\\01\\02\", align 1\n",
        "@k1_FOLD = internal unnamed_addr addrspace(4) constant [2 x i8] c\"\\03\\04\", align 1\n",
        "@k1_WRITE = addrspace(4) externally_initialized global [2 x i8] zeroinitializer, align 1\n",
    ] {
        assert!(out.text.contains(line), "{line} not in\n{}", out.text);
    }
    assert_eq!(out.exported, ["COEFF", "TABLE", "k", "k1_WRITE"]);
}

#[test]
fn initializers_with_addresses() {
    let text = |section: &str| {
        format!(
            "@X = internal global [4 x i8] {}, section \"{section}\", align 4\n@P = internal constant ptr @X\n\
             @llvm.used = appending global [1 x ptr] [ptr @X], section \"llvm.metadata\"\n",
            if section == SHARED_SECTION {
                "undef"
            } else {
                "zeroinitializer"
            }
        )
    };
    let constant = lowered(&text(CONSTANT_SECTION), &[]);
    assert!(
        constant
            .text
            .contains("@P = internal constant ptr addrspacecast (ptr addrspace(4) @X to ptr)"),
        "{}",
        constant.text
    );
    assert!(
        constant
            .text
            .contains("@llvm.used = appending global [1 x ptr] [ptr addrspacecast")
    );
    let message = error(&text(SHARED_SECTION));
    assert!(
        message.contains('X') && message.contains("initial value of P"),
        "{message}"
    );
}

#[test]
fn dynamic_shared_memory_is_declared() {
    let out = lowered(
        "@__ferrovox_dynamic_shared = external local_unnamed_addr global [0 x i8]\n",
        &[],
    );
    assert!(
        out.text.contains(
            "@__ferrovox_dynamic_shared = external addrspace(3) global [0 x i8], align 16\n"
        ),
        "{}",
        out.text
    );
    assert!(error("@__ferrovox_dynamic_shared = global [0 x i8] undef\n").contains("reserved"));
}

#[test]
fn initialized_shared_memory_is_an_error() {
    let message = error(
        "@T = internal global [4 x i8] zeroinitializer, section \".nvptx.shared\", align 4\n",
    );
    assert!(
        message.contains("shared") && message.contains("MaybeUninit"),
        "{message}"
    );
}

#[test]
fn names_and_order_do_not_depend_on_hashes() {
    let module = |first: &str, second: &str| {
        format!(
            "define internal void @_RNvCs{first}_1b1f() {{\n  call void @_RNvCs{second}_1a1g()\n  ret void\n}}\n\
             define internal void @_RNvCs{second}_1a1g() {{\n  ret void\n}}\n\
             define ptx_kernel void @k() {{\n  call void @_RNvCs{first}_1b1f()\n  ret void\n}}\n"
        )
    };
    let one = lowered(&module("1234567890", "abcdefghij"), &["k"]).text;
    assert_eq!(
        one,
        lowered(&module("zzzzzzzzzz", "0000000000"), &["k"]).text
    );
    let position = |name: &str| one.find(&format!("@{name}() {{")).unwrap();
    assert!(
        position("k") < position("a_g") && position("a_g") < position("b_f"),
        "{one}"
    );
}

#[test]
fn target_attributes_are_removed() {
    let line = without_target_attributes(
        r#"attributes #0 = { nounwind "target-cpu"="sm_30" "target-features"="+ptx70" "x"="y" }"#,
    );
    assert!(
        !line.contains("target") && line.contains("nounwind") && line.contains("\"x\"=\"y\""),
        "{line}"
    );
}
