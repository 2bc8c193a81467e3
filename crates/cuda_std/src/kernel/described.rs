//! What checked mode is told of a kernel's parameters.

use simt::{Parameter, Reach};

/// The parameters of a kernel that give it memory. `#[kernel]` fills it.
#[derive(Default)]
pub struct Described(Vec<Parameter>);

impl Described {
    /// A view of `len` elements.
    pub fn view<T>(&mut self, name: &'static str, number: u32, first: *const T, len: usize) {
        self.push(name, number, first, len, Reach::View);
    }

    /// A slice, or a reference to one value.
    pub fn slice<T>(&mut self, name: &'static str, number: u32, first: *const T, len: usize) {
        self.push(name, number, first, len, Reach::Slice);
    }

    /// A raw pointer.
    pub fn pointer<T>(&mut self, name: &'static str, number: u32, first: *const T) {
        self.push(name, number, first, 0, Reach::Pointer);
    }

    fn push<T>(
        &mut self,
        name: &'static str,
        number: u32,
        first: *const T,
        elements: usize,
        reach: Reach,
    ) {
        self.0.push(Parameter {
            name,
            number,
            address: first.addr(),
            elements,
            element_bytes: size_of::<T>(),
            reach,
        });
    }

    /// What the executor takes.
    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.0
    }
}
