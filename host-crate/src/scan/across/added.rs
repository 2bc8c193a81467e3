//! One part for each device, to which its offset is added in the end.

use super::{AcrossParams, Chain, Part};
use crate::{
    device::Device,
    scan::{Operator, ScanError, ScanOf, ScanParams, ScanValue, Scanner, element::sealed::Sealed},
};

/// Scans a device's part, if it has one.
pub(super) fn scan<I, V, O>(
    device: &Device,
    operator: O,
    parts: Vec<Part<'_, I, V>>,
    params: &AcrossParams<V>,
    chain: &Chain<V, O>,
) -> Result<(), ScanError>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V> + Copy,
{
    for part in parts {
        let stream = device.stream()?;
        let mut scanner = Scanner::new(&stream)?;
        let input = stream.upload(part.input)?;
        let mut output = stream.alloc::<V>(part.input.len())?;
        let from_nothing = ScanParams {
            kind: params.kind,
            initial: Some(O::identity()),
            ..Default::default()
        };
        let total = scanner.scan(operator, &input, &mut output, &from_nothing)?;
        chain.tell(part.number, total.download()?);
        let offset = chain.before(part.number)?;
        // SAFETY: the output is this function's own.
        unsafe { <I as Sealed<V, O>>::add_offset(&stream, offset, output.view_mut())? };
        stream.read(&output, part.output)?;
    }
    Ok(())
}
