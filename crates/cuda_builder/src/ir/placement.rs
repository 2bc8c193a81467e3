//! Which statics leave ordinary memory, and what they are defined as instead.

use super::global::GlobalLine;
use super::items::Item;
use super::token::{Kind, Tokens};
use crate::{CudaBuilderError, Result};

/// Section of statics that live in block-shared memory.
pub(crate) const SHARED_SECTION: &str = ".nvptx.shared";
/// Section of statics that live in constant memory.
pub(crate) const CONSTANT_SECTION: &str = ".nvptx.constant";
/// The symbol whose address is the start of dynamic shared memory.
pub(crate) const DYNAMIC_SHARED: &str = "__ferrovox_dynamic_shared";

/// The symbol of the heap's descriptor, see `cuda_std::heap`: three numbers of 64 bits that the
/// host writes.
pub(crate) const HEAP: &str = "__ferrovox_heap";

/// Alignment of dynamic shared memory, in bytes: that of the widest vector access.
const DYNAMIC_SHARED_ALIGN: u32 = 16;

/// A static in its new address space.
pub(super) struct Placement {
    /// 1, 3 or 4.
    pub space: u32,
    /// Whether the host may name it.
    pub visible: bool,
    /// Everything between `=` and the end of the line, before renaming.
    pub body: String,
}

impl Placement {
    /// The placement of a marked static; `None` when the item stays where it is.
    pub fn of(item: &Item, exported: &[String]) -> Result<Option<Self>> {
        let refuse = |space, reason: &str| {
            Err(CudaBuilderError::Lowering {
                symbol: format!("{:#}", rustc_demangle::demangle(&item.name)),
                space,
                reason: reason.to_owned(),
            })
        };
        let Some(line) = GlobalLine::parse(item.text) else {
            return Ok(None);
        };
        let define = |space, visible, body| {
            Ok(Some(Placement {
                space,
                visible,
                body,
            }))
        };
        let align = line.align.unwrap_or("1");
        if item.name == DYNAMIC_SHARED {
            if !line.external {
                return refuse(
                    "shared",
                    "the name is reserved for dynamic shared memory; declare it `extern`, do not define it",
                );
            }
            return define(
                3,
                true,
                format!("external addrspace(3) global [0 x i8], align {DYNAMIC_SHARED_ALIGN}"),
            );
        }
        if item.name == HEAP {
            if !line.external {
                return Err(CudaBuilderError::Lowering {
                    symbol: HEAP.to_owned(),
                    space: "global",
                    reason: "the name is reserved for the heap of cuda_std".to_owned(),
                });
            }
            // Defined here and not in cuda_std, so that only PTX of kernels that allocate has it.
            return define(
                1,
                true,
                "addrspace(1) externally_initialized global [24 x i8] zeroinitializer, align 8"
                    .to_owned(),
            );
        }
        match line.section.as_deref() {
            Some(SHARED_SECTION) if line.external => {
                refuse("shared", "it is declared but not defined")
            }
            // Shared memory cannot be initialised; a zeroed or other initial value would silently
            // not be there.
            Some(SHARED_SECTION) if !is_uninitialised(line.initialiser) => refuse(
                "shared",
                "it has an initial value, which shared memory cannot have. Make it `MaybeUninit::uninit()` and let the block's threads write it",
            ),
            Some(SHARED_SECTION) => define(
                3,
                false,
                format!(
                    "internal unnamed_addr addrspace(3) global {} undef, align {align}",
                    line.value_type
                ),
            ),
            Some(CONSTANT_SECTION) if line.external => {
                refuse("constant", "it is declared but not defined")
            }
            Some(CONSTANT_SECTION) => {
                let initialiser = if matches!(line.initialiser, "undef" | "poison") {
                    "zeroinitializer"
                } else {
                    line.initialiser
                };
                // An immutable static that the host cannot name is never written: the optimiser may
                // use its values.
                let host_can_name_it = exported.contains(&item.name) && !line.local;
                let fixed = line.immutable && !host_can_name_it;
                let kind = if fixed {
                    "internal unnamed_addr addrspace(4) constant"
                } else {
                    "addrspace(4) externally_initialized global"
                };
                define(
                    4,
                    !fixed,
                    format!("{kind} {} {initialiser}, align {align}", line.value_type),
                )
            }
            _ => Ok(None),
        }
    }
}

/// Whether every byte is undefined. rustc writes a static as chunks: `undef` where nothing is
/// initialised, else byte strings, zeros or addresses.
fn is_uninitialised(initialiser: &str) -> bool {
    let mut undefined = false;
    for token in Tokens::new(initialiser) {
        undefined |= matches!(token.text, "undef" | "poison");
        if matches!(token.kind, Kind::String | Kind::Global)
            || matches!(token.text, "zeroinitializer" | "null")
        {
            return false;
        }
    }
    undefined
}
