//! Independent reader of NIfTI files: Python, with the fields of `nifti1.h` and `nifti2.h` in their
//! order and without their offsets.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use test_cases::has_programs;

/// Program that prints one line per quantity: its name and its numbers as hexadecimal `f64`.
const SCRIPT: &str = r#"
import struct, sys
b = open(sys.argv[1], "rb").read()
size = {348: "<", 540: "<", 1543569408: ">", 469893120: ">"}
order = size[struct.unpack("<i", b[:4])[0]]
version = 1 if struct.unpack(order + "i", b[:4])[0] == 348 else 2
if version == 1:
    form = "i 10s 18s i h c c 8h 3f h h h h 8f f f f h c c f f f f i i 80s 24s h h 3f 3f 12f 16s 4s"
else:
    form = "i 8s h h 8q 3d 8d q d d d d d d q q 80s 24s i i 3d 3d 12d i i i 16s c 15s"
form = order + form.replace(" ", "")
v = struct.unpack(form, b[:struct.calcsize(form)])
if version == 1:
    dim, (datatype, bits), pixdim = v[7:15], v[19:21], v[22:30]
    offset, scaling, codes, srow, magic = v[30], v[31:33], v[44:46], v[52:64], v[65]
    assert magic == b"n+1\0", magic
else:
    magic, (datatype, bits), dim, pixdim = v[1], v[2:4], v[4:12], v[15:23]
    offset, scaling, codes, srow = v[23], v[24:26], v[34:36], v[42:54]
    assert magic == b"n+2\0\r\n\x1a\n", magic
assert struct.calcsize(form) == (348 if version == 1 else 540)
code = {2: "B", 4: "h", 8: "i", 16: "f", 64: "d", 256: "b", 512: "H", 1024: "q"}[datatype]
assert bits == 8 * struct.calcsize("=" + code), bits
count = dim[1] * dim[2] * dim[3]
samples = struct.unpack("%s%d%s" % (order, count, code), b[int(offset):])
found = dict(dim=dim, pixdim=pixdim, scaling=scaling, codes=codes, srow=srow, samples=samples)
for name, numbers in found.items():
    print(name, struct.pack(">%dd" % len(numbers), *numbers).hex())
"#;

/// Returns `dim`, `pixdim`, `scaling` (slope and intercept), `codes` (qform and sform), `srow` and
/// `samples` of a file; `None` without Python if that is [permitted](has_programs).
///
/// # Panics
/// If Python is missing or cannot read the file.
pub fn read(path: &Path) -> Option<HashMap<String, Vec<f64>>> {
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT]).arg(path).stdin(Stdio::null());
    if !has_programs(&["python3"]) {
        return None;
    }
    let output = command.output().expect("python3 starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", path.display());
    let text = String::from_utf8(output.stdout).expect("names and digits");
    let number = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).expect("digits");
        f64::from_bits(u64::from_str_radix(digits, 16).expect("digits"))
    };
    let line = |line: &str| {
        let (name, digits) = line.split_once(' ').expect("a name and digits");
        let numbers = digits.as_bytes().chunks(16).map(number).collect();
        (name.to_owned(), numbers)
    };
    Some(text.lines().map(line).collect())
}
