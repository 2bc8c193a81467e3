use std::path::PathBuf;

use super::*;
use crate::{CudaBuilderError, KernelResources};

const TEXT: &str = "\
.version 7.8
.target sm_90
.address_size 64
.global .align 1 .b8 table[2] = {0, 1};
.global .align 1 .b8 other[2] = {0, 1};
.visible .entry first()
{
	ld.global.b8 %r1, [table];
$L__BB0_1:
	bra.uni $L__BB0_1;
}
.visible .entry second()
{
$L__BB1_1:
	bra.uni $L__BB1_1;
}
.visible .entry third()
{
	ret;
}
";

/// A directory for PTX and its cache, and an assembler that records its calls.
struct Bench {
    directory: tempfile::TempDir,
    ptxas: Ptxas,
}

impl Bench {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ptxas");
        // A link, because executing a newly written file can fail while another test's child
        // process has inherited the open file.
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/ptxas.sh");
        std::os::unix::fs::symlink(script, &path).unwrap();
        let version = "12.9.86".to_owned();
        Bench {
            directory,
            ptxas: Ptxas { path, version },
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Assembles the text and returns the kernel names passed to each run of the assembler.
    fn assembled_by(&self, text: &str, jobs: usize) -> Result<Vec<String>> {
        let (ptx, cache) = (self.at("k.ptx"), self.at("cache/sm_90.json"));
        fs::write(&ptx, text).unwrap();
        let found = self
            .ptxas
            .resources_cached(&ptx, NvvmArch::Compute90, &cache, jobs)?;
        let asked = fs::read_to_string(self.at("asked")).unwrap_or_default();
        let _ = fs::remove_file(self.at("asked"));
        assert_eq!(found.fresh, asked.split_whitespace().count());
        let expected = self.ptxas.resources(&ptx, NvvmArch::Compute90)?;
        assert_eq!(found.kernels, expected);
        let _ = fs::remove_file(self.at("asked"));
        // only the cache remains
        assert_eq!(fs::read_dir(self.at("cache")).unwrap().count(), 1);
        let mut asked: Vec<String> = asked.lines().map(str::to_owned).collect();
        asked.sort();
        Ok(asked)
    }

    fn assembled(&self, text: &str) -> Vec<String> {
        self.assembled_by(text, 1).unwrap()
    }
}

#[test]
fn only_changed_kernels_are_assembled() {
    let bench = Bench::new();
    assert_eq!(bench.assembled(TEXT), ["first second third"]);
    assert!(bench.assembled(TEXT).is_empty());
    let edited = TEXT.replace("ret;", "exit;");
    assert_eq!(bench.assembled(&edited), ["third"]);
    // results of the previous run are still cached
    assert!(bench.assembled(TEXT).is_empty());
    assert!(bench.assembled(&edited).is_empty());
    // a static affects only kernels that reference it
    assert_eq!(
        bench.assembled(&TEXT.replace("table[2] = {0", "table[2] = {5")),
        ["first"]
    );
    assert!(
        bench
            .assembled(&TEXT.replace("other[2] = {0", "other[2] = {5"))
            .is_empty()
    );
    // common items affect all kernels
    assert_eq!(
        bench.assembled(&TEXT.replace("7.8", "8.0")),
        ["first second third"]
    );
    let constant = ".visible .entry first";
    let constant = TEXT.replace(constant, &format!(".const .u32 c = 3;\n{constant}"));
    assert_eq!(bench.assembled(&constant), ["first second third"]);
}

#[test]
fn comments_and_function_numbers_have_no_effect() {
    let bench = Bench::new();
    bench.assembled(TEXT);
    let commented = TEXT.replace("ret;", "ret; // done");
    assert!(
        bench
            .assembled(&format!("// sources: sha256 2\n\n{commented}"))
            .is_empty()
    );
    let renumbered = TEXT.replace("BB1_", "BB12_").replace("BB0_", "BB1_");
    assert!(bench.assembled(&renumbered).is_empty());
    // the target of a branch matters
    assert_eq!(
        bench.assembled(&TEXT.replace("BB1_1;", "BB1_2;")),
        ["second"]
    );
}

#[test]
fn different_labels_stay_different() {
    let text = "$L__BB7_1:\nbra $L__BB7_1; bra $L__BB31_1; $L__BBx";
    assert_eq!(
        numbered_labels(text),
        "$L__BB0_1:\nbra $L__BB0_1; bra $L__BB1_1; $L__BB2x"
    );
}

#[test]
fn another_assembler_or_architecture_invalidates_the_cache() {
    let mut bench = Bench::new();
    bench.assembled(TEXT);
    bench.ptxas.version = "13.0.1".to_owned();
    assert_eq!(bench.assembled(TEXT), ["first second third"]);
    let cache = bench.at("cache/sm_90.json");
    let found = bench
        .ptxas
        .resources_cached(&bench.at("k.ptx"), NvvmArch::Compute100, &cache, 1)
        .unwrap();
    assert_eq!(found.fresh, 3);
}

#[test]
fn a_damaged_cache_is_replaced() {
    let bench = Bench::new();
    bench.assembled(TEXT);
    let cache = bench.at("cache/sm_90.json");
    let good = fs::read_to_string(&cache).unwrap();
    for bad in [
        &good[..good.len() / 2],
        "",
        "[]",
        &good.replace("\"format\":1", "\"format\":0"),
        &good.replace("registers", "regs"),
    ] {
        fs::write(&cache, bad).unwrap();
        assert_eq!(bench.assembled(TEXT), ["first second third"], "{bad}");
        assert!(bench.assembled(TEXT).is_empty());
    }
}

#[test]
fn unused_entries_are_removed_from_the_cache() {
    let bench = Bench::new();
    let kernels = || {
        let text = fs::read_to_string(bench.at("cache/sm_90.json")).unwrap();
        text.matches("registers").count()
    };
    for count in 0..20 {
        bench.assembled(&TEXT.replace("ret;", &format!("mov.u32 %r1, {count};")));
        assert!(kernels() <= 2 + 9, "{}", kernels());
    }
    // two kernels that never changed, and the last nine versions of the third
    assert_eq!(kernels(), 2 + 9);
}

#[test]
fn kernels_are_distributed_over_assemblers() {
    let bench = Bench::new();
    assert_eq!(
        bench.assembled_by(TEXT, 2).unwrap(),
        ["first", "second third"]
    );
    let bench = Bench::new();
    assert_eq!(
        bench.assembled_by(TEXT, 8).unwrap(),
        ["first", "second", "third"]
    );
}

#[test]
fn resource_usage_is_that_of_the_assembler() {
    let bench = Bench::new();
    bench.assembled(TEXT);
    let cache = bench.at("cache/sm_90.json");
    let found = bench
        .ptxas
        .resources_cached(&bench.at("k.ptx"), NvvmArch::Compute90, &cache, 1)
        .unwrap();
    let second = KernelResources {
        registers: 6,
        constant_bytes: 368,
        stack_bytes: 8,
        spill_store_bytes: 4,
        spill_load_bytes: 12,
        barriers: 1,
        ..KernelResources::default()
    };
    assert_eq!((found.fresh, found.kernels["second"]), (0, second));
}

#[test]
fn an_error_names_the_file_of_the_user() {
    let bench = Bench::new();
    bench.assembled(TEXT);
    let broken = TEXT.replace("ret;", "BROKEN;");
    for jobs in [1, 2] {
        let error = bench.assembled_by(&broken, jobs).unwrap_err();
        assert!(matches!(error, CudaBuilderError::ToolFailed { .. }));
        let message = error.to_string();
        let file = bench.at("k.ptx").display().to_string();
        assert!(
            message.contains(&format!("ptxas {file}, line 1")),
            "{message}"
        );
    }
    // known results are still cached
    assert!(bench.assembled(TEXT).is_empty());
}

#[test]
fn debug_ptx_is_always_assembled_completely() {
    let bench = Bench::new();
    let text = TEXT.replace(".target sm_90", ".target sm_90, debug");
    let (ptx, cache) = (bench.at("k.ptx"), bench.at("sm_90.json"));
    fs::write(&ptx, text).unwrap();
    for _ in 0..2 {
        let found = bench
            .ptxas
            .resources_cached(&ptx, NvvmArch::Compute90, &cache, 2)
            .unwrap();
        assert_eq!(found.fresh, 3);
    }
    assert!(!cache.exists());
}
