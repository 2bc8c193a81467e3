//! The end of a command that runs out of memory.
//!
//! The library allocates large lists fallibly and returns errors. The standard library and other
//! crates allocate infallibly: they abort the process when the [allocator](crate::allocator) has no
//! memory, and so does a thread that cannot map its signal stack. The functions here end the
//! command with status 1 instead, after removing temporary files, and with an error that states the
//! size and the stage of the work. They allocate nothing.

use ferrovox::io::{OutputLock, is_panic_caught};
use std::{
    cell::Cell,
    fmt::{self, Write},
    panic,
    sync::{
        Mutex, OnceLock, TryLockError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

/// Maximum time to wait for another thread that creates or renames output files.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// Interval between two attempts to acquire the lock on outputs.
const POLL: Duration = Duration::from_millis(5);

/// Starts of the messages with which a new thread of the standard library panics.
const NO_SIGNAL_STACK: [&str; 2] = [
    "failed to allocate an alternative stack",
    "failed to set up alternative stack",
];

/// Smallest size of a signal stack in bytes.
const SIGNAL_STACK: usize = 8 << 10;

/// Smallest amount of memory in bytes that the C library allocates for a new thread, other than its
/// stacks. Without it, the library aborts the process.
#[cfg(unix)]
const THREAD_BYTES: usize = 4 << 10;

/// Size in bytes of the free block of addresses that is taken as the sign of sufficient memory.
#[cfg(unix)]
const SUFFICIENT_BYTES: usize = 1 << 20;

/// `true` once an allocation failed on any thread.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// Name of the current stage of the work.
static STAGE: Mutex<&str> = Mutex::new("start");

/// JSON object of a failed command, before and after the message.
static JSON_OBJECT: OnceLock<(String, String)> = OnceLock::new();

/// `true` once a thread ends the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Size of the last allocation of this thread that failed, or 0.
    static FAILED_BYTES: Cell<usize> = const { Cell::new(0) };
    /// `true` if this thread ends the process.
    static ENDS_PROCESS: Cell<bool> = const { Cell::new(false) };
}

/// Sets the name of the current stage, which the error quotes.
pub fn set_stage(stage: &'static str) {
    if let Ok(mut current) = STAGE.lock() {
        *current = stage;
    }
}

/// Sets the parts of the JSON object before and after the error message, which are printed to
/// standard output if the command runs out of memory. Only the first call has an effect.
pub fn set_json_object(before: String, after: String) {
    // Initialize standard output now: the first use allocates.
    let _ = std::io::stdout();
    JSON_OBJECT.get_or_init(|| (before, after));
}

/// Records that the calling thread could not allocate `bytes` bytes. If the allocation was an
/// infallible one, the abort that follows states this size.
pub fn record_failure(bytes: usize) {
    HAS_FAILED.store(true, SeqCst);
    FAILED_BYTES.set(bytes);
}

/// Ends the command because an allocation of `bytes` bytes failed.
pub fn end_command(bytes: usize) -> ! {
    end_without_memory(format_args!("{bytes} bytes of memory"))
}

/// Ends the command, instead of aborting it, if a thread panics because its signal stack cannot be
/// mapped, or if the process aborts.
pub fn end_instead_of_aborting() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>();
        let is_start = |start: &&str| text.is_some_and(|text| text.starts_with(*start));
        if NO_SIGNAL_STACK.iter().any(is_start) {
            end_without_memory(format_args!(
                "{SIGNAL_STACK} bytes or more of memory, for the signal stack of a thread"
            ));
        }
        // an error of the file quotes the message
        if !is_panic_caught() {
            print(info);
        }
    }));
    #[cfg(unix)]
    handle_abort();
}

/// Installs a handler of the signal by which Rust aborts.
#[cfg(unix)]
fn handle_abort() {
    use signal_hook::{consts::SIGABRT, low_level};
    let end = || match FAILED_BYTES.get() {
        0 if is_memory_scarce() => end_without_memory(format_args!(
            "{THREAD_BYTES} bytes or more of memory, for a thread"
        )),
        0 => end_with(format_args!("aborted: this is a defect of ferrovox")),
        bytes => end_command(bytes),
    };
    // SAFETY: the handler runs on the aborting thread, which holds no lock of the allocator. It
    // does not allocate, waits for no lock without a limit, and does not return.
    let registered = unsafe { low_level::register(SIGABRT, end) };
    // Without the handler an abort has its default effect.
    drop(registered);
}

/// Returns `true` if an allocation failed before, or if a block of [`SUFFICIENT_BYTES`] cannot be
/// mapped. Does not use the allocator.
#[cfg(unix)]
fn is_memory_scarce() -> bool {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    if HAS_FAILED.load(SeqCst) {
        return true;
    }
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let flags = MapFlags::PRIVATE;
    // SAFETY: the system chooses the address of the new block.
    let block = unsafe { mmap_anonymous(std::ptr::null_mut(), SUFFICIENT_BYTES, access, flags) };
    let Ok(block) = block else {
        return true;
    };
    // SAFETY: the block was mapped above with this size and has not been used.
    let unmapped = unsafe { munmap(block, SUFFICIENT_BYTES) };
    debug_assert!(unmapped.is_ok());
    false
}

fn end_without_memory(memory: fmt::Arguments<'_>) -> ! {
    let stage = match STAGE.try_lock() {
        Ok(stage) => *stage,
        Err(TryLockError::Poisoned(stage)) => *stage.into_inner(),
        Err(TryLockError::WouldBlock) => "work",
    };
    end_with(format_args!(
        "cannot allocate {memory} in the stage `{stage}`; free some, allow the process more, or use a machine with more or a smaller volume"
    ))
}

/// Removes temporary files, prints the error and ends the process with status 1.
fn end_with(problem: fmt::Arguments<'_>) -> ! {
    if IS_ENDING.swap(true, SeqCst) {
        if ENDS_PROCESS.get() {
            exit();
        }
        // Another thread ends the process.
        loop {
            thread::sleep(MAX_WAIT);
        }
    }
    ENDS_PROCESS.set(true);
    // The lock is held to the end.
    let mut outputs = acquire_outputs();
    let mut message = Message::default();
    // A message that is too long is cut.
    let _ = write!(message, "{problem}");
    if let Some(outputs) = &mut outputs {
        outputs.remove_temporary_files();
        if !outputs.has_replaced_files() {
            let _ = message.write_str("; output files are unchanged");
        }
    }
    for text in ["ferrovox: error: ", message.as_str(), "\n"] {
        print_to_stderr(text);
    }
    if let Some((before, after)) = JSON_OBJECT.get() {
        for text in [before, message.as_str(), after] {
            print_to_stdout(text);
        }
    }
    exit()
}

/// Acquires the lock on outputs, unless this thread holds it or another thread does for long.
fn acquire_outputs() -> Option<OutputLock> {
    let start = Instant::now();
    loop {
        let outputs = OutputLock::try_acquire();
        if outputs.is_some() || start.elapsed() > MAX_WAIT {
            return outputs;
        }
        thread::sleep(POLL);
    }
}

/// Text of at most 512 bytes, formatted without an allocation. It is inserted into a JSON string
/// without escapes, so it must not contain quotes, backslashes or control characters.
struct Message {
    bytes: [u8; 512],
    len: usize,
}

impl Default for Message {
    fn default() -> Self {
        Self {
            bytes: [0; 512],
            len: 0,
        }
    }
}

impl Message {
    fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let free = self.bytes.get_mut(self.len..self.len + text.len());
        free.ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

/// Prints directly: the locks of standard error and standard output may be held.
#[cfg(unix)]
fn print_to_stderr(text: &str) {
    let _ = rustix::io::write(std::io::stderr(), text.as_bytes());
}

#[cfg(unix)]
fn print_to_stdout(text: &str) {
    let _ = rustix::io::write(std::io::stdout(), text.as_bytes());
}

#[cfg(not(unix))]
fn print_to_stderr(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
}

#[cfg(not(unix))]
fn print_to_stdout(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
}

/// Ends the process with status 1, without running destructors.
fn exit() -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(1);
    #[cfg(not(unix))]
    std::process::exit(1);
}
