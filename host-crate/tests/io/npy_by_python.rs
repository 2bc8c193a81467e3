//! Independent reader of npy files: Python, which evaluates the header like NumPy.

use std::path::Path;
use std::process::{Command, Stdio};
use test_cases::has_programs;

/// Program with NumPy's own steps: length, header as a Python literal, samples after it.
const SCRIPT: &str = r#"
import ast, struct, sys
b = open(sys.argv[1], "rb").read()
assert b[:6] == b"\x93NUMPY", b[:6]
size, at = struct.unpack("<H", b[8:10]) + (10,) if b[6] == 1 else struct.unpack("<I", b[8:12]) + (12,)
header = ast.literal_eval(b[at:at + size].decode("latin1"))
assert sorted(header) == ["descr", "fortran_order", "shape"] and header["fortran_order"] is False, header
assert (at + size) % 64 == 0, at + size
count = 1
for n in header["shape"]:
    count *= n
code = {"f4": "f", "f8": "d"}[header["descr"][1:]]
samples = struct.unpack("%s%d%s" % (header["descr"][0], count, code), b[at + size:])
print(*header["shape"])
print(struct.pack("<%dd" % count, *samples).hex())
"#;

/// Returns the shape and the samples of a file of floats in C order; `None` without Python if that
/// is [permitted](has_programs).
///
/// # Panics
/// If Python is missing or cannot read the file.
pub fn read(path: &Path) -> Option<(Vec<usize>, Vec<f64>)> {
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT]).arg(path).stdin(Stdio::null());
    if !has_programs(&["python3"]) {
        return None;
    }
    let output = command.output().expect("python3 starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", path.display());
    let text = String::from_utf8(output.stdout).expect("digits");
    let (shape, samples) = text.trim_end().split_once('\n').expect("two lines");
    let shape = shape
        .split_whitespace()
        .map(|length| length.parse().expect("a length"));
    let sample = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).expect("digits");
        let bits = u64::from_str_radix(digits, 16).expect("digits");
        f64::from_bits(bits.swap_bytes())
    };
    let samples = samples.trim().as_bytes().chunks(16).map(sample);
    Some((shape.collect(), samples.collect()))
}
