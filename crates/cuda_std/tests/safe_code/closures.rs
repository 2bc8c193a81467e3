//! Launches of closures, which are unsafe because of thread-local initialisers that wait.

use simt::{LaunchError, LaunchShape, Mode};

/// Launches a closure. The programs of these tests declare no thread-local variable whose
/// initialiser waits.
pub fn launch(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    body: impl Fn() + Sync,
) -> Result<(), LaunchError> {
    // SAFETY: no thread waits in an initialiser of a thread-local variable.
    unsafe { simt::launch(kernel, shape, mode, body) }
}
