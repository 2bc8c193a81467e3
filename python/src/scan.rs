//! Prefix scans.

use crate::{
    array::{Array, ArrayElement},
    call::{Task, run_on_device},
    error::{Failure, unexpected_type},
    input::Input,
};
use ferrovox::scan::{Max, Min, Operator, ScanParams, ScanValue, Scannable, Scanner, Sum};
use pyo3::{IntoPyObjectExt, exceptions::PyValueError, prelude::*};

/// Exclusive scan of one array.
struct Scan<'a, 'py> {
    py: Python<'py>,
    array: &'a Input<'py>,
    initial: Option<&'a Bound<'py, PyAny>>,
    return_total: bool,
    device: &'a str,
}

/// Scans an array with the values of the type `dtype`, and returns the sums before each element and
/// the total, or `None` instead unless `return_total` is set.
#[pyfunction]
pub(crate) fn exclusive_scan<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    op: &str,
    initial: Option<&Bound<'py, PyAny>>,
    dtype: &str,
    return_total: bool,
    device: &str,
) -> PyResult<(Array, Bound<'py, PyAny>)> {
    let array = Input::new(array)?;
    let scan = Scan {
        py,
        array: &array,
        initial,
        return_total,
        device,
    };
    match (array.typestr(), dtype) {
        ("|u1" | "|b1", "<u4") => scan.sum::<u8, u32>(op),
        ("|u1" | "|b1", "<u8") => scan.sum::<u8, u64>(op),
        ("<u2", "<u4") => scan.sum::<u16, u32>(op),
        ("<u2", "<u8") => scan.sum::<u16, u64>(op),
        ("<u4", "<u8") => scan.sum::<u32, u64>(op),
        ("<u4", "<u4") => scan.by::<u32>(op),
        ("<i4", "<i4") => scan.by::<i32>(op),
        ("<u8", "<u8") => scan.by::<u64>(op),
        ("<i8", "<i8") => scan.by::<i64>(op),
        ("<f4", "<f4") => scan.by::<f32>(op),
        ("<f8", "<f8") => scan.by::<f64>(op),
        (other, _) => Err(unexpected_type(other)),
    }
}

impl<'py> Scan<'_, 'py> {
    fn by<V>(self, op: &str) -> PyResult<(Array, Bound<'py, PyAny>)>
    where
        V: Scannable<V, Sum> + Scannable<V, Min> + Scannable<V, Max> + ScanValue + ArrayElement,
        V: for<'a> FromPyObject<'a, 'py> + IntoPyObject<'py>,
        Sum: Operator<V>,
        Min: Operator<V>,
        Max: Operator<V>,
    {
        match op {
            "min" => self.run::<V, V, Min>(Min),
            "max" => self.run::<V, V, Max>(Max),
            _ => self.sum::<V, V>(op),
        }
    }

    fn sum<I, V>(self, op: &str) -> PyResult<(Array, Bound<'py, PyAny>)>
    where
        I: Scannable<V, Sum>,
        V: ScanValue + ArrayElement + for<'a> FromPyObject<'a, 'py> + IntoPyObject<'py>,
        Sum: Operator<V>,
    {
        if op == "sum" {
            return self.run::<I, V, Sum>(Sum);
        }
        Err(PyValueError::new_err(format!(
            "op is {op:?}; with this dtype it must be \"sum\""
        )))
    }

    fn run<I, V, O>(self, operator: O) -> PyResult<(Array, Bound<'py, PyAny>)>
    where
        I: Scannable<V, O>,
        V: ScanValue + ArrayElement + for<'a> FromPyObject<'a, 'py> + IntoPyObject<'py>,
        O: Operator<V> + Send,
    {
        let initial = self.initial.map(|initial| initial.extract::<V>());
        let initial = initial.transpose().map_err(Into::into)?;
        let params = ScanParams {
            initial,
            ..ScanParams::default()
        };
        let (elements, shape) = (self.array.elements::<I>()?, self.array.shape().to_vec());
        let task = Task {
            device: self.device,
            inputs: &[elements.device_memory()],
            elements: elements.len(),
            has_long_loops: false,
        };
        let (sums, total) = run_on_device(self.py, task, None, |work| {
            let (stream, input) = (work.stream(), elements.borrow(work)?);
            let mut output = stream.alloc::<V>(input.len())?;
            let mut scanner = Scanner::new(stream)?;
            let total = scanner.scan(operator, &input, &mut output, &params)?;
            let total = self.return_total.then(|| total.download());
            let total = total.transpose().map_err(Failure::from)?;
            Ok((work.array_from_buffer(output, shape)?, total))
        })?;
        Ok((sums, total.into_bound_py_any(self.py)?))
    }
}
