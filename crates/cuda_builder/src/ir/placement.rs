//! Selection of statics to move to other address spaces, and their new definitions.

use super::global::GlobalLine;
use super::items::Item;
use super::token::{Kind, Tokens};
use crate::{CudaBuilderError, Result};

/// Section of statics in shared memory.
pub(crate) const SHARED_SECTION: &str = ".nvptx.shared";
/// Section of statics in constant memory.
pub(crate) const CONSTANT_SECTION: &str = ".nvptx.constant";
/// Symbol whose address is the start of dynamic shared memory.
pub(crate) const DYNAMIC_SHARED: &str = "__ferrovox_dynamic_shared";

/// Symbol of the heap's descriptor (see `cuda_std::heap`): three 64-bit integers written by the
/// host.
pub(crate) const HEAP: &str = "__ferrovox_heap";

/// Alignment of dynamic shared memory in bytes, as required by the widest vector access.
const DYNAMIC_SHARED_ALIGN: u32 = 16;

/// Definition of a static in its new address space.
pub(super) struct Placement {
    /// Address space: 1, 3 or 4.
    pub space: u32,
    /// `true` if the symbol is visible to the host.
    pub visible: bool,
    /// Everything between `=` and the end of the line, before renaming.
    pub body: String,
}

impl Placement {
    /// Returns the placement of a marked static, or `None` if the item is not moved.
    pub fn for_item(item: &Item, exported: &[String]) -> Result<Option<Self>> {
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
                    "the name is reserved for dynamic shared memory; declare it `extern` instead of defining it",
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
            // defined here instead of in cuda_std, so that only PTX of kernels that allocate
            // contains it
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
            // Shared memory cannot be initialized; an initial value would silently be ignored.
            Some(SHARED_SECTION) if !is_uninitialised(line.initialiser) => refuse(
                "shared",
                "shared memory cannot have an initial value; use `MaybeUninit::uninit()` and initialize it in the kernel",
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
                // an immutable static that is invisible to the host is never written, so the
                // optimizer may use its value
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

/// Returns `true` if every byte is undefined. rustc writes a static as chunks: `undef` for
/// uninitialized bytes, otherwise byte strings, zeros or addresses.
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
