//! Text of reports, merging of equal findings, and the cap on their number.

use crate::common::{CHECKED, Words, findings, launch, rank, run};
use simt::{LaunchShape, MAX_FINDINGS, Mode, current};
use std::sync::Mutex;

#[test]
fn text_of_a_complete_report() {
    let words = Words::new(4);
    let line = line!() + 4;
    let shape = LaunchShape::new(3, (1, 2));
    let report = findings(launch("smooth", shape, Mode::Checked { seed: 3 }, || {
        if current::block_idx().x == 1 {
            words.read(4 + rank() / 2);
        }
    }));
    let finding = &report.findings()[0];
    let (site, y) = (finding.site, finding.thread.y);
    assert_eq!((site.line(), site.file()), (line, file!()));
    let expected = format!(
        "1 finding in kernel `smooth` (checked mode, seed 3):\n  \
           1. out of bounds: index 4 into a View of 4 elements\n     \
              block (1, 0, 0), thread (0, {y}, 0), at {site}\n     \
              occurred 2 times"
    );
    assert_eq!(report.to_string(), expected);
    assert_eq!((report.kernel(), report.seed()), ("smooth", Some(3)));
}

#[test]
fn text_of_a_race_names_two_threads_and_two_lines() {
    let words = Words::new(1);
    let report = findings(run(1, 64, CHECKED, || match rank() {
        2 => words.write(0, 1),
        35 => _ = words.add(0, 1),
        _ => (),
    }));
    let text = report.to_string();
    assert!(text.contains("1. race on global memory at 0x"), "{text}");
    assert!(
        text.contains(" (4 bytes): these accesses are not ordered by a barrier\n"),
        "{text}"
    );
    assert!(text.contains("thread (2, 0, 0) wrote it at "), "{text}");
    assert!(
        text.contains("thread (35, 0, 0) updated it atomically at "),
        "{text}"
    );
    assert_eq!(text.matches(&format!("{}:", file!())).count(), 2, "{text}");
    assert!(!text.contains("occurred"), "{text}");
}

#[test]
fn findings_at_one_location_are_merged() {
    for seed in 0..10 {
        let words = Words::new(64);
        let report = findings(run(4, 64, Mode::Checked { seed }, || {
            words.read((rank() + 1) % 64);
            words.write(rank(), 1);
        }));
        // A read and a write against the write of another block; the order in which the two lines
        // of a pair are reached does not matter.
        let total: u64 = report
            .findings()
            .iter()
            .map(|finding| finding.occurrences)
            .sum();
        assert_eq!(report.findings().len(), 2, "{report}");
        assert!(total > 64, "{report}");
    }
}

/// Reads out of bounds at one of 25 source locations, selected by `which`.
#[rustfmt::skip]
fn read_at_one_of_25_lines(words: &Words, which: usize) -> u32 {
    match which {
        0 => words.read(9), 1 => words.read(9), 2 => words.read(9), 3 => words.read(9), 4 => words.read(9),
        5 => words.read(9), 6 => words.read(9), 7 => words.read(9), 8 => words.read(9), 9 => words.read(9),
        10 => words.read(9), 11 => words.read(9), 12 => words.read(9), 13 => words.read(9), 14 => words.read(9),
        15 => words.read(9), 16 => words.read(9), 17 => words.read(9), 18 => words.read(9), 19 => words.read(9),
        20 => words.read(9), 21 => words.read(9), 22 => words.read(9), 23 => words.read(9), _ => words.read(9),
    }
}

#[test]
fn a_report_is_capped_and_counts_the_rest() {
    let words = Words::new(1);
    let report = findings(run(2, 25, CHECKED, || {
        let _ = read_at_one_of_25_lines(&words, rank());
    }));
    assert_eq!(report.findings().len(), MAX_FINDINGS);
    assert_eq!(report.omitted(), 25 - MAX_FINDINGS);
    assert!(
        report
            .findings()
            .iter()
            .all(|finding| finding.occurrences == 2)
    );
    let text = report.to_string();
    assert!(text.starts_with("25 findings in kernel `kernel`"), "{text}");
    assert!(
        text.ends_with("\n  and 5 more at other source lines"),
        "{text}"
    );
}

#[test]
fn equal_seeds_give_equal_schedules() {
    let schedule_order = |seed: u64| {
        let order = Mutex::new(Vec::new());
        run(5, 20, Mode::Checked { seed }, || {
            let mut order = order.lock().unwrap();
            order.push((current::block_idx().x, current::thread_rank()));
        })
        .unwrap();
        order.into_inner().unwrap()
    };
    assert_eq!(schedule_order(1), schedule_order(1));
    assert_ne!(schedule_order(1), schedule_order(2));
    let mut sorted = schedule_order(1);
    assert!(!sorted.is_sorted());
    sorted.sort_unstable();
    assert!(
        sorted
            .into_iter()
            .eq((0..5).flat_map(|block| (0..20).map(move |thread| (block, thread))))
    );

    let words = Words::new(3);
    let report_text = |seed| {
        findings(run(3, 64, Mode::Checked { seed }, || {
            words.write(rank() % 3, 1)
        }))
        .to_string()
    };
    assert_eq!(report_text(5), report_text(5));
}
