//! Printing and assertions in kernels.

use crate::{shape, MODES};
use cuda_std::{launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;

const SIGNED: [f32; 70] = {
    let mut x = [1.0; 70];
    x[3] = -2.5;
    x[40] = -7.0;
    x[41] = -8.0;
    x
};

/// Run by `lines_are_whole` in a child process, for its output.
#[test]
#[ignore = "prints only; run by lines_are_whole"]
fn prints() {
    for mode in MODES {
        let arguments = (View::from(&SIGNED[..]),);
        // SAFETY: the kernel only reads.
        unsafe { launch_on_cpu::<kernels::name_negative>(shape(3, 32), mode, arguments) }.unwrap();
    }
}

#[test]
fn lines_are_whole() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "printing::prints", "--ignored", "--nocapture"])
        // Blocks run one after another: a line that is printed in two calls ends early if another
        // block prints in between.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("element"))
        .collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "[block (0, 0, 0), thread (3, 0, 0)] element 3 is -2.5, [-2, 3]",
            "[block (1, 0, 0), thread (8, 0, 0)] element 40 is -7, [-7, 40]",
            "[block (1, 0, 0), thread (9, 0, 0)] element 41 is -8, [-8, 41]",
            "element 3 is -2.5, [-2, 3]",
            "element 40 is -7, [-7, 40]",
            "element 41 is -8, [-8, 41]",
        ],
        "{text}"
    );
}

#[test]
fn assertions_end_the_launch() {
    let halve = |x: &[u32], mode| {
        let mut out = vec![0; x.len()];
        let arguments = (View::from(x), out.as_mut_ptr());
        // SAFETY: each thread writes its own element of `out`.
        unsafe { launch_on_cpu::<kernels::halve>(shape(1, 4), mode, arguments) }
            .map(|()| out)
            .map_err(|error| error.to_string())
    };
    for mode in MODES {
        assert_eq!(halve(&[2, 4, 998], mode), Ok(vec![1, 2, 499]));
        for (x, words) in [
            ([2, 4, 5], ["element 2", "halve", "left: 1"]),
            ([2, 0, 2], ["assertion", "halve", "right: 0"]),
            ([1002, 2, 2], ["1002 is too large", "halve", "thread"]),
        ] {
            let error = halve(&x, mode).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }
}
