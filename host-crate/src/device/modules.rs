//! The PTX that ships with the library, and what is recorded of its kernels. Machine code made of
//! it: [`super::machine_code`].

use super::compressed::Compressed;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::OnceLock};

/// PTX for one architecture and everything newer.
pub(super) struct ShippedModule {
    /// Compute capability times ten: 70 or 90.
    pub capability: u32,
    ptx: Compressed,
}

impl ShippedModule {
    const fn new(capability: u32, compressed: &'static [u8]) -> Self {
        Self {
            capability,
            ptx: Compressed::new(compressed),
        }
    }

    /// Its text; what is wrong with the file, if something is.
    pub fn ptx(&self) -> Result<&str, String> {
        let bytes = self.ptx.bytes()?;
        std::str::from_utf8(bytes).map_err(|error| error.to_string())
    }
}

/// Newest first.
static MODULES: [ShippedModule; 2] = [
    ShippedModule::new(90, include_bytes!("../../ptx/ferrovox_sm_90.ptx.zst")),
    ShippedModule::new(70, include_bytes!("../../ptx/ferrovox_sm_70.ptx.zst")),
];

/// The newest PTX that a device of this compute capability (times ten) can run.
pub(super) fn for_capability(capability: u32) -> Option<&'static ShippedModule> {
    MODULES
        .iter()
        .find(|module| module.capability <= capability)
}

/// The PTX that ships for an architecture, `sm_70` or `sm_90`: the text of all kernels. Needs no
/// GPU. It is decompressed when it is first asked for, 10 MB.
///
/// ```
/// let ptx = ferrovox::device::shipped_ptx("sm_70").unwrap();
/// assert!(ptx.contains(".entry classify_edges("));
/// assert!(ferrovox::device::shipped_ptx("sm_75").is_none());
/// ```
pub fn shipped_ptx(arch: &str) -> Option<&'static str> {
    let capability: u32 = arch.strip_prefix("sm_")?.parse().ok()?;
    let of_arch = |module: &&ShippedModule| module.capability == capability;
    MODULES.iter().find(of_arch)?.ptx().ok()
}

/// The assembler's figures of a kernel in the PTX that ships.
pub use ptxas_figures::ResourceUsage as RecordedResources;

/// The file beside the PTX.
#[derive(Deserialize)]
struct Record {
    arches: BTreeMap<String, BTreeMap<String, RecordedResources>>,
}

/// The recorded resources of every shipped kernel, by architecture (`sm_70`, `sm_90`) and entry
/// point. Needs no GPU.
pub fn recorded_resources() -> &'static BTreeMap<String, BTreeMap<String, RecordedResources>> {
    static RECORD: OnceLock<Record> = OnceLock::new();
    let read = || {
        serde_json::from_str(include_str!("../../ptx/resources.json"))
            .expect("the repository's own file, tested to parse")
    };
    &RECORD.get_or_init(read).arches
}
