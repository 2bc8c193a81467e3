//! Machine code of the shipped kernels, so that the driver does not compile PTX on the first
//! launch.
//!
//! `cargo xtask ptx` assembles the PTX for the common architectures. Each file contains all
//! kernels, compressed; a driver loads only the requested ones. Code for a compute capability runs
//! on later capabilities of the same major version; other devices use PTX.

use super::compressed::Compressed;
use std::{sync::LazyLock, thread};

/// Machine code for one compute capability.
pub(super) struct MachineCode {
    /// Compute capability times ten.
    capability: u32,
    /// Decompressed code, shared by all devices of this capability.
    code: Compressed,
}

static SHIPPED: LazyLock<[MachineCode; ferrovox_machine_code::SHIPPED.len()]> =
    LazyLock::new(|| {
        ferrovox_machine_code::SHIPPED.map(|(capability, code)| MachineCode {
            capability,
            code: Compressed::new(code),
        })
    });

/// Environment variable that disables machine code.
const PTX_ONLY: &str = "FERROVOX_PTX";

/// Returns the newest code that a device of this compute capability (times ten) can run, unless the
/// environment disables it. A thread starts to decompress it while the device is opened.
pub(super) fn begin(capability: u32) -> Option<&'static MachineCode> {
    if std::env::var_os(PTX_ONLY).is_some_and(|value| !value.is_empty() && value != "0") {
        return None;
    }
    let best = for_capability(capability)?;
    if !best.code.is_decompressed() {
        // without a thread it is decompressed later
        let builder = thread::Builder::new().name("decompress kernels".to_owned());
        let _ = builder.spawn(|| best.code().is_ok());
    }
    Some(best)
}

fn for_capability(capability: u32) -> Option<&'static MachineCode> {
    let runs = |code: &&MachineCode| {
        code.capability / 10 == capability / 10 && code.capability <= capability
    };
    SHIPPED.iter().rev().find(runs)
}

impl MachineCode {
    /// Returns the code, or the error of its decompression. Blocks until it is decompressed.
    pub fn code(&self) -> Result<&[u8], &str> {
        self.code.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memchr::memmem::find;

    #[test]
    fn code_matches_the_generation_of_the_device() {
        let best = |capability| for_capability(capability).map(|code| code.capability);
        assert_eq!([70, 75, 110].map(best), [None; 3]);
        assert_eq!([80, 86, 89].map(best), [Some(80); 3]);
        assert_eq!([90, 100].map(best), [90, 100].map(Some));
        assert_eq!((best(103), best(121)), (Some(100), Some(120)));
    }

    #[test]
    fn every_kernel_is_in_every_file() {
        let kernels = &crate::device::recorded_resources()["sm_90"];
        for code in SHIPPED.iter() {
            let bytes = code.code().unwrap();
            assert!(bytes.starts_with(b"\x7fELF"), "sm_{}", code.capability);
            // architecture in the flags of the ELF header: the first byte, or the second since
            // Blackwell
            assert!(bytes[48..50].contains(&(code.capability as u8)));
            for kernel in kernels.keys() {
                let section = format!(".text.{kernel}\0");
                assert!(find(bytes, section.as_bytes()).is_some(), "{kernel}");
            }
        }
    }
}
