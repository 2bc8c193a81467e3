//! Printing on the CPU: whole lines, named in checked mode.

use simt::{Dim3, current};
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// Who prints.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PrintOrigin {
    /// Of the program.
    thread: ThreadId,
    /// Of a launch: block and thread.
    place: Option<(Dim3, Dim3)>,
}

impl PrintOrigin {
    fn now() -> Self {
        Self {
            thread: thread::current().id(),
            place: current::is_active().then(|| (current::block_idx(), current::thread_idx())),
        }
    }
}

/// Who has open_line a line and not ended it, of each output.
static OPEN_LINES: Mutex<[Option<PrintOrigin>; 2]> = Mutex::new([None; 2]);

/// What is written for `text`: the end of a line that another origin has open_line, and where lines are
/// named the names of those that begin here. `open_line` is brought up to date.
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
        if let (true, None, Some((block, thread))) = (named, *open_line, origin.place) {
            let _ = write!(out, "[block {block}, thread {thread}] ");
        }
        out.push_str(line);
        *open_line = (!line.ends_with('\n')).then_some(origin);
    }
    out
}

fn print(text: fmt::Arguments<'_>, error: bool) {
    // What is printed may print: no lock is held meanwhile.
    let text = text.to_string();
    let named = current::is_checked();
    let mut open_line = OPEN_LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let out = lines(
        &text,
        PrintOrigin::now(),
        named,
        &mut open_line[usize::from(error)],
    );
    // A terminal that is gone is no fault of the kernel's.
    let _ = if error {
        io::stderr().write_all(out.as_bytes())
    } else {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(out.as_bytes())
            .and_then(|()| stdout.flush())
    };
}

/// Prints to the standard output.
pub fn print_text(text: fmt::Arguments<'_>) {
    print(text, false);
}

/// Prints to the standard error.
pub fn print_error(text: fmt::Arguments<'_>) {
    print(text, true);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(x: u32) -> PrintOrigin {
        PrintOrigin {
            thread: thread::current().id(),
            place: Some((Dim3::new(1, 0, 0), Dim3::new(x, 0, 0))),
        }
    }

    #[test]
    fn lines_of_threads_do_not_mix() {
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
    fn each_line_is_named_once() {
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
