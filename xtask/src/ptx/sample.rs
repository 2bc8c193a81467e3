//! `cargo xtask ptx --check --sample`: what can be checked of the PTX in a third of the time.
//!
//! One architecture is built and compared byte by byte; which one follows from the hash of the
//! sources, so that over changes both have their turn. The other's file is held to the hash that is
//! recorded of it, and to the sources and the compiler that its header names. Of the kernels that
//! were built every sixteenth is assembled, and its figures are compared.
//!
//! So what may go unseen: a change of `cuda_builder` that changes PTX for one architecture alone
//! and not its [`source_hash`]; figures that were edited by hand, or that a merge of two branches
//! put together.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use cuda_builder::{NvvmArch, Ptxas, ResourceTable, lint::LintRules, ptx, source_hash};

use super::compare::{self, Comparison};
use super::resources::{self, Recorded};
use super::{Job, SHIPPED, machine_code};
use crate::paths;

/// One of this many kernels is assembled.
const ASSEMBLED: usize = 16;

/// Fails where the files in `out` are not what the sources give, as far as this looks.
pub fn check(job: &Job, out: &Path) -> Result<()> {
    let sources = source_hash(&job.crate_path)?;
    let arch = SHIPPED[turn(&sources, SHIPPED.len())];
    headers_agree(out)?;
    machine_code::check(out)?;

    let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
    let name = machine_code::ptx_name(arch);
    let fresh = folder.path().join("fresh.ptx");
    let lint = job.builder(arch).copy_to(&fresh).build_with_report()?.lint;
    let errors = lint.errors(&LintRules::strict());
    if !errors.is_empty() {
        bail!("the lint found:\n  {}", errors.join("\n  "));
    }
    match compare::compare(&out.join(&name), &fresh)? {
        Comparison::Equal => {}
        Comparison::Different(how) => bail!(
            "the PTX in {} is not what the sources give. Run `cargo xtask ptx`.\n{how}",
            paths::shown(out)
        ),
        Comparison::OtherCompiler(compiler) => {
            println!(
                "{name}: made from these sources by {compiler}, which is not the compiler here, so the code was not compared"
            );
            return Ok(());
        }
    }
    let recorded = Recorded::read(&out.join(resources::FILE))?;
    let kernels = recorded.figures(arch).cloned().unwrap_or_default();
    let text =
        fs::read_to_string(&fresh).with_context(|| format!("cannot read {}", fresh.display()))?;
    let assembled = assemble(
        &job.ptxas,
        arch,
        &text,
        &chosen(&kernels, turn(&sources, ASSEMBLED)),
    )?;
    compare_figures(&recorded, arch, &job.ptxas.version, &assembled)?;
    println!(
        "{name}: up to date; {} of {} kernels assembled. The other architectures' files are those recorded.",
        assembled.len(),
        kernels.len()
    );
    Ok(())
}

/// A number below `turns` that follows from a hash in hexadecimal digits.
fn turn(hash: &str, turns: usize) -> usize {
    let digits = hash.get(..8).unwrap_or_default();
    u32::from_str_radix(digits, 16).map_or(0, |number| number as usize % turns)
}

/// Every so many kernels, beginning with this one.
fn chosen(kernels: &ResourceTable, first: usize) -> Vec<&str> {
    let names = kernels.keys().map(String::as_str);
    names.skip(first).step_by(ASSEMBLED).collect()
}

/// What the assembler says of these kernels.
fn assemble(ptxas: &Ptxas, arch: NvvmArch, text: &str, kernels: &[&str]) -> Result<ResourceTable> {
    let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
    let file = folder.path().join("kernel.ptx");
    let mut all = ResourceTable::new();
    for kernel in kernels {
        let module = ptx::kernel_module(text, kernel).with_context(|| {
            format!("the PTX has no kernel {kernel}, of which figures are recorded")
        })?;
        fs::write(&file, module).with_context(|| format!("cannot write {}", file.display()))?;
        all.extend(ptxas.resources(&file, arch)?);
    }
    Ok(all)
}

/// Fails where the recorded figures are others, or another assembler's.
fn compare_figures(
    recorded: &Recorded,
    arch: NvvmArch,
    assembler: &str,
    assembled: &ResourceTable,
) -> Result<()> {
    if recorded.ptxas() != assembler {
        bail!(
            "the figures in {} are those of ptxas {}, and here is {assembler}. Run `cargo xtask setup` and `cargo xtask ptx`.",
            resources::FILE,
            recorded.ptxas()
        );
    }
    for (kernel, figures) in assembled {
        let known = recorded.figures(arch).and_then(|table| table.get(kernel));
        if known != Some(figures) {
            bail!(
                "{}, {}: {kernel} takes {figures:?}, and recorded is {known:?}. Run `cargo xtask ptx`.",
                resources::FILE,
                arch.sm()
            );
        }
    }
    Ok(())
}

/// Fails where the files that ship name different sources or compilers.
fn headers_agree(out: &Path) -> Result<()> {
    let mut first = None;
    for arch in SHIPPED {
        let name = machine_code::ptx_name(arch);
        let origin = compare::origin(&out.join(&name))?;
        match &first {
            None => first = Some((name, origin)),
            Some((other, same)) if *same != origin => bail!(
                "{name} is from {origin:?}, and {other} from {same:?}. Run `cargo xtask ptx`."
            ),
            Some(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::text;
    use super::*;
    use cuda_builder::KernelResources;

    fn table(names: impl IntoIterator<Item = String>) -> ResourceTable {
        let figures = KernelResources::default();
        names.into_iter().map(|name| (name, figures)).collect()
    }

    #[test]
    fn over_hashes_everything_has_its_turn() {
        let hashes = (0_u32..64).map(|i| format!("{:08x}0123", i.wrapping_mul(0x9e37_79b9)));
        let turns: Vec<usize> = hashes.map(|hash| turn(&hash, 2)).collect();
        assert!(turns.contains(&0) && turns.contains(&1));
        assert!(turns.iter().all(|&turn| turn < 2));
        let kernels = table((0..40).map(|i| format!("k{i:02}")));
        let mut all: Vec<&str> = (0..ASSEMBLED)
            .flat_map(|first| chosen(&kernels, first))
            .collect();
        all.sort_unstable();
        assert_eq!(all, kernels.keys().collect::<Vec<_>>());
    }

    #[test]
    fn figures_that_differ_are_found() {
        let arch = NvvmArch::Compute90;
        let mut recorded = Recorded::default();
        let assembled = table(["a".to_owned()]);
        assert!(compare_figures(&recorded, arch, "", &assembled).is_err());
        let ptxas = Ptxas {
            path: "ptxas".into(),
            version: "1".to_owned(),
        };
        recorded.set(arch, &ptxas, table(["a".to_owned(), "b".to_owned()]));
        assert!(compare_figures(&recorded, arch, "1", &assembled).is_ok());
        assert!(compare_figures(&recorded, arch, "2", &assembled).is_err());
        let mut other = assembled;
        for figures in other.values_mut() {
            figures.registers += 1;
        }
        let error = compare_figures(&recorded, arch, "1", &other).unwrap_err();
        assert!(error.to_string().contains("sm_90: a takes"), "{error}");
    }

    #[test]
    fn files_of_other_sources_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |arch: NvvmArch, sources: &str| {
            let text = format!("// compiler: rustc 1\n// sources: sha256 {sources}\nret;\n");
            let path = folder.path().join(machine_code::ptx_name(arch));
            text::write_compressed(&path, text.as_bytes()).unwrap();
        };
        write(SHIPPED[0], "a");
        assert!(headers_agree(folder.path()).is_err());
        write(SHIPPED[1], "a");
        assert!(headers_agree(folder.path()).is_ok());
        write(SHIPPED[1], "b");
        let error = headers_agree(folder.path()).unwrap_err().to_string();
        assert!(error.contains("ferrovox_sm_90.ptx.zst is from"), "{error}");
    }
}
