//! Stored results of the header, for machines without it.
//!
//! `cargo test -p ferrovox --test occupancy -- --ignored` regenerates them.

use crate::{
    cases::{Answer, Case, Draw},
    header::covered,
    oracle::{Oracle, compile},
};
use ferrovox::occupancy::{ComputeCapability, DeviceLimits, HardwareModel};
use std::{fmt::Write, path::Path};

/// One line per case; `-` means no limit.
const SAMPLE: &str = include_str!("header_sample.csv");

/// Names of the columns.
const COLUMNS: &str = "capability,threads,registers,static bytes,dynamic bytes,carveout,cache,opt in,barriers,\
    active blocks,by warps,by blocks,by registers,by shared memory,by barriers,allocated registers,allocated bytes";

/// Number of cases per compute capability.
const CASES: usize = 420;

fn line(capability: ComputeCapability, case: &Case, answer: &Answer) -> String {
    let mut line = format!(
        "{capability},{},{},{},{},{},{},{},{}",
        case.threads,
        case.registers,
        case.static_bytes,
        case.dynamic_bytes,
        case.carveout,
        case.cache,
        u32::from(case.opt_in),
        case.barriers
    );
    for number in [
        answer.active,
        answer.warps,
        answer.blocks,
        answer.registers,
        answer.shared,
        answer.barriers,
        answer.allocated_registers,
        answer.allocated_shared,
    ] {
        let _ = match number {
            u32::MAX => write!(line, ",-"),
            number => write!(line, ",{number}"),
        };
    }
    line
}

fn read(line: &str) -> (ComputeCapability, Case, Answer) {
    let (capability, rest) = line.split_once(',').expect("columns");
    let numbers: Vec<i64> = rest
        .split(',')
        .map(|text| match text {
            "-" => i64::from(u32::MAX),
            number => number.parse().expect("a number"),
        })
        .collect();
    let number = |at: usize| u32::try_from(numbers[at]).expect("no sign");
    let case = Case {
        threads: number(0),
        registers: number(1),
        static_bytes: number(2),
        dynamic_bytes: number(3),
        bytes_per_thread: 0,
        carveout: numbers[4] as i32,
        cache: number(5),
        opt_in: numbers[6] == 1,
        barriers: number(7),
    };
    let answer = Answer {
        active: number(8),
        warps: number(9),
        blocks: number(10),
        registers: number(11),
        shared: number(12),
        barriers: number(13),
        allocated_registers: number(14),
        allocated_shared: number(15),
    };
    (capability.parse().expect("a capability"), case, answer)
}

#[test]
fn stored_results_equal_the_calculator() {
    let mut lines = SAMPLE.lines();
    assert_eq!(lines.next(), Some(COLUMNS));
    let mut count = 0;
    let mut capabilities = Vec::new();
    for text in lines {
        let (capability, case, answer) = read(text);
        let model = HardwareModel::for_capability(capability).expect("a known capability");
        assert_eq!(case.answer(&model), answer, "{capability}: {case:?}");
        count += 1;
        if capabilities.last() != Some(&capability) {
            capabilities.push(capability);
        }
    }
    assert!(count >= 10_000, "{count}");
    assert!(covered().eq(capabilities));
}

#[test]
#[ignore = "writes the file that the other tests read"]
fn write_stored_results() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compile(folder.path()).expect("the header of CUDA 13, and a C compiler");
    let mut oracle = Oracle::start(&program);
    let mut text = format!("{COLUMNS}\n");
    for capability in covered() {
        let device = DeviceLimits::for_capability(capability).unwrap();
        let mut draw = Draw::new(capability, 2);
        let cases: Vec<Case> = (0..CASES).map(|_| draw.case(&device)).collect();
        let answers = oracle.active(&device, &cases);
        for (case, answer) in cases.iter().zip(&answers) {
            text += &(line(capability, case, answer) + "\n");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/occupancy/header_sample.csv");
    std::fs::write(path, text).expect("the repository's own file");
}

#[test]
fn stored_results_equal_the_header() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = match compile(folder.path()) {
        Ok(program) => program,
        Err(why) => return test_cases::report_skip(format_args!("{why}")),
    };
    let mut oracle = Oracle::start(&program);
    let mut lines = SAMPLE.lines().skip(1).map(read).peekable();
    while let Some(&(capability, ..)) = lines.peek() {
        let of_it: Vec<_> =
            std::iter::from_fn(|| lines.next_if(|(of, ..)| *of == capability)).collect();
        let cases: Vec<Case> = of_it.iter().map(|(_, case, _)| *case).collect();
        let answers = oracle.active(&DeviceLimits::for_capability(capability).unwrap(), &cases);
        assert!(
            answers.iter().eq(of_it.iter().map(|(.., answer)| answer)),
            "{capability}"
        );
    }
}
