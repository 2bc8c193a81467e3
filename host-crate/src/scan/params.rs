//! Parameters of scans.

/// Selects whether an element contributes to its own result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScanKind {
    /// Only the preceding elements contribute.
    #[default]
    Exclusive,
    /// The element itself contributes too.
    Inclusive,
}

/// Method of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanMethod {
    /// A single pass with decoupled look-back.
    #[default]
    SinglePass,
    /// Three passes: sums of the segments, scan of the sums, scan of the segments. For integer
    /// sums; kept for comparison and teaching.
    ThreePass,
}

impl ScanMethod {
    /// Returns the name of the method, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ScanMethod::SinglePass => "single-pass",
            ScanMethod::ThreePass => "three-pass",
        }
    }
}

/// Parameters of [`Scanner::scan`](super::Scanner::scan). The default is an exclusive single-pass
/// scan that begins with the operator's identity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanParams<V> {
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// Method of the scan.
    pub method: ScanMethod,
    /// Value that precedes the first element; `None` for the operator's identity.
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
