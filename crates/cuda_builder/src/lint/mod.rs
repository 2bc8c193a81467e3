//! A lint over emitted PTX.
//!
//! rustc cannot tell a kernel's author that an access went through the slow generic path, that an
//! array went to the stack because it was indexed by a variable, or that a bounds check brought the
//! panic machinery along. All of it shows in the PTX. The lint reads it and names kernel and source
//! line.

mod check;
mod report;
mod rules;

pub use check::lint;
pub use report::{Finding, KernelLint, LintReport};
pub use rules::{FindingKind, LintRules};
