//! What the lint finds, and which of it is an error.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What is wrong at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A load, store or atomic whose memory space the compiler did not learn, outside loops.
    GenericAccess,
    /// The same, between a label and a branch back to it.
    GenericAccessInLoop,
    /// Local variables that did not fit into registers, mostly arrays indexed by a variable.
    LocalDepot,
    /// A call of a panic function.
    PanicCall,
    /// A `trap` instruction: a panic without its message.
    Trap,
    /// Memory taken from the heap, which a launch has only if the host gave it one.
    Allocation,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FindingKind::GenericAccess => "generic access",
            FindingKind::GenericAccessInLoop => "generic access in a loop",
            FindingKind::LocalDepot => "local depot",
            FindingKind::PanicCall => "panic call",
            FindingKind::Trap => "trap",
            FindingKind::Allocation => "allocation",
        })
    }
}

impl FindingKind {
    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            FindingKind::GenericAccess | FindingKind::GenericAccessInLoop => {
                "pass pointers as kernel parameters of their own (views and slices are split by #[kernel]), not inside structs"
            }
            FindingKind::Allocation => {
                "let the host give the kernels a heap before each launch (see cuda_std::heap), or take what is needed as a buffer: without a heap every allocation stops the kernel with an error"
            }
            FindingKind::LocalDepot => {
                "index local arrays by constants only: unroll the loop, or use shared memory"
            }
            FindingKind::PanicCall | FindingKind::Trap => {
                "remove the check that can panic: use views instead of slice indexing, wrapping_* instead of division by a variable or checked arithmetic"
            }
        }
    }
}

/// Which findings are errors. None are by default; [`LintRules::strict`] is what shipped kernels
/// should keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintRules {
    denied: BTreeSet<FindingKind>,
    exempt: BTreeSet<(String, FindingKind)>,
}

impl LintRules {
    /// No stack, no panics, no generic accesses in loops, no allocations.
    pub fn strict() -> Self {
        use FindingKind::{Allocation, GenericAccessInLoop, LocalDepot, PanicCall, Trap};
        LintRules {
            denied: [GenericAccessInLoop, LocalDepot, PanicCall, Trap, Allocation].into(),
            exempt: BTreeSet::new(),
        }
    }

    /// Makes `kind` an error.
    pub fn deny(mut self, kind: FindingKind) -> Self {
        self.denied.insert(kind);
        self
    }

    /// Makes `kind` no error.
    pub fn allow(mut self, kind: FindingKind) -> Self {
        self.denied.remove(&kind);
        self
    }

    /// Makes `kind` no error in one kernel.
    pub fn allow_in(mut self, kernel: &str, kind: FindingKind) -> Self {
        self.exempt.insert((kernel.to_owned(), kind));
        self
    }

    /// Whether `kind` in `kernel` is an error.
    pub fn denies(&self, kernel: &str, kind: FindingKind) -> bool {
        self.denied.contains(&kind) && !self.exempt.contains(&(kernel.to_owned(), kind))
    }
}
