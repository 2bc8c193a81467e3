//! Parameters of a kernel, as named in reports.

/// Kind of a parameter that refers to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A view, which records every access.
    View,
    /// A slice or reference, whose accesses are tracked in instrumented code.
    Slice,
    /// A raw pointer, whose accesses are tracked in instrumented code. The extent of its memory is
    /// unknown.
    Pointer,
}

/// A kernel parameter that refers to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the kernel's source.
    pub name: &'static str,
    /// Position in the kernel's signature, from 1.
    pub number: u32,
    /// Address of the first element.
    pub address: usize,
    /// Number of elements; meaningless for a pointer.
    pub elements: usize,
    /// Size of an element, in bytes.
    pub element_bytes: usize,
    /// Kind of the parameter.
    pub kind: ParameterKind,
}

impl Parameter {
    /// Returns the known extent of the memory, in bytes.
    fn bytes(&self) -> usize {
        match self.kind {
            ParameterKind::Pointer => 0,
            _ => self.elements.saturating_mul(self.element_bytes),
        }
    }

    /// Returns `true` if `address` lies in the known extent of the memory.
    fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.address) < self.bytes()
    }
}

/// Returns the index of the parameter that contains `address`, and `true` if its extent is known.
/// If no view or slice contains `address`, returns the raw pointer with the highest address that is
/// not above it, and `false`.
pub(crate) fn find_parameter(parameters: &[Parameter], address: usize) -> Option<(usize, bool)> {
    if let Some(number) = parameters.iter().position(|one| one.contains(address)) {
        return Some((number, true));
    }
    let starts_before = |one: &Parameter| {
        one.kind == ParameterKind::Pointer && one.address != 0 && one.address <= address
    };
    let pointers = parameters.iter().enumerate();
    let last = pointers
        .filter(|(_, one)| starts_before(one))
        .max_by_key(|(_, one)| one.address);
    last.map(|(number, _)| (number, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(number: u32, address: usize, elements: usize, kind: ParameterKind) -> Parameter {
        Parameter {
            name: "p",
            number,
            address,
            elements,
            element_bytes: 4,
            kind,
        }
    }

    #[test]
    fn an_address_belongs_to_its_view_or_to_the_last_pointer_before_it() {
        let all = [
            parameter(1, 1000, 10, ParameterKind::View),
            parameter(2, 900, 0, ParameterKind::Pointer),
            parameter(3, 2000, 0, ParameterKind::Pointer),
            parameter(4, 0, 0, ParameterKind::Pointer),
        ];
        assert_eq!(find_parameter(&all, 1000), Some((0, true)));
        assert_eq!(find_parameter(&all, 1039), Some((0, true)));
        assert_eq!(find_parameter(&all, 1040), Some((1, false)));
        assert_eq!(find_parameter(&all, 2004), Some((2, false)));
        assert_eq!(find_parameter(&all, 899), None);
    }
}
