//! Errors of driver calls, with messages that do not depend on the driver.

use std::ffi::c_int;
use std::fmt;

use crate::driver::Driver;
use crate::load::LoadError;
use crate::table::MissingFunction;

mod codes;

pub use codes::CudaError;

/// Result of a driver call.
pub type CudaResult<T> = Result<T, CudaError>;

/// Converts a status code to a result.
pub(crate) fn check(status: c_int) -> CudaResult<()> {
    if status == 0 {
        Ok(())
    } else {
        Err(CudaError::from_code(status))
    }
}

impl CudaError {
    /// Returns the driver's status code, if the error has one.
    pub fn code(&self) -> Option<i32> {
        match self {
            CudaError::Unlisted(code) => Some(*code),
            listed => listed.status().map(|(code, _, _)| code),
        }
    }

    /// Returns `true` if the machine has no usable NVIDIA GPU: no driver, no device, or only the
    /// toolkit's stub library. Programs that can also run on the CPU can then continue without a
    /// GPU.
    pub fn means_no_gpu(&self) -> bool {
        matches!(
            self,
            CudaError::NoDriver | CudaError::NoDevice | CudaError::StubLibrary
        )
    }
}

impl From<LoadError> for CudaError {
    fn from(_: LoadError) -> CudaError {
        CudaError::NoDriver
    }
}

impl From<MissingFunction> for CudaError {
    fn from(missing: MissingFunction) -> CudaError {
        CudaError::MissingFunction(missing)
    }
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((code, name, sentence)) = self.status() {
            return write!(f, "{name} ({code}): {sentence}");
        }
        match self {
            CudaError::NoDriver => match Driver::load_error() {
                Some(reason) => reason.fmt(f),
                None => write!(f, "no NVIDIA driver on this machine"),
            },
            CudaError::MissingFunction(missing) => write_missing_function(f, missing),
            CudaError::InvalidMemoryAllocation => {
                write!(
                    f,
                    "an allocation must have at least one byte and fit in the address space"
                )
            }
            CudaError::OptixError => write!(f, "OptiX failed"),
            CudaError::LengthMismatch {
                destination,
                source,
            } => {
                write!(
                    f,
                    "cannot copy {source} elements to a destination of {destination}; the lengths must be equal"
                )
            }
            CudaError::MisalignedFill {
                address,
                bytes,
                unit,
            } => {
                write!(
                    f,
                    "cannot fill {bytes} bytes at {address:#x} in units of {unit} bytes; address and size must be multiples of the unit"
                )
            }
            CudaError::SymbolSize { symbol, requested } => {
                write!(
                    f,
                    "the global variable has {symbol} bytes, but the requested type has {requested}"
                )
            }
            CudaError::InteriorNul => write!(f, "a name or PTX text contains a NUL byte"),
            CudaError::BufferDropped => write!(
                f,
                "the buffer of this device slice was dropped; keep the buffer alive while its slices are used"
            ),
            other => write!(
                f,
                "the driver returned the unknown status code {}",
                other.code().unwrap_or(-1)
            ),
        }
    }
}

impl std::error::Error for CudaError {}

fn write_missing_function(f: &mut fmt::Formatter<'_>, missing: &MissingFunction) -> fmt::Result {
    let MissingFunction { symbol, since } = missing;
    write!(
        f,
        "the installed driver does not provide {symbol}; install a driver for CUDA {} or newer",
        format_version(*since)
    )?;
    match Driver::opened().and_then(|driver| driver.query_version().ok()) {
        Some((0, version)) => write!(
            f,
            " (this driver supports CUDA {})",
            format_version(version.unsigned_abs())
        ),
        _ => Ok(()),
    }
}

/// Formats 12040 as "12.4".
fn format_version(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_status_code_has_a_unique_name_and_sentence_and_round_trips() {
        let mut names = HashSet::new();
        let mut sentences = HashSet::new();
        for error in CudaError::listed() {
            let (code, name, sentence) = error.status().expect("listed");
            assert_eq!(CudaError::from_code(code), *error);
            assert_eq!(error.code(), Some(code));
            assert!(names.insert(name), "{name} twice");
            assert!(sentences.insert(sentence), "{sentence:?} twice");
            assert!(
                sentence.split_whitespace().count() >= 4,
                "{name}: {sentence:?} is too short"
            );
            let text = error.to_string();
            assert!(
                text.contains(name)
                    && text.contains(sentence)
                    && text.contains(&format!("({code})")),
                "{text}"
            );
        }
        assert!(names.len() > 90);
    }

    #[test]
    fn the_codes_of_cuda_13_have_names() {
        for code in [36, 47, 227, 917, 918, 919] {
            let error = CudaError::from_code(code);
            assert!(error.status().is_some(), "{error:?}");
        }
    }

    #[test]
    fn an_unknown_code_keeps_its_number() {
        let error = CudaError::from_code(-7);
        assert_eq!(error, CudaError::Unlisted(-7));
        assert_eq!(error.code(), Some(-7));
        assert!(error.to_string().contains("-7"));
    }

    #[test]
    fn a_missing_function_names_the_required_driver() {
        let text = CudaError::MissingFunction(MissingFunction {
            symbol: "cuMemAllocAsync",
            since: 11020,
        })
        .to_string();
        assert!(
            text.contains("cuMemAllocAsync") && text.contains("CUDA 11.2"),
            "{text}"
        );
    }

    #[test]
    fn argument_errors_contain_the_numbers() {
        let text = CudaError::LengthMismatch {
            destination: 3,
            source: 5,
        }
        .to_string();
        assert!(text.contains('3') && text.contains('5'), "{text}");
        let text = CudaError::MisalignedFill {
            address: 0x1001,
            bytes: 7,
            unit: 4,
        }
        .to_string();
        assert!(
            text.contains("0x1001") && text.contains('7') && text.contains('4'),
            "{text}"
        );
        let text = CudaError::SymbolSize {
            symbol: 16,
            requested: 12,
        }
        .to_string();
        assert!(text.contains("16") && text.contains("12"), "{text}");
    }

    #[test]
    fn only_a_missing_driver_or_device_means_no_gpu() {
        assert!(CudaError::NoDriver.means_no_gpu() && CudaError::NoDevice.means_no_gpu());
        assert!(!CudaError::OutOfMemory.means_no_gpu());
    }
}
