//! The library's readers, in this process: damaged bytes may be refused, and nothing else may come of them.

use crate::{Session, memory};
use anyhow::Result;
use std::{
    fs,
    panic::catch_unwind,
    process,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// What a reading takes at most, on a machine that does other things too.
const SLOW: Duration = Duration::from_secs(4);
/// After which it counts as endless.
const ENDLESS: Duration = Duration::from_secs(60);

pub fn run(session: &mut Session) -> Result<()> {
    let begun = Arc::new(Mutex::new(None::<(Instant, String)>));
    watch(begun.clone());
    // the message of a panic is not printed: the file is kept, and shows it again
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    while session.goes_on() {
        let (at, bytes) = session.damaged();
        let format = &session.formats[at];
        let (name, read) = (format!("{}.{}", format.name, format.extension), format.read);
        let current = session.report.current(&name);
        fs::write(&current, &bytes)?;
        let start = Instant::now();
        let set = |what| *begun.lock().unwrap_or_else(PoisonError::into_inner) = what;
        set(Some((start, current.display().to_string())));
        let (outcome, peak) = memory::peak(|| catch_unwind(|| read(&bytes)));
        set(None);
        let time = start.elapsed();
        let limit = memory::limit(bytes.len());
        if let Err(panic) = outcome {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied());
            let text = format!("a panic: {}", text.unwrap_or("without a text"));
            session.report.failed(&name, &bytes, text);
        } else if time > SLOW {
            let text = format!("it takes {time:?}");
            session.report.failed(&name, &bytes, text);
        } else if peak > limit {
            let text = format!("it takes {peak} bytes of memory, of {limit}");
            session.report.failed(&name, &bytes, text);
        }
        session
            .report
            .count(format!("damaged {} read", session.formats[at].name));
        fs::remove_file(&current)?;
    }
    std::panic::set_hook(hook);
    Ok(())
}

/// Ends the process where a reading never does; its file stays.
fn watch(begun: Arc<Mutex<Option<(Instant, String)>>>) {
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_secs(1));
            let begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((start, name)) = &*begun
                && start.elapsed() > ENDLESS
            {
                eprintln!("FAILED readers: {name} is read without an end");
                process::exit(1);
            }
        }
    });
}
