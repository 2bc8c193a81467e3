//! Machine code of the shipped kernels, so that the driver need not compile PTX on the first call.
//!
//! `cargo xtask ptx` assembles the PTX for the usual architectures. Each file has all kernels, compressed; a driver loads of it only what is asked for. Code for
//! a compute capability runs on the later ones of the same major number; other devices get PTX.

use std::{
    io::{self, Read},
    thread::{self, JoinHandle},
};

/// The code for one compute capability.
struct MachineCode {
    /// Compute capability times ten.
    capability: u32,
    compressed: &'static [u8],
}

macro_rules! shipped {
    ($($capability:literal),+) => {
        [$(MachineCode {
            capability: $capability,
            compressed: include_bytes!(concat!("../../ptx/ferrovox_sm_", $capability, ".cubin.zst")),
        }),+]
    };
}

static SHIPPED: [MachineCode; 6] = shipped![80, 86, 89, 90, 100, 120];

/// The environment's way to have PTX compiled all the same.
const PTX_ONLY: &str = "FERROVOX_PTX";

/// Machine code that is decompressed by a thread of its own, while the device is opened.
pub(super) struct Decompression {
    compressed: &'static [u8],
    thread: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

/// Begins to decompress the code for a device of this compute capability (times ten), if there is some and the environment does not ask for PTX.
pub(super) fn begin(capability: u32) -> Option<Decompression> {
    if std::env::var_os(PTX_ONLY).is_some_and(|value| !value.is_empty() && value != "0") {
        return None;
    }
    let compressed = for_capability(capability)?.compressed;
    // where no thread can be made it is done later
    let builder = thread::Builder::new().name("decompress kernels".to_owned());
    let thread = builder.spawn(move || decompressed(compressed)).ok();
    Some(Decompression { compressed, thread })
}

/// The newest code that a device of this compute capability (times ten) can run.
fn for_capability(capability: u32) -> Option<&'static MachineCode> {
    let runs = |code: &&MachineCode| {
        code.capability / 10 == capability / 10 && code.capability <= capability
    };
    SHIPPED.iter().rev().find(runs)
}

fn decompressed(mut compressed: &[u8]) -> io::Result<Vec<u8>> {
    let mut code = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(&mut compressed)
        .map_err(io::Error::other)?
        .read_to_end(&mut code)?;
    Ok(code)
}

impl Decompression {
    /// The code, when it is there.
    pub fn code(self) -> io::Result<Vec<u8>> {
        match self.thread {
            // the thread only decompresses, and gives its error back
            Some(thread) => match thread.join() {
                Ok(code) => code,
                Err(_) => decompressed(self.compressed),
            },
            None => decompressed(self.compressed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memchr::memmem::find;

    #[test]
    fn devices_get_code_of_their_generation() {
        let found = |capability| for_capability(capability).map(|code| code.capability);
        assert_eq!([70, 75, 110].map(found), [None; 3]);
        assert_eq!(found(80), Some(80));
        assert_eq!(found(87), Some(86));
        assert_eq!([89, 90, 100].map(found), [89, 90, 100].map(Some));
        assert_eq!((found(103), found(121)), (Some(100), Some(120)));
    }

    #[test]
    fn every_kernel_is_in_every_file() {
        let kernels = &crate::device::recorded_resources()["sm_90"];
        for code in &SHIPPED {
            let bytes = decompressed(code.compressed).unwrap();
            assert!(bytes.starts_with(b"\x7fELF"), "sm_{}", code.capability);
            // the architecture, in the flags of the ELF header: their first byte, since Blackwell the second
            assert!(bytes[48..50].contains(&(code.capability as u8)));
            for kernel in kernels.keys() {
                let section = format!(".text.{kernel}\0");
                assert!(find(&bytes, section.as_bytes()).is_some(), "{kernel}");
            }
        }
    }
}
