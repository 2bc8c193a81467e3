//! The shipped PTX and its recorded resources. Machine code compiled from it:
//! [`super::machine_code`].

use super::compressed::Compressed;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::OnceLock};

/// PTX for one architecture and all newer ones.
pub(super) struct ShippedModule {
    /// Compute capability times ten: 70 or 90.
    pub capability: u32,
    ptx: &'static Compressed,
}

impl ShippedModule {
    /// Returns the text, or the error of its decompression.
    pub fn ptx(&self) -> Result<&str, String> {
        let bytes = self.ptx.bytes()?;
        std::str::from_utf8(bytes).map_err(|error| error.to_string())
    }
}

/// PTX for capability 7.0.
static PTX_70: Compressed = Compressed::new(include_bytes!("../../ptx/ferrovox_sm_70.ptx.zst"));
/// PTX for capability 9.0, which is stored as its difference from that for 7.0.
static PTX_90: Compressed =
    Compressed::difference(include_bytes!("../../ptx/ferrovox_sm_90.ptx.zst"), &PTX_70);

/// The shipped PTX, newest architecture first.
static MODULES: [ShippedModule; 2] = [
    ShippedModule {
        capability: 90,
        ptx: &PTX_90,
    },
    ShippedModule {
        capability: 70,
        ptx: &PTX_70,
    },
];

/// Returns the newest PTX that a device of this compute capability (times ten) can run.
pub(super) fn for_capability(capability: u32) -> Option<&'static ShippedModule> {
    MODULES
        .iter()
        .find(|module| module.capability <= capability)
}

/// Returns the PTX shipped for an architecture, `sm_70` or `sm_90`, as the text of all kernels.
/// Needs no GPU. It is decompressed to 10 MB on first use.
///
/// ```
/// let ptx = ferrovox::device::shipped_ptx("sm_70").unwrap();
/// assert!(ptx.contains(".entry classify_edges("));
/// assert!(ferrovox::device::shipped_ptx("sm_75").is_none());
/// ```
pub fn shipped_ptx(arch: &str) -> Option<&'static str> {
    let capability: u32 = arch.strip_prefix("sm_")?.parse().ok()?;
    let has_capability = |module: &&ShippedModule| module.capability == capability;
    MODULES.iter().find(has_capability)?.ptx().ok()
}

/// Resources of a kernel in the shipped PTX, as reported by the assembler.
pub use ptxas_figures::ResourceUsage as RecordedResources;

/// The file of recorded resources.
#[derive(Deserialize)]
struct Record {
    arches: BTreeMap<String, BTreeMap<String, RecordedResources>>,
}

/// Returns the recorded resources of every shipped kernel, by architecture (`sm_70`, `sm_90`) and
/// entry point. Needs no GPU.
pub fn recorded_resources() -> &'static BTreeMap<String, BTreeMap<String, RecordedResources>> {
    static RECORD: OnceLock<Record> = OnceLock::new();
    let read = || {
        serde_json::from_str(include_str!("../../ptx/resources.json"))
            .expect("the repository's own file, tested to parse")
    };
    &RECORD.get_or_init(read).arches
}
