//! What NVIDIA's assembler prints of kernels, as numbers: for who builds kernels, and for who asks
//! how many of their blocks run.

use serde::{Deserialize, Serialize};

/// What one kernel takes of a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Shared memory per block that the kernel declares, in bytes. What the GPU reserves for itself
    /// (1 KiB on `sm_90`) comes on top.
    pub static_shared_bytes: u32,
    /// Constant memory, parameters included, in bytes.
    pub constant_bytes: u32,
    /// Stack frame per thread, in bytes.
    pub stack_bytes: u32,
    /// Bytes of registers that did not fit and are stored in local memory.
    pub spill_store_bytes: u32,
    /// Bytes loaded back from there.
    pub spill_load_bytes: u32,
    /// Barriers that a block uses.
    pub barriers: u32,
}

impl Figures {
    /// Bytes that go to local memory and back because registers ran out.
    pub fn spill_bytes(&self) -> u64 {
        u64::from(self.spill_store_bytes) + u64::from(self.spill_load_bytes)
    }
}

/// What is printed of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its entry point.
    pub name: String,
    /// What it was assembled for, as `sm_90`, where the text says.
    pub arch: Option<String>,
    /// What it takes.
    pub figures: Figures,
}

/// Reads the figures of every kernel in the text that `ptxas -v` (or `nvcc -Xptxas -v`) prints.
/// Other lines do not matter, nor do kernels without a number of registers, or the functions that
/// kernels call. Work is linear in the text.
///
/// ```
/// let text = "\
/// ptxas info    : Compiling entry function 'field' for 'sm_90'
/// ptxas info    : Function properties for field
///     16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
/// ptxas info    : Used 42 registers, used 1 barriers, 1548 bytes smem, 400 bytes cmem[0]";
/// let kernels = ptxas_figures::kernels(text);
/// assert_eq!(kernels[0].name, "field");
/// assert_eq!(kernels[0].figures.registers, 42);
/// assert_eq!(kernels[0].figures.spill_bytes(), 12);
/// ```
pub fn kernels(text: &str) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    // the last kernel, until its line with registers
    let mut open: Option<Kernel> = None;
    for line in text.lines() {
        if line.contains("Compiling entry function") {
            let mut quoted = line.split('\'').skip(1).step_by(2);
            open = quoted.next().map(|name| Kernel {
                name: name.to_owned(),
                arch: quoted.next().map(str::to_owned),
                figures: Figures::default(),
            });
        }
        let Some(kernel) = &mut open else { continue };
        let line = line
            .trim_start_matches("ptxas info")
            .trim_start_matches([' ', ':']);
        line.split(',')
            .for_each(|part| read(part, &mut kernel.figures));
        if line.starts_with("Used ") {
            kernels.extend(open.take());
        }
    }
    kernels
}

/// Reads one number of a line, as `1024 bytes smem`.
fn read(part: &str, figures: &mut Figures) {
    let words: Vec<&str> = part
        .split_whitespace()
        .filter(|word| !matches!(*word, "Used" | "used"))
        .collect();
    let Some((number, what)) = words.split_first() else {
        return;
    };
    // old assemblers write what the system adds apart: `16+16`
    let terms: Result<Vec<u32>, _> = number.split('+').map(str::parse).collect();
    let Ok(terms) = terms else { return };
    let number = terms.into_iter().fold(0, u32::saturating_add);
    match what {
        ["registers"] => figures.registers = number,
        ["barriers"] => figures.barriers = number,
        ["bytes", "smem"] => figures.static_shared_bytes = number,
        ["bytes", bank] if bank.starts_with("cmem") => {
            figures.constant_bytes = figures.constant_bytes.saturating_add(number);
        }
        ["bytes", "stack", "frame"] => figures.stack_bytes = number,
        ["bytes", "spill", "stores"] => figures.spill_store_bytes = number,
        ["bytes", "spill", "loads"] => figures.spill_load_bytes = number,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let found = kernels(
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
        let reverse = Figures {
            registers: 22,
            static_shared_bytes: 1024,
            constant_bytes: 388,
            stack_bytes: 8,
            spill_store_bytes: 4,
            spill_load_bytes: 12,
            barriers: 1,
        };
        let empty = Figures {
            registers: 4,
            ..Figures::default()
        };
        let expected = [("reverse", "sm_70", reverse), ("empty", "sm_120a", empty)];
        let expected = expected.map(|(name, arch, figures)| Kernel {
            name: name.into(),
            arch: Some(arch.into()),
            figures,
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn old_texts_are_read_and_numbers_too_large_are_held() {
        let found = kernels(
            "ptxas info    : Compiling entry function '_Z1av' for 'sm_13'\n\
             ptxas info    : Used 42 registers, 1532+16 bytes smem, 4294967295 bytes cmem[0], 8 bytes cmem[1]",
        );
        let figures = found[0].figures;
        assert_eq!(
            (figures.static_shared_bytes, figures.constant_bytes),
            (1548, u32::MAX)
        );
        let spilled = Figures {
            spill_store_bytes: u32::MAX,
            spill_load_bytes: 1,
            ..figures
        };
        assert_eq!(spilled.spill_bytes(), 1 << 32);
    }

    #[test]
    fn kernels_that_are_not_finished_are_none() {
        for text in [
            "",
            "ptxas info    : 0 bytes gmem",
            "Compiling entry function 'a",
            "Compiling entry function 'a' for 'sm_90'",
            "Used 3 registers",
        ] {
            assert_eq!(kernels(text), [], "{text}");
        }
    }
}
