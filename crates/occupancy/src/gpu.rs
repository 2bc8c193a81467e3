//! Table of GPUs by product name, for devices that are not installed.

use super::{ComputeCapability, DeviceLimits, OccupancyError, error::similar_names};

/// A GPU product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Product name, without vendor and product family.
    pub name: &'static str,
    /// Compute capability.
    pub capability: ComputeCapability,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
}

const fn gpu(name: &'static str, (major, minor): (u8, u8), multiprocessors: u32) -> Gpu {
    Gpu {
        name,
        capability: ComputeCapability::new(major, minor),
        multiprocessors,
    }
}

/// All GPUs, ordered by capability; the first of a capability represents it. FX 5800 and GTX 580
/// are the devices of Zhao et al. (2016).
const GPUS: [Gpu; 46] = [
    gpu("8800 GTX", (1, 0), 16),
    gpu("9800 GTX", (1, 1), 16),
    gpu("GT 240", (1, 2), 12),
    gpu("FX 5800", (1, 3), 30),
    gpu("GTX 280", (1, 3), 30),
    gpu("GTX 580", (2, 0), 16),
    gpu("GTX 480", (2, 0), 15),
    gpu("GTX 560 Ti", (2, 1), 8),
    gpu("GTX 680", (3, 0), 8),
    gpu("Jetson TK1", (3, 2), 1),
    gpu("K40", (3, 5), 15),
    gpu("K80", (3, 7), 13),
    gpu("GTX 750 Ti", (5, 0), 5),
    gpu("GTX 980", (5, 2), 16),
    gpu("M40", (5, 2), 24),
    gpu("Jetson TX1", (5, 3), 2),
    gpu("P100", (6, 0), 56),
    gpu("GTX 1080 Ti", (6, 1), 28),
    gpu("GTX 1080", (6, 1), 20),
    gpu("P40", (6, 1), 30),
    gpu("Jetson TX2", (6, 2), 2),
    gpu("V100", (7, 0), 80),
    gpu("TITAN V", (7, 0), 80),
    gpu("Jetson AGX Xavier", (7, 2), 8),
    gpu("T4", (7, 5), 40),
    gpu("RTX 2080 Ti", (7, 5), 68),
    gpu("A100", (8, 0), 108),
    gpu("RTX 3090", (8, 6), 82),
    gpu("RTX 3080", (8, 6), 68),
    gpu("A40", (8, 6), 84),
    gpu("A10", (8, 6), 72),
    gpu("Jetson AGX Orin", (8, 7), 16),
    gpu("RTX 4090", (8, 9), 128),
    gpu("L40", (8, 9), 142),
    gpu("L40S", (8, 9), 142),
    gpu("L4", (8, 9), 58),
    gpu("H100", (9, 0), 132),
    gpu("H100 PCIe", (9, 0), 114),
    gpu("H200", (9, 0), 132),
    gpu("B200", (10, 0), 148),
    gpu("Jetson AGX Thor", (11, 0), 20),
    gpu("RTX 5090", (12, 0), 170),
    gpu("RTX 5080", (12, 0), 84),
    gpu("RTX PRO 6000", (12, 0), 188),
    gpu("GB10", (12, 1), 48),
    gpu("DGX Spark", (12, 1), 48),
];

impl Gpu {
    /// Returns all GPUs of the table, ordered by compute capability.
    pub fn all() -> &'static [Gpu] {
        &GPUS
    }

    /// Finds a GPU by product name, ignoring case, spaces, hyphens and the words NVIDIA, GeForce,
    /// Quadro, Tesla and Jetson.
    ///
    /// # Errors
    /// [`OccupancyError::UnknownDevice`], with similar names.
    ///
    /// ```
    /// use occupancy::{ComputeCapability, Gpu};
    ///
    /// assert_eq!(Gpu::named("GeForce GTX-580")?.capability, ComputeCapability::new(2, 0));
    /// # Ok::<(), occupancy::OccupancyError>(())
    /// ```
    pub fn named(name: &str) -> Result<&'static Gpu, OccupancyError> {
        let normalized = normalized_name(name);
        let found = GPUS
            .iter()
            .find(|gpu| normalized_name(gpu.name) == normalized);
        found.ok_or_else(|| OccupancyError::UnknownDevice {
            name: name.to_owned(),
            suggestions: similar_names(name, GPUS.iter().map(|gpu| gpu.name)),
        })
    }

    /// Returns the representative GPU of a compute capability, if the table has one.
    pub fn with_capability(capability: ComputeCapability) -> Option<&'static Gpu> {
        GPUS.iter().find(|gpu| gpu.capability == capability)
    }

    /// Returns the resource limits of this GPU.
    pub fn limits(&self) -> DeviceLimits {
        DeviceLimits::for_capability(self.capability)
            .expect("a test checks that every GPU's capability is in the table")
            .with_multiprocessors(self.multiprocessors)
    }
}

/// Reduces a product name to its distinguishing letters and digits.
fn normalized_name(name: &str) -> String {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !["nvidia", "geforce", "quadro", "tesla", "jetson"].contains(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_has_limits_and_a_unique_name() {
        for gpu in Gpu::all() {
            assert_eq!(gpu.limits().multiprocessors, gpu.multiprocessors);
            assert_eq!(Gpu::named(gpu.name), Ok(gpu));
            assert_eq!(
                Gpu::named(&format!("nvidia {}", gpu.name.to_lowercase())),
                Ok(gpu)
            );
        }
        assert!(GPUS.is_sorted_by_key(|gpu| gpu.capability));
    }

    #[test]
    fn an_unknown_gpu_is_an_error_with_similar_names() {
        let text = Gpu::named("GTX 590").unwrap_err().to_string();
        assert!(
            text.contains("GTX 590") && text.contains("GTX 580"),
            "{text}"
        );
        assert!(Gpu::named("").is_err());
    }
}
