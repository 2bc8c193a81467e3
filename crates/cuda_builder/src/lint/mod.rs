//! Lint for the generated PTX.
//!
//! rustc cannot report that an access uses the slow generic address space, that an array is stored
//! in local memory because its index is not constant, or that a bounds check added panic code. All
//! of this is visible in the PTX. The lint reports these findings with kernel and source line.

mod detect;
mod report;
mod rules;

pub use detect::lint;
pub use report::{Finding, KernelLint, LintReport};
pub use rules::{FindingKind, LintRules};
