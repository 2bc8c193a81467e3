//! Printing on the CPU: complete lines, with block and thread in checked mode.

use simt::{Dim3, current};
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// Origin of printed text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PrintOrigin {
    /// Operating-system thread.
    thread: ThreadId,
    /// Block and thread of the launch, inside a kernel.
    kernel_thread: Option<(Dim3, Dim3)>,
}

impl PrintOrigin {
    fn now() -> Self {
        Self {
            thread: thread::current().id(),
            kernel_thread: current::is_active()
                .then(|| (current::block_idx(), current::thread_idx())),
        }
    }
}

/// Origin of the incomplete last line of each output (standard output and standard error).
static OPEN_LINES: Mutex<[Option<PrintOrigin>; 2]> = Mutex::new([None; 2]);

/// Formats `text` for output: terminates an incomplete line of another origin and, if `named`,
/// prefixes each new line with its origin. Updates `open_line`.
fn lines(
    text: &str,
    origin: PrintOrigin,
    named: bool,
    open_line: &mut Option<PrintOrigin>,
) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    if open_line.is_some_and(|other| other != origin) {
        out.push('\n');
        *open_line = None;
    }
    for line in text.split_inclusive('\n') {
        if let (true, None, Some((block, thread))) = (named, *open_line, origin.kernel_thread) {
            let _ = write!(out, "[block {block}, thread {thread}] ");
        }
        out.push_str(line);
        *open_line = (!line.ends_with('\n')).then_some(origin);
    }
    out
}

fn print(text: fmt::Arguments<'_>, error: bool) {
    // Formatting may print recursively, so the lock is not held meanwhile.
    let text = text.to_string();
    let named = current::is_checked();
    let mut open_line = OPEN_LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let out = lines(
        &text,
        PrintOrigin::now(),
        named,
        &mut open_line[usize::from(error)],
    );
    // A closed terminal is not an error of the kernel.
    let _ = if error {
        io::stderr().write_all(out.as_bytes())
    } else {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(out.as_bytes())
            .and_then(|()| stdout.flush())
    };
}

/// Prints to standard output.
pub fn print_text(text: fmt::Arguments<'_>) {
    print(text, false);
}

/// Prints to standard error.
pub fn print_error(text: fmt::Arguments<'_>) {
    print(text, true);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(x: u32) -> PrintOrigin {
        PrintOrigin {
            thread: thread::current().id(),
            kernel_thread: Some((Dim3::new(1, 0, 0), Dim3::new(x, 0, 0))),
        }
    }

    #[test]
    fn lines_of_different_threads_do_not_mix() {
        let mut open_line = None;
        let mut out = String::new();
        for (text, x) in [
            ("a", 0),
            ("b", 0),
            ("c", 1),
            ("d\n", 1),
            ("", 0),
            ("e\nf\n", 0),
        ] {
            out += &lines(text, origin(x), false, &mut open_line);
        }
        std::assert_eq!(out, "ab\ncd\ne\nf\n");
        assert!(open_line.is_none());
    }

    #[test]
    fn each_line_has_one_prefix() {
        let mut open_line = None;
        let mut out = String::new();
        for (text, x) in [("a", 2), ("b\nc", 2), ("d\n", 3)] {
            out += &lines(text, origin(x), true, &mut open_line);
        }
        let name = |x| {
            format!(
                "[block {}, thread {}] ",
                Dim3::new(1, 0, 0),
                Dim3::new(x, 0, 0)
            )
        };
        std::assert_eq!(out, format!("{0}ab\n{0}c\n{1}d\n", name(2), name(3)));
    }
}
