//! Static shared memory declared by the kernels of a PTX file.

use std::collections::{BTreeMap, BTreeSet};

use super::finish::without_comment;
use super::parse::{PtxModule, words};
use crate::{CudaBuilderError, NvvmArch, Result};

/// Number of arrays named in a message.
const NAMED_ARRAYS: usize = 3;

/// Returns an error if a kernel declares more static shared memory than a block can have. The
/// driver or the assembler would report it later and without a remedy.
pub(crate) fn check_shared(ptx: &str, arch: NvvmArch) -> Result<()> {
    let declared = shared_arrays(ptx);
    if declared.is_empty() {
        return Ok(());
    }
    let module = PtxModule::parse(ptx);
    for entry in module.entries() {
        let mut shared_arrays: Vec<(u64, &str)> = used_arrays(&module, &entry.name, &declared)
            .into_iter()
            .map(|name| (declared[name], name))
            .collect();
        // padding between arrays is chosen by the assembler and not counted
        let bytes = shared_arrays
            .iter()
            .fold(0_u64, |sum, parse_array| sum.saturating_add(parse_array.0));
        let max = arch.max_static_shared_bytes();
        if bytes > max {
            shared_arrays.sort_by(|a, b| b.cmp(a));
            let named = shared_arrays.iter().take(NAMED_ARRAYS);
            return Err(CudaBuilderError::SharedMemory {
                kernel: entry.name.clone(),
                bytes,
                max,
                arch: arch.sm(),
                arrays: named
                    .map(|(bytes, name)| format!("{name} ({bytes} bytes)"))
                    .collect(),
            });
        }
    }
    Ok(())
}

/// Returns the size of each static in shared memory, in bytes; 0 for dynamic shared memory.
fn shared_arrays(ptx: &str) -> BTreeMap<&str, u64> {
    // arrays used by a single kernel are declared in its body
    let lines = ptx.lines().map(|line| without_comment(line).trim_start());
    let declarations = lines.filter(|line| line.starts_with(".shared") && line.ends_with(';'));
    declarations.filter_map(parse_array).collect()
}

/// Parses `.shared .align 4 .b8 tile[528];`.
fn parse_array(line: &str) -> Option<(&str, u64)> {
    let (declared, count) = match line.split_once('[') {
        Some((declared, rest)) => (declared, rest.split(']').next()?.parse().ok()?),
        None => (line.trim_end_matches(';'), 1),
    };
    let mut parts = declared.split_whitespace().rev();
    let (name, element) = (parts.next()?, parts.next()?);
    let bits: u64 = element
        .trim_start_matches(['.', 'b', 'u', 's', 'f'])
        .parse()
        .ok()?;
    Some((name, count * (bits / 8)))
}

/// Returns the arrays referenced by a kernel or by functions that it calls.
fn used_arrays<'a>(
    module: &PtxModule,
    kernel: &str,
    declared: &BTreeMap<&'a str, u64>,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([kernel]);
    let mut queue = vec![kernel];
    while let Some(function) = queue.pop().and_then(|name| module.function(name)) {
        for instruction in &function.instructions {
            let named = words(&instruction.operands);
            found.extend(named.filter_map(|word| declared.get_key_value(word).map(|it| *it.0)));
        }
        for (_, callee) in function.callees() {
            if module.function(callee).is_some() && seen.insert(callee) {
                queue.push(callee);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 7.8
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 __ferrovox_dynamic_shared[];
.shared .align 8 .b8 large[49152];
.shared .align 4 .u32 counter;
.func helper()
{
	ld.shared.b32 	%r1, [counter];
	ret;
}
.visible .entry fits()
{
	st.shared.b32 	[large+4], %r1;
	ret;
}
.visible .entry too_large()
{
	// demoted variable
	.shared .align 8 .b64 own[2];
	mov.b32 	%r2, large;
	mov.b32 	%r3, own;
	call.uni 	helper, ();
	ret;
}
";

    #[test]
    fn arrays_referenced_by_called_functions_count() {
        let declared = shared_arrays(PTX);
        assert_eq!(
            declared,
            BTreeMap::from([("counter", 4), ("large", 49152), ("own", 16)])
        );
        let module = PtxModule::parse(PTX);
        assert!(
            used_arrays(&module, "fits", &declared)
                .into_iter()
                .eq(["large"])
        );
        let both = used_arrays(&module, "too_large", &declared);
        assert!(both.into_iter().eq(["counter", "large", "own"]));
    }

    #[test]
    fn too_much_static_shared_memory_is_an_error() {
        let error = check_shared(PTX, NvvmArch::Compute90)
            .unwrap_err()
            .to_string();
        for fact in [
            "`too_large` declares 49172 bytes",
            "limit of 49152",
            "sm_90",
            "large (49152 bytes), own (16 bytes), counter (4 bytes)",
            "dynamic_shared_mem",
        ] {
            assert!(error.contains(fact), "{fact} is not in: {error}");
        }
        let fits = PTX
            .replace("[counter]", "[%rd1]")
            .replace("own[2]", "own[0]");
        check_shared(&fits, NvvmArch::Compute90).unwrap();
    }
}
