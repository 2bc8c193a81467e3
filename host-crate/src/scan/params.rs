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
}

/// What [`Scanner::scan`](super::Scanner::scan) is to do. The default is the exclusive scan in a single pass, from the
/// operator's identity on.
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
