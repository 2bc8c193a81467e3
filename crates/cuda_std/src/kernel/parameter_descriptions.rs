//! Descriptions of a kernel's parameters for checked mode.

use simt::{Parameter, ParameterKind};

/// The parameters of a kernel that refer to memory. `#[kernel]` generates the code that fills it.
#[derive(Default)]
pub struct ParameterDescriptions(Vec<Parameter>);

impl ParameterDescriptions {
    /// Adds a view of `len` elements.
    pub fn view<T>(&mut self, name: &'static str, number: u32, first: *const T, len: usize) {
        self.push(name, number, first, len, ParameterKind::View);
    }

    /// Adds a slice, or a reference to one value.
    pub fn slice<T>(&mut self, name: &'static str, number: u32, first: *const T, len: usize) {
        self.push(name, number, first, len, ParameterKind::Slice);
    }

    /// Adds a raw pointer.
    pub fn pointer<T>(&mut self, name: &'static str, number: u32, first: *const T) {
        self.push(name, number, first, 0, ParameterKind::Pointer);
    }

    fn push<T>(
        &mut self,
        name: &'static str,
        number: u32,
        first: *const T,
        elements: usize,
        kind: ParameterKind,
    ) {
        self.0.push(Parameter {
            name,
            number,
            address: first.addr(),
            elements,
            element_bytes: size_of::<T>(),
            kind,
        });
    }

    /// Returns the descriptions in the executor's form.
    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.0
    }
}
