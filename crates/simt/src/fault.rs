//! Diagnosis of memory faults: names the kernel, block and thread of an invalid access before the
//! process ends.

/// Installs the fault handler for this process and prepares this operating-system thread for it.
pub(crate) fn prepare() {
    #[cfg(all(unix, not(miri)))]
    unix::prepare();
}

#[cfg(all(unix, not(miri)))]
mod unix {
    use crate::arena::guarded_array_at;
    use crate::executor::{current_thread, try_executor};
    use crate::fiber::overflowed_stack_bytes;
    use std::cell::{Cell, UnsafeCell};
    use std::fmt::{self, Write};
    use std::mem::{MaybeUninit, zeroed};
    use std::ptr;
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Signals that report an invalid access.
    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// Size of the alternate signal stack for threads that have none, in bytes.
    const STACK_BYTES: usize = 64 * 1024;

    /// Handlers that were installed before, one per signal.
    struct PreviousHandlers([UnsafeCell<MaybeUninit<libc::sigaction>>; 2]);

    // SAFETY: written once, before `PREVIOUS_SAVED` is set, and only read afterwards.
    unsafe impl Sync for PreviousHandlers {}

    static PREVIOUS: PreviousHandlers =
        PreviousHandlers([const { UnsafeCell::new(MaybeUninit::uninit()) }; 2]);
    static PREVIOUS_SAVED: AtomicBool = AtomicBool::new(false);

    thread_local! {
        static PREPARED: Cell<bool> = const { Cell::new(false) };
        static STACK: AlternateStack = AlternateStack::new();
    }

    pub(super) fn prepare() {
        if PREPARED.replace(true) {
            return;
        }
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(install);
        // without an alternate stack while the thread exits
        let _ = STACK.try_with(|_| ());
    }

    fn install() {
        for (signal, earlier) in SIGNALS.into_iter().zip(&PREVIOUS.0) {
            // SAFETY: queries the current handler; the value is not read before `PREVIOUS_SAVED` is
            // set.
            if unsafe { libc::sigaction(signal, ptr::null(), earlier.get().cast()) } != 0 {
                return;
            }
        }
        PREVIOUS_SAVED.store(true, Ordering::Release);
        for signal in SIGNALS {
            let function: unsafe extern "C" fn(
                libc::c_int,
                *mut libc::siginfo_t,
                *mut libc::c_void,
            ) = handle;
            // SAFETY: all-zero bytes are a valid value of this plain struct.
            let mut action: libc::sigaction = unsafe { zeroed() };
            action.sa_sigaction = function as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // SAFETY: the handler has the signature that the flags require and only performs
            // async-signal-safe operations. On failure the previous handler stays installed.
            unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
        }
    }

    /// # Safety
    /// Called by the system as a signal handler.
    unsafe extern "C" fn handle(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the system provides the signal's information. A code of 0 or less means that a
        // process sent the signal, which has no address.
        let address = unsafe { ((*info).si_code > 0).then(|| (*info).si_addr().addr()) };
        if let Some(address) = address
            && current_thread().is_active()
            && explain(address)
        {
            // SAFETY: ends the process.
            unsafe { libc::abort() };
        }
        // SAFETY: passes on the system's own arguments.
        unsafe { chain(signal, info, context) };
    }

    /// Calls the handler that was installed before.
    ///
    /// # Safety
    /// The arguments are those with which the system called a handler.
    unsafe fn chain(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let known = PREVIOUS_SAVED.load(Ordering::Acquire);
        let number = SIGNALS.iter().position(|&one| one == signal);
        let earlier = number.filter(|_| known).map(|number| &PREVIOUS.0[number]);
        // SAFETY: written before `PREVIOUS_SAVED` was set, and not changed since.
        let earlier = earlier.map(|earlier| unsafe { (*earlier.get()).assume_init_ref() });
        match earlier {
            Some(action) if action.sa_sigaction > libc::SIG_IGN => {
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    type Handler =
                        unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                    // SAFETY: the flag states that the handler has this signature; the arguments
                    // are the system's.
                    unsafe {
                        let handler: Handler = std::mem::transmute(action.sa_sigaction);
                        handler(signal, info, context);
                    }
                } else {
                    // SAFETY: without the flag the handler takes only the signal number.
                    unsafe {
                        let handler: unsafe extern "C" fn(libc::c_int) =
                            std::mem::transmute(action.sa_sigaction);
                        handler(signal);
                    }
                }
            }
            _ => {
                // With the default action restored, the repeated access ends the process. SAFETY:
                // zeroes and a constant are a valid action.
                unsafe {
                    let mut action: libc::sigaction = zeroed();
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &action, ptr::null_mut());
                }
            }
        }
    }

    /// Prints the cause of a fault of the running kernel thread. Returns `true` if the address lies
    /// in a guard page.
    fn explain(address: usize) -> bool {
        let Some(executor) = try_executor() else {
            return false;
        };
        let mut text = Text::default();
        let current = current_thread();
        // Text beyond the buffer is dropped.
        let _ = write!(
            text,
            "kernel `{}`, block {}, thread {}: ",
            executor.launch.kernel,
            current.block.get(),
            current.index()
        );
        let is_kernel_error = if let Some(bytes) = overflowed_stack_bytes(address) {
            let _ = writeln!(
                text,
                "stack overflow: the thread's stack of {} KiB is full; reduce the depth of recursion or the size of local variables",
                bytes / 1024
            );
            true
        } else if let Some((bytes, dynamic)) = guarded_array_at(address) {
            let memory = if dynamic {
                "the dynamic shared memory"
            } else {
                "a shared array"
            };
            let _ = writeln!(
                text,
                "out-of-bounds access past the end of {memory} of {bytes} bytes"
            );
            true
        } else {
            let _ = writeln!(
                text,
                "invalid access to {address:#x}: the program may not read or write there"
            );
            false
        };
        text.print();
        is_kernel_error
    }

    /// Fixed-size text buffer on the stack, usable in a signal handler.
    struct Text {
        bytes: [u8; 512],
        len: usize,
    }

    impl Default for Text {
        fn default() -> Self {
            Text {
                bytes: [0; 512],
                len: 0,
            }
        }
    }

    impl Write for Text {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            // the last byte is reserved for the newline
            let free_bytes = (self.bytes.len() - 1).saturating_sub(self.len);
            let count = text.len().min(free_bytes);
            self.bytes[self.len..self.len + count].copy_from_slice(&text.as_bytes()[..count]);
            self.len += count;
            if count < text.len() {
                if let Some(last) = self.bytes.get_mut(self.len) {
                    *last = b'\n';
                    self.len += 1;
                }
                return Err(fmt::Error);
            }
            Ok(())
        }
    }

    impl Text {
        fn print(&self) {
            // SAFETY: the buffer holds `len` bytes. Write errors are ignored.
            unsafe { libc::write(libc::STDERR_FILENO, self.bytes.as_ptr().cast(), self.len) };
        }
    }

    /// Alternate signal stack for threads that have none. The standard library provides one for the
    /// threads that it starts.
    struct AlternateStack {
        memory: Option<Box<[MaybeUninit<u8>]>>,
    }

    impl AlternateStack {
        fn new() -> Self {
            // SAFETY: all-zero bytes are a valid value of this plain struct, which the call fills.
            let is_missing = unsafe {
                let mut now: libc::stack_t = zeroed();
                libc::sigaltstack(ptr::null(), &mut now) == 0
                    && now.ss_flags & libc::SS_DISABLE != 0
            };
            let memory = is_missing.then(|| {
                let mut memory = Box::<[u8]>::new_uninit_slice(STACK_BYTES);
                let stack = libc::stack_t {
                    ss_sp: memory.as_mut_ptr().cast(),
                    ss_flags: 0,
                    ss_size: STACK_BYTES,
                };
                // SAFETY: the memory stays allocated while it is in use: `drop` unregisters it.
                unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
                memory
            });
            AlternateStack { memory }
        }
    }

    impl Drop for AlternateStack {
        fn drop(&mut self) {
            let Some(memory) = &self.memory else {
                return;
            };
            // SAFETY: queries the stack in use, and unregisters it if it is this one.
            unsafe {
                let mut now: libc::stack_t = zeroed();
                libc::sigaltstack(ptr::null(), &mut now);
                if now.ss_sp.addr() == memory.as_ptr().addr() {
                    now.ss_flags = libc::SS_DISABLE;
                    libc::sigaltstack(&now, ptr::null_mut());
                }
            }
        }
    }
}
