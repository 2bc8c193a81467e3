//! Checks of the PTX that need no device.

use super::EMBEDDED;

/// Lint findings of a kernel.
struct Lint {
    kernel: &'static str,
    barriers: usize,
    /// Opcodes of generic accesses.
    generic: Vec<&'static str>,
}

/// Returns the lint report of each PTX, as stored by the build script.
fn reports() -> impl Iterator<Item = (&'static str, Vec<Lint>)> {
    let texts = [
        include_str!(concat!(env!("OUT_DIR"), "/sm_70.lint")),
        include_str!(concat!(env!("OUT_DIR"), "/sm_90.lint")),
    ];
    let built = EMBEDDED.iter().zip(texts);
    built
        .filter(|(ptx, _)| !ptx.text.is_empty())
        .map(|(ptx, text)| {
            let kernels: Vec<Lint> = text.lines().map(kernel).collect();
            assert!(!kernels.is_empty(), "{}: no kernels", ptx.name);
            (ptx.name, kernels)
        })
}

fn kernel(line: &'static str) -> Lint {
    let mut words = line.split_whitespace();
    let mut next = || words.next().expect("a name and a number");
    Lint {
        kernel: next(),
        barriers: next().parse().expect("a number of barriers"),
        generic: words.collect(),
    }
}

/// Slices and raw pointers are kernel parameters, so their accesses must be global; shared and
/// constant arrays have their own address spaces.
#[test]
fn plain_accesses_name_their_memory() {
    // Spilled variables of this kernel are on the stack, which PTX addresses generically.
    let on_the_stack = |kernel: &str, what: &str| kernel == "accurate_functions" && is(what, "st");
    let mut atomics = 0;
    for (arch, kernels) in reports() {
        for Lint {
            kernel, generic, ..
        } in kernels
        {
            for access in generic {
                atomics += usize::from(is_atomic(access));
                assert!(
                    is_atomic(access) || on_the_stack(kernel, access),
                    "{arch}, {kernel}: {access}"
                );
            }
        }
    }
    assert!(
        atomics > 0 || reports().next().is_none(),
        "Rust-CUDA's atomics are generic instructions"
    );
}

/// Returns `true` if the opcode is `base` with any qualifiers.
fn is(opcode: &str, base: &str) -> bool {
    opcode.split('.').next() == Some(base)
}

/// Returns `true` for atomics. Those of Rust-CUDA's API take any pointer and are generic; they name
/// their memory order.
fn is_atomic(opcode: &str) -> bool {
    let orders = ["relaxed", "acquire", "release", "acq_rel"];
    opcode.split('.').any(|part| orders.contains(&part))
}

/// A compiler that copies a barrier into both arms of a branch (rust-lang/rust#137086) lets threads
/// of one warp wait at different instructions, which `bar.sync` forbids.
#[test]
fn every_barrier_is_there_once() {
    let of_the_source = [
        ("block_sum", 2),
        ("count_even", 3),
        ("float_sums", 2),
        ("histogram_by_blocks", 2),
        ("ranks", 1),
        ("reverse_blocks", 1),
        ("scan_blocks", 2),
        ("smooth_blocks", 1),
        ("sum_in_one_launch", 1),
        ("transpose", 1),
    ];
    for (arch, kernels) in reports() {
        let in_ptx: Vec<(&str, usize)> = kernels
            .iter()
            .filter(|kernel| kernel.barriers > 0)
            .map(|kernel| (kernel.kernel, kernel.barriers))
            .collect();
        assert_eq!(in_ptx, of_the_source, "{arch}");
    }
}

#[test]
fn products_and_sums_stay_apart() {
    for ptx in EMBEDDED.iter().filter(|ptx| !ptx.text.is_empty()) {
        let body = |kernel: &str| {
            let start = ptx.text.find(&format!(".entry {kernel}("));
            let text = &ptx.text[start.unwrap_or_else(|| panic!("{}: no {kernel}", ptx.name))..];
            text.split("\n}").next().unwrap_or(text)
        };
        let saxpy = body("saxpy");
        assert!(
            saxpy.contains("mul.rn.f32") && !saxpy.contains("fma"),
            "{}: {saxpy}",
            ptx.name
        );
        // An explicitly requested fused operation is fused.
        assert!(body("exact_functions").contains("fma.rn.f32"));
    }
}
