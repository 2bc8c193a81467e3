//! Machine code of the shipped kernels, so that the driver need not compile PTX on the first call.
//!
//! `cargo xtask ptx` assembles the PTX for the usual architectures. Each file has all kernels,
//! compressed; a driver loads of it only what is asked for. Code for a compute capability runs on
//! the later ones of the same major number; other devices get PTX.

use super::compressed::Compressed;
use std::thread;

/// The code for one compute capability.
pub(super) struct MachineCode {
    /// Compute capability times ten.
    capability: u32,
    /// Decompressed for all devices of the kind.
    code: Compressed,
}

macro_rules! shipped {
    ($($capability:literal),+) => {
        [$(MachineCode {
            capability: $capability,
            code: Compressed::new(include_bytes!(concat!("../../ptx/ferrovox_sm_", $capability, ".cubin.zst"))),
        }),+]
    };
}

static SHIPPED: [MachineCode; 6] = shipped![80, 86, 89, 90, 100, 120];

/// The environment's way to have PTX compiled all the same.
const PTX_ONLY: &str = "FERROVOX_PTX";

/// The newest code that a device of this compute capability (times ten) can run, unless the
/// environment asks for PTX. A thread begins to decompress it, while the device is opened.
pub(super) fn begin(capability: u32) -> Option<&'static MachineCode> {
    if std::env::var_os(PTX_ONLY).is_some_and(|value| !value.is_empty() && value != "0") {
        return None;
    }
    let found = for_capability(capability)?;
    if !found.code.is_there() {
        // where no thread can be made it is done later
        let builder = thread::Builder::new().name("decompress kernels".to_owned());
        let _ = builder.spawn(|| found.code().is_ok());
    }
    Some(found)
}

fn for_capability(capability: u32) -> Option<&'static MachineCode> {
    let runs = |code: &&MachineCode| {
        code.capability / 10 == capability / 10 && code.capability <= capability
    };
    SHIPPED.iter().rev().find(runs)
}

impl MachineCode {
    /// The code, when it is there; what is wrong with the file, if something is.
    pub fn code(&self) -> Result<&[u8], &str> {
        self.code.bytes()
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
            let bytes = code.code().unwrap();
            assert!(bytes.starts_with(b"\x7fELF"), "sm_{}", code.capability);
            // the architecture, in the flags of the ELF header: their first byte, since Blackwell
            // the second
            assert!(bytes[48..50].contains(&(code.capability as u8)));
            for kernel in kernels.keys() {
                let section = format!(".text.{kernel}\0");
                assert!(find(bytes, section.as_bytes()).is_some(), "{kernel}");
            }
        }
    }
}
