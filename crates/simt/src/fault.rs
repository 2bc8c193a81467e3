//! Accesses to memory that is not there: says which kernel, block and thread made one, before the
//! process ends.

/// Has faults of kernels that run on this operating-system thread named.
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

    /// What systems send for an access to memory that is not there.
    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// Bytes of an alternate stack, for threads that have none.
    const STACK_BYTES: usize = 64 * 1024;

    /// What handled each of the signals before.
    struct PreviousHandlers([UnsafeCell<MaybeUninit<libc::sigaction>>; 2]);

    // SAFETY: written once, before `PREVIOUS_SAVED` is set, and read after that only.
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
        // while the thread exits it goes without
        let _ = STACK.try_with(|_| ());
    }

    fn install() {
        for (signal, earlier) in SIGNALS.into_iter().zip(&PREVIOUS.0) {
            // SAFETY: asks what handles the signal; nobody reads the place before `PREVIOUS_SAVED` is set.
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
            // SAFETY: zeroes are a valid value of the plain struct.
            let mut action: libc::sigaction = unsafe { zeroed() };
            action.sa_sigaction = function as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // SAFETY: the handler has the signature that the flags promise, and does only what a
            // signal handler may. Where it cannot be installed all stays as it was.
            unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
        }
    }

    /// # Safety
    /// As the system calls it.
    unsafe extern "C" fn handle(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        // SAFETY: the system's information on this signal. Not positive: somebody sent it, and
        // there is no address.
        let address = unsafe { ((*info).si_code > 0).then(|| (*info).si_addr().addr()) };
        if let Some(address) = address
            && current_thread().is_active()
            && explain(address)
        {
            // SAFETY: ends the process.
            unsafe { libc::abort() };
        }
        // SAFETY: the system's own arguments.
        unsafe { chain(signal, info, context) };
    }

    /// Has who handled the signal before handle it.
    ///
    /// # Safety
    /// The arguments are those of a handler that the system called.
    unsafe fn chain(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let known = PREVIOUS_SAVED.load(Ordering::Acquire);
        let number = SIGNALS.iter().position(|&one| one == signal);
        let earlier = number.filter(|_| known).map(|number| &PREVIOUS.0[number]);
        // SAFETY: written before `PREVIOUS_SAVED` was set, and not since.
        let earlier = earlier.map(|earlier| unsafe { (*earlier.get()).assume_init_ref() });
        match earlier {
            Some(action) if action.sa_sigaction > libc::SIG_IGN => {
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    type Handler =
                        unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                    // SAFETY: the flag says that the handler has this signature; it gets what the
                    // system gave.
                    unsafe {
                        let handler: Handler = std::mem::transmute(action.sa_sigaction);
                        handler(signal, info, context);
                    }
                } else {
                    // SAFETY: without the flag it is a function of the signal's number.
                    unsafe {
                        let handler: unsafe extern "C" fn(libc::c_int) =
                            std::mem::transmute(action.sa_sigaction);
                        handler(signal);
                    }
                }
            }
            _ => {
                // The access is made again when this returns, and then ends the process as it would
                // have without us. SAFETY: zeroes and a constant are a valid action.
                unsafe {
                    let mut action: libc::sigaction = zeroed();
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &action, ptr::null_mut());
                }
            }
        }
    }

    /// Says what the kernel that runs on this thread did. Returns whether the address is one of
    /// those that are kept free to notice it.
    fn explain(address: usize) -> bool {
        let Some(executor) = try_executor() else {
            return false;
        };
        let mut text = Text::default();
        let current = current_thread();
        // What does not fit is left out.
        let _ = write!(
            text,
            "kernel `{}`, block {}, thread {}: ",
            executor.launch.kernel,
            current.block.get(),
            current.index()
        );
        let ours = if let Some(bytes) = overflowed_stack_bytes(address) {
            let _ = writeln!(
                text,
                "the thread's stack of {} KiB is full: too deep a recursion, or too large local variables",
                bytes / 1024
            );
            true
        } else if let Some((bytes, dynamic)) = guarded_array_at(address) {
            let what = if dynamic {
                "the dynamic shared memory"
            } else {
                "a shared array"
            };
            let _ = writeln!(text, "an access past the end of {what} of {bytes} bytes");
            true
        } else {
            let _ = writeln!(
                text,
                "an access to {address:#x}, where the program may not read or write"
            );
            false
        };
        text.print();
        ours
    }

    /// Text of limited length, on the stack.
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
            // the last byte is for the line's end
            let room = (self.bytes.len() - 1).saturating_sub(self.len);
            let count = text.len().min(room);
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
            // SAFETY: as many bytes are there. What cannot be written is lost.
            unsafe { libc::write(libc::STDERR_FILENO, self.bytes.as_ptr().cast(), self.len) };
        }
    }

    /// A stack for the handler, on threads that have none: the standard library gives one to those
    /// that it starts.
    struct AlternateStack {
        memory: Option<Box<[MaybeUninit<u8>]>>,
    }

    impl AlternateStack {
        fn new() -> Self {
            // SAFETY: zeroes are a valid value of the plain struct, which the system fills.
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
                // SAFETY: the memory is the thread's for as long as it is in use: `drop` ends that.
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
            // SAFETY: asks for the stack in use, and takes it out of use where it is this one.
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
