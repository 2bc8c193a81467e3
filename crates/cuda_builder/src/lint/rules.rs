//! Kinds of findings, and rules that select the errors.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Load, store or atomic in the generic address space, outside loops.
    GenericAccess,
    /// Load, store or atomic in the generic address space, between a label and a branch back to it.
    GenericAccessInLoop,
    /// Local variables not kept in registers, mostly arrays with a variable index.
    LocalDepot,
    /// Call of a panic function.
    PanicCall,
    /// `trap` instruction: a panic without message.
    Trap,
    /// Allocation from the heap, which a launch has only if the host provides one.
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
    /// Returns the remedy.
    pub fn remedy(self) -> &'static str {
        match self {
            FindingKind::GenericAccess | FindingKind::GenericAccessInLoop => {
                "pass pointers as separate kernel parameters (#[kernel] splits views and slices), not inside structs"
            }
            FindingKind::Allocation => {
                "provide a heap from the host before each launch (see cuda_std::heap), or pass a buffer; without a heap every allocation aborts the kernel"
            }
            FindingKind::LocalDepot => {
                "use constant indices for local arrays (unroll the loop), or use shared memory"
            }
            FindingKind::PanicCall | FindingKind::Trap => {
                "remove the check that can panic: use views instead of slice indexing, wrapping_* instead of division by a variable or checked arithmetic"
            }
        }
    }
}

/// Selection of the findings that are errors; none by default. [`LintRules::strict`] is recommended
/// for shipped kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintRules {
    denied: BTreeSet<FindingKind>,
    exempt: BTreeSet<(String, FindingKind)>,
}

impl LintRules {
    /// Denies stack frames, panics, generic accesses in loops, and allocations.
    pub fn strict() -> Self {
        use FindingKind::{Allocation, GenericAccessInLoop, LocalDepot, PanicCall, Trap};
        LintRules {
            denied: [GenericAccessInLoop, LocalDepot, PanicCall, Trap, Allocation].into(),
            exempt: BTreeSet::new(),
        }
    }

    /// Denies findings of this kind.
    pub fn deny(mut self, kind: FindingKind) -> Self {
        self.denied.insert(kind);
        self
    }

    /// Allows findings of this kind.
    pub fn allow(mut self, kind: FindingKind) -> Self {
        self.denied.remove(&kind);
        self
    }

    /// Allows findings of this kind in one kernel.
    pub fn allow_in(mut self, kernel: &str, kind: FindingKind) -> Self {
        self.exempt.insert((kernel.to_owned(), kind));
        self
    }

    /// Returns `true` if a finding of this kind in `kernel` is an error.
    pub fn denies(&self, kernel: &str, kind: FindingKind) -> bool {
        self.denied.contains(&kind) && !self.exempt.contains(&(kernel.to_owned(), kind))
    }
}
