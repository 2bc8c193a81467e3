//! The PTX that ships with the library, and what is recorded of its kernels. Machine code made of it: [`super::machine_code`].

use serde::Deserialize;
use std::{collections::BTreeMap, sync::OnceLock};

/// PTX for one architecture and everything newer.
pub(super) struct ShippedModule {
    /// Compute capability times ten: 70 or 90.
    pub capability: u32,
    pub ptx: &'static str,
}

/// Newest first.
const MODULES: [ShippedModule; 2] = [
    ShippedModule {
        capability: 90,
        ptx: include_str!("../../ptx/ferrovox_sm_90.ptx"),
    },
    ShippedModule {
        capability: 70,
        ptx: include_str!("../../ptx/ferrovox_sm_70.ptx"),
    },
];

/// The newest PTX that a device of this compute capability (times ten) can run.
pub(super) fn for_capability(capability: u32) -> Option<&'static ShippedModule> {
    MODULES
        .iter()
        .find(|module| module.capability <= capability)
}

/// The assembler's figures of a kernel in the PTX that ships.
pub use ptxas_figures::Figures as RecordedResources;

/// The file beside the PTX.
#[derive(Deserialize)]
struct Record {
    arches: BTreeMap<String, BTreeMap<String, RecordedResources>>,
}

/// The recorded resources of every shipped kernel, by architecture (`sm_70`, `sm_90`) and entry point. Needs no GPU.
pub fn recorded_resources() -> &'static BTreeMap<String, BTreeMap<String, RecordedResources>> {
    static RECORD: OnceLock<Record> = OnceLock::new();
    let read = || {
        serde_json::from_str(include_str!("../../ptx/resources.json"))
            .expect("the repository's own file, tested to parse")
    };
    &RECORD.get_or_init(read).arches
}
