//! Kernel arguments in the form that `cuLaunchKernel` takes: an array of pointers to the
//! parameters' bytes.

use core::ffi::c_void;
use core::mem::MaybeUninit;

/// Storage for the bytes of a launch's parameters, each aligned to 16 bytes.
///
/// ```
/// # use cuda_std::PackedArgs;
/// let mut packed = PackedArgs::default();
/// packed.push(7_u32);
/// packed.push(0.5_f64);
/// let pointers = packed.pointers();
/// assert_eq!(pointers.len(), 2);
/// // SAFETY: the second parameter was pushed as an f64, and `packed` still lives.
/// assert_eq!(unsafe { *pointers[1].cast::<f64>() }, 0.5);
/// ```
#[derive(Default)]
pub struct PackedArgs {
    storage: Vec<Chunk>,
    /// Start of each parameter, as an index of chunks.
    starts: Vec<usize>,
    /// Start addresses of the non-empty views.
    views: Vec<usize>,
}

/// Sixteen aligned bytes; the padding of a struct parameter stays uninitialised.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Chunk([MaybeUninit<u8>; 16]);

impl PackedArgs {
    /// Appends one parameter. Zero-sized parameters are omitted, as in the entry point.
    pub fn push<T: Copy>(&mut self, value: T) {
        let bytes = size_of::<T>();
        if bytes == 0 {
            return;
        }
        let start = self.storage.len();
        self.starts.push(start);
        self.storage.resize(
            start + bytes.div_ceil(size_of::<Chunk>()),
            Chunk([MaybeUninit::uninit(); 16]),
        );
        let destination = self.storage[start..].as_mut_ptr().cast::<T>();
        // SAFETY: the chunks from `start` on hold at least `bytes` bytes; `write_unaligned`
        // requires no alignment.
        unsafe { destination.write_unaligned(value) };
    }

    /// Appends the two parameters of a view or slice: its address and its length.
    pub fn push_view<T>(&mut self, first: *const T, len: usize) {
        if len > 0 {
            self.views.push(first.addr());
        }
        self.push(first);
        self.push(len);
    }

    /// Appends the one parameter of a reference: the address of the view that represents it.
    pub fn push_reference<T>(&mut self, first: *const T, len: usize) {
        if len > 0 {
            self.views.push(first.addr());
        }
        self.push(first);
    }

    /// Returns the start addresses of the non-empty views, that is, the memory that the launch is
    /// known to use.
    #[must_use]
    pub fn views(&self) -> &[usize] {
        &self.views
    }

    /// Returns the number of parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns `true` if there are no parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns a pointer to each parameter, for `cuLaunchKernel`'s `kernelParams`. They are valid
    /// until the next [`push`](Self::push).
    pub fn pointers(&mut self) -> Vec<*mut c_void> {
        let base = self.storage.as_mut_ptr();
        self.starts
            .iter()
            // SAFETY: every start lies within the storage.
            .map(|&start| unsafe { base.add(start) }.cast())
            .collect()
    }
}
