//! The parameters of a kernel, as reports name them.

/// How a kernel reaches the memory of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Through a view, which tells of every access.
    View,
    /// Through a slice or a reference, whose accesses are seen where the code is instrumented.
    Slice,
    /// Through a raw pointer, likewise. How far its memory goes is not known.
    Pointer,
}

/// A parameter of a kernel that gives it memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the kernel's source.
    pub name: &'static str,
    /// Its place among the kernel's parameters, from 1.
    pub number: u32,
    /// Where its memory begins.
    pub address: usize,
    /// How many elements there are; of a pointer it means nothing.
    pub elements: usize,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// How the kernel reaches it.
    pub kind: ParameterKind,
}

impl Parameter {
    /// Bytes of its memory, as far as that is known.
    fn bytes(&self) -> usize {
        match self.kind {
            ParameterKind::Pointer => 0,
            _ => self.elements.saturating_mul(self.element_bytes),
        }
    }

    /// Whether it is known that `address` lies in its memory.
    fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.address) < self.bytes()
    }
}

/// The parameter whose memory `address` lies in, and whether that is certain. Of pointers, whose
/// memory has no known end, the one that begins last before the address is taken.
pub(crate) fn find_parameter(parameters: &[Parameter], address: usize) -> Option<(usize, bool)> {
    if let Some(number) = parameters.iter().position(|one| one.holds(address)) {
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
    fn an_address_is_of_the_view_that_holds_it_or_of_the_last_pointer_before_it() {
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
