//! What can be chosen.

/// Whether an element counts for its own result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScanKind {
    /// Only what comes before it does.
    #[default]
    Exclusive,
    /// It does.
    Inclusive,
}

/// How a scan is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanMethod {
    /// In one pass, with decoupled look-back.
    #[default]
    SinglePass,
    /// In three passes, kept to compare with and to learn from: sums of the parts, scan of the
    /// sums, scan of the parts. For sums of integers.
    ThreePass,
}

impl ScanMethod {
    /// The method's name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            ScanMethod::SinglePass => "single-pass",
            ScanMethod::ThreePass => "three-pass",
        }
    }
}

/// What [`Scanner::scan`](super::Scanner::scan) is to do. The default is the exclusive scan in a
/// single pass, from the operator's identity on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanParams<V> {
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// The method.
    pub method: ScanMethod,
    /// What comes before the first element; `None` for nothing.
    pub initial: Option<V>,
}

impl<V> Default for ScanParams<V> {
    fn default() -> Self {
        Self {
            kind: ScanKind::default(),
            method: ScanMethod::default(),
            initial: None,
        }
    }
}
