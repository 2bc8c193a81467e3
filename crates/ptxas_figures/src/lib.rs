//! Parser for the verbose output of NVIDIA's assembler (`ptxas -v`): the resource usage of each
//! kernel.

use serde::{Deserialize, Serialize};

/// Resource usage of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceUsage {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes, without the part that the GPU reserves (1 KiB on
    /// `sm_90`).
    pub static_shared_bytes: u32,
    /// Constant memory, including parameters, in bytes.
    pub constant_bytes: u32,
    /// Stack frame per thread, in bytes.
    pub stack_bytes: u32,
    /// Register spill stores, in bytes.
    pub spill_store_bytes: u32,
    /// Register spill loads, in bytes.
    pub spill_load_bytes: u32,
    /// Number of barriers that a block uses.
    pub barriers: u32,
}

impl ResourceUsage {
    /// Returns the total spill traffic (stores plus loads), in bytes.
    pub fn spill_bytes(&self) -> u64 {
        u64::from(self.spill_store_bytes) + u64::from(self.spill_load_bytes)
    }
}

/// A kernel in the output of the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Name of the entry point.
    pub name: String,
    /// Architecture the kernel was assembled for, such as `sm_90`, if the output states it.
    pub arch: Option<String>,
    /// Resource usage of the kernel.
    pub usage: ResourceUsage,
}

/// Parses the resource usage of every kernel in the output of `ptxas -v` (or `nvcc -Xptxas -v`).
/// Other lines are ignored, as are kernels without a register count and non-entry functions. Takes
/// time linear in the length of the text.
///
/// ```
/// let text = "\
/// ptxas info    : Compiling entry function 'field' for 'sm_90'
/// ptxas info    : Function properties for field
///     16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
/// ptxas info    : Used 42 registers, used 1 barriers, 1548 bytes smem, 400 bytes cmem[0]";
/// let kernels = ptxas_figures::parse(text);
/// assert_eq!(kernels[0].name, "field");
/// assert_eq!(kernels[0].usage.registers, 42);
/// assert_eq!(kernels[0].usage.spill_bytes(), 12);
/// ```
pub fn parse(text: &str) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    // the current kernel, until its line with the register count
    let mut open: Option<Kernel> = None;
    for line in text.lines() {
        if line.contains("Compiling entry function") {
            let mut quoted = line.split('\'').skip(1).step_by(2);
            open = quoted.next().map(|name| Kernel {
                name: name.to_owned(),
                arch: quoted.next().map(str::to_owned),
                usage: ResourceUsage::default(),
            });
        }
        let Some(kernel) = &mut open else { continue };
        let line = line
            .trim_start_matches("ptxas info")
            .trim_start_matches([' ', ':']);
        line.split(',')
            .for_each(|part| parse_item(part, &mut kernel.usage));
        if line.starts_with("Used ") {
            kernels.extend(open.take());
        }
    }
    kernels
}

/// Parses one item of a line, such as `1024 bytes smem`.
fn parse_item(part: &str, usage: &mut ResourceUsage) {
    let words: Vec<&str> = part
        .split_whitespace()
        .filter(|word| !matches!(*word, "Used" | "used"))
        .collect();
    let Some((number, what)) = words.split_first() else {
        return;
    };
    // old assemblers print memory added by the system as a separate term: `16+16`
    let terms: Result<Vec<u32>, _> = number.split('+').map(str::parse).collect();
    let Ok(terms) = terms else { return };
    let number = terms.into_iter().fold(0, u32::saturating_add);
    match what {
        ["registers"] => usage.registers = number,
        ["barriers"] => usage.barriers = number,
        ["bytes", "smem"] => usage.static_shared_bytes = number,
        ["bytes", bank] if bank.starts_with("cmem") => {
            usage.constant_bytes = usage.constant_bytes.saturating_add(number);
        }
        ["bytes", "stack", "frame"] => usage.stack_bytes = number,
        ["bytes", "spill", "stores"] => usage.spill_store_bytes = number,
        ["bytes", "spill", "loads"] => usage.spill_load_bytes = number,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_usage_is_parsed() {
        let found = parse(
            "ptxas info    : 0 bytes gmem, 64 bytes cmem[3]\n\
             ptxas info    : Compiling entry function 'reverse' for 'sm_70'\n\
             ptxas info    : Function properties for reverse\n\
             \x20   8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
             ptxas info    : Used 22 registers, used 1 barriers, 8 bytes cumulative stack size, 1024 bytes smem, 380 bytes cmem[0], 8 bytes cmem[2]\n\
             ptxas info    : Function properties for helper\n\
             \x20   99 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
             ptxas info    : Compiling entry function 'empty' for 'sm_120a'\n\
             ptxas info    : Used 4 registers\n",
        );
        let reverse = ResourceUsage {
            registers: 22,
            static_shared_bytes: 1024,
            constant_bytes: 388,
            stack_bytes: 8,
            spill_store_bytes: 4,
            spill_load_bytes: 12,
            barriers: 1,
        };
        let empty = ResourceUsage {
            registers: 4,
            ..ResourceUsage::default()
        };
        let expected = [("reverse", "sm_70", reverse), ("empty", "sm_120a", empty)];
        let expected = expected.map(|(name, arch, usage)| Kernel {
            name: name.into(),
            arch: Some(arch.into()),
            usage,
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn old_formats_are_parsed_and_large_sums_saturate() {
        let found = parse(
            "ptxas info    : Compiling entry function '_Z1av' for 'sm_13'\n\
             ptxas info    : Used 42 registers, 1532+16 bytes smem, 4294967295 bytes cmem[0], 8 bytes cmem[1]",
        );
        let usage = found[0].usage;
        assert_eq!(
            (usage.static_shared_bytes, usage.constant_bytes),
            (1548, u32::MAX)
        );
        let spilled = ResourceUsage {
            spill_store_bytes: u32::MAX,
            spill_load_bytes: 1,
            ..usage
        };
        assert_eq!(spilled.spill_bytes(), 1 << 32);
    }

    #[test]
    fn incomplete_kernels_are_ignored() {
        for text in [
            "",
            "ptxas info    : 0 bytes gmem",
            "Compiling entry function 'a",
            "Compiling entry function 'a' for 'sm_90'",
            "Used 3 registers",
        ] {
            assert_eq!(parse(text), [], "{text}");
        }
    }
}
