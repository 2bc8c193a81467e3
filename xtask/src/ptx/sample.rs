//! `cargo xtask ptx --check --sample`: a partial check of the PTX in a third of the time.
//!
//! One architecture, chosen by the hash of the sources so that it varies over changes, is built and
//! compared byte by byte. The other's file is compared with its recorded hash, and its header with
//! the sources and the compiler. One in sixteen of the built kernels is assembled, and its resource
//! usage compared.
//!
//! Not detected: a change of `cuda_builder` that affects the PTX of one architecture only and not
//! its [`source_hash`], and resource usage that was edited by hand or merged from two branches.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use cuda_builder::{NvvmArch, Ptxas, ResourceTable, lint::LintRules, ptx, source_hash};

use super::compare::{self, Comparison};
use super::resources::{self, ResourceRecord};
use super::{Job, SHIPPED, machine_code};
use crate::paths;

/// One in this many kernels is assembled.
const ASSEMBLED: usize = 16;

/// Returns an error if the files in `out` differ from what the sources produce, as far as this
/// partial check can tell.
pub fn check(job: &Job, out: &Path) -> Result<()> {
    let sources = source_hash(&job.crate_path)?;
    let arch = SHIPPED[index_from_hash(&sources, SHIPPED.len())];
    check_headers(out)?;
    machine_code::check(out)?;

    let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
    let name = machine_code::ptx_name(arch);
    let fresh = folder.path().join("fresh.ptx");
    let lint = job.builder(arch).copy_to(&fresh).build_with_report()?.lint;
    let errors = lint.errors(&LintRules::strict());
    if !errors.is_empty() {
        bail!("the lint reported errors:\n  {}", errors.join("\n  "));
    }
    match compare::compare(&out.join(&name), &fresh)? {
        Comparison::Equal => {}
        Comparison::Different(how) => bail!(
            "the PTX in {} differs from what the sources produce; run `cargo xtask ptx`\n{how}",
            paths::display_relative(out)
        ),
        Comparison::OtherCompiler(compiler) => {
            println!(
                "{name}: built from these sources by {compiler}, not by the installed compiler, so the code was not compared"
            );
            return Ok(());
        }
    }
    let recorded = ResourceRecord::read(&out.join(resources::FILE))?;
    let kernels = recorded.figures(arch).cloned().unwrap_or_default();
    let text =
        fs::read_to_string(&fresh).with_context(|| format!("cannot read {}", fresh.display()))?;
    let assembled = assemble(
        &job.ptxas,
        arch,
        &text,
        &sample_kernels(&kernels, index_from_hash(&sources, ASSEMBLED)),
    )?;
    compare_resources(&recorded, arch, &job.ptxas.version, &assembled)?;
    println!(
        "{name}: up to date; {} of {} kernels assembled; the other architectures' files match their recorded hashes",
        assembled.len(),
        kernels.len()
    );
    Ok(())
}

/// Returns an index below `count` derived from a hexadecimal hash.
fn index_from_hash(hash: &str, count: usize) -> usize {
    let digits = hash.get(..8).unwrap_or_default();
    u32::from_str_radix(digits, 16).map_or(0, |number| number as usize % count)
}

/// Returns every sixteenth kernel, beginning with `first`.
fn sample_kernels(kernels: &ResourceTable, first: usize) -> Vec<&str> {
    let names = kernels.keys().map(String::as_str);
    names.skip(first).step_by(ASSEMBLED).collect()
}

/// Assembles these kernels and returns their resource usage.
fn assemble(ptxas: &Ptxas, arch: NvvmArch, text: &str, kernels: &[&str]) -> Result<ResourceTable> {
    let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
    let file = folder.path().join("kernel.ptx");
    let mut all = ResourceTable::new();
    for kernel in kernels {
        let module = ptx::kernel_module(text, kernel).with_context(|| {
            format!("the PTX has no kernel {kernel}, although its resource usage is recorded")
        })?;
        fs::write(&file, module).with_context(|| format!("cannot write {}", file.display()))?;
        all.extend(ptxas.resources(&file, arch)?);
    }
    Ok(all)
}

/// Returns an error if the recorded resource usage differs or was produced by another assembler.
fn compare_resources(
    recorded: &ResourceRecord,
    arch: NvvmArch,
    assembler: &str,
    assembled: &ResourceTable,
) -> Result<()> {
    if recorded.ptxas() != assembler {
        bail!(
            "{} was recorded with ptxas {}, but {assembler} is installed; run `cargo xtask setup` and `cargo xtask ptx`",
            resources::FILE,
            recorded.ptxas()
        );
    }
    for (kernel, figures) in assembled {
        let known = recorded.figures(arch).and_then(|table| table.get(kernel));
        if known != Some(figures) {
            bail!(
                "{}, {}: {kernel} uses {figures:?}, but {known:?} is recorded; run `cargo xtask ptx`",
                resources::FILE,
                arch.sm()
            );
        }
    }
    Ok(())
}

/// Returns an error if the headers of the shipped files name different sources or compilers.
fn check_headers(out: &Path) -> Result<()> {
    let mut first = None;
    for arch in SHIPPED {
        let name = machine_code::ptx_name(arch);
        let origin = compare::origin(&out.join(&name))?;
        match &first {
            None => first = Some((name, origin)),
            Some((other, same)) if *same != origin => bail!(
                "{name} was built from {origin:?}, but {other} from {same:?}; run `cargo xtask ptx`"
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
    fn every_architecture_and_kernel_is_selected_for_some_hash() {
        let hashes = (0_u32..64).map(|i| format!("{:08x}0123", i.wrapping_mul(0x9e37_79b9)));
        let count: Vec<usize> = hashes.map(|hash| index_from_hash(&hash, 2)).collect();
        assert!(count.contains(&0) && count.contains(&1));
        assert!(count.iter().all(|&index_from_hash| index_from_hash < 2));
        let kernels = table((0..40).map(|i| format!("k{i:02}")));
        let mut all: Vec<&str> = (0..ASSEMBLED)
            .flat_map(|first| sample_kernels(&kernels, first))
            .collect();
        all.sort_unstable();
        assert_eq!(all, kernels.keys().collect::<Vec<_>>());
    }

    #[test]
    fn differing_resource_usage_is_an_error() {
        let arch = NvvmArch::Compute90;
        let mut recorded = ResourceRecord::default();
        let assembled = table(["a".to_owned()]);
        assert!(compare_resources(&recorded, arch, "", &assembled).is_err());
        let ptxas = Ptxas {
            path: "ptxas".into(),
            version: "1".to_owned(),
        };
        recorded.set(arch, &ptxas, table(["a".to_owned(), "b".to_owned()]));
        assert!(compare_resources(&recorded, arch, "1", &assembled).is_ok());
        assert!(compare_resources(&recorded, arch, "2", &assembled).is_err());
        let mut other = assembled;
        for figures in other.values_mut() {
            figures.registers += 1;
        }
        let error = compare_resources(&recorded, arch, "1", &other).unwrap_err();
        assert!(error.to_string().contains("sm_90: a uses"), "{error}");
    }

    #[test]
    fn differing_headers_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |arch: NvvmArch, sources: &str| {
            let text = format!("// compiler: rustc 1\n// sources: sha256 {sources}\nret;\n");
            let path = folder.path().join(machine_code::ptx_name(arch));
            text::write_compressed(&path, text.as_bytes()).unwrap();
        };
        write(SHIPPED[0], "a");
        assert!(check_headers(folder.path()).is_err());
        write(SHIPPED[1], "a");
        assert!(check_headers(folder.path()).is_ok());
        write(SHIPPED[1], "b");
        let error = check_headers(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("ferrovox_sm_90.ptx.zst was built from"),
            "{error}"
        );
    }
}
