//! Incremental computation of resource usage: assembles only the kernels of a PTX file that have
//! changed.
//!
//! The resource usage reported by `ptxas` depends on the kernel's text, on the statics that it
//! references and on the common items of the module, but not on other kernels. Results are
//! therefore cached under a hash of these (and of the assembler, the architecture and the options),
//! and kernels with unknown hashes are assembled from a file without the known ones.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::thread;

use sha2::{Digest, Sha256};

use super::cache::{ResourceCache, Temporary};
use super::{Ptxas, ResourceTable, is_debug, optimization_options};
use crate::error::IoContext;
use crate::ptx::{Item, Kind, dependencies, entries, split};
use crate::{NvvmArch, Result};

/// Result of [`Ptxas::resources_cached`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembledResources {
    /// Resource usage of every kernel.
    pub kernels: ResourceTable,
    /// Number of kernels that were assembled; the others were cached.
    pub fresh: usize,
}

impl Ptxas {
    /// Computes the same as [`resources`](Self::resources), but assembles only kernels that are
    /// missing in the file `cache`, and adds them.
    ///
    /// `cache` is created, with its directory, if it does not exist, and replaced if it is invalid.
    /// Use one file per architecture; sharing it is safe but inefficient. Up to `jobs` assemblers
    /// run in parallel. PTX with full debug information is always assembled completely.
    ///
    /// # Errors
    /// PTX that `ptxas` rejects, with its message; a cache that cannot be written.
    ///
    /// ```no_run
    /// # use cuda_builder::{NvvmArch, Ptxas};
    /// # use std::path::Path;
    /// let ptxas = Ptxas::find(&[]).expect("no ptxas");
    /// let (ptx, cache) = (Path::new("kernels.ptx"), Path::new("target/sm_90.json"));
    /// let assembled = ptxas.resources_cached(ptx, NvvmArch::Compute90, cache, 2)?;
    /// println!("{} kernels, {} assembled", assembled.kernels.len(), assembled.fresh);
    /// # Ok::<(), cuda_builder::CudaBuilderError>(())
    /// ```
    pub fn resources_cached(
        &self,
        ptx: &Path,
        arch: NvvmArch,
        cache: &Path,
        jobs: usize,
    ) -> Result<AssembledResources> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let items = if is_debug(&text) { None } else { split(&text) };
        let assemble_all = || {
            let kernels = self.resources(ptx, arch)?;
            Ok(AssembledResources {
                fresh: kernels.len(),
                kernels,
            })
        };
        let Some(items) = items else {
            return assemble_all();
        };
        if let Some(directory) = cache.parent() {
            fs::create_dir_all(directory).at("cannot create", directory)?;
        }

        let keys = self.keys(&items, arch);
        let mut figures = ResourceCache::read(cache);
        let mut found = AssembledResources::default();
        let mut missed = Vec::new();
        for (entry, key) in entries(&items).zip(&keys) {
            match figures.get(key) {
                Some(known) => _ = found.kernels.insert(entry.name.clone(), known),
                None => missed.push(entry),
            }
        }
        found.fresh = missed.len();
        if missed.len() == keys.len() && (jobs <= 1 || keys.len() < 2) {
            found = assemble_all()?;
        } else if !missed.is_empty() {
            match self.assemble(&items, &missed, arch, cache, jobs)? {
                Some(fresh) => found.kernels.extend(fresh),
                // the message must contain line numbers of the user's file (or the complete file is
                // valid because the kernels depend on each other)
                None => found = assemble_all()?,
            }
        }
        for (entry, key) in entries(&items).zip(keys) {
            if let Some(&resources) = found.kernels.get(&entry.name) {
                figures.insert(key, resources);
            }
        }
        figures.write(cache)?;
        Ok(found)
    }

    /// Returns for each entry, in order, a hash of everything on which its resource usage depends.
    fn keys(&self, items: &[Item], arch: NvvmArch) -> Vec<String> {
        let entry_key = |(entry, dependencies): (&Item, Vec<&Item>)| {
            let mut hash = Sha256::new();
            let mut field = |value: &str| {
                // lengths separate adjacent fields
                hash.update(value.len().to_le_bytes());
                hash.update(value);
            };
            field(&self.version);
            field(&arch.sm());
            field(&optimization_options(false).join(" "));
            for item in dependencies {
                field(&item.text);
            }
            field(&numbered_labels(&entry.text));
            hash.finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        };
        entries(items)
            .zip(dependencies(items))
            .map(entry_key)
            .collect()
    }

    /// Assembles some of the entries; returns `None` if an assembler failed or did not report all
    /// of them.
    fn assemble(
        &self,
        items: &[Item],
        missed: &[&Item],
        arch: NvvmArch,
        cache: &Path,
        jobs: usize,
    ) -> Result<Option<ResourceTable>> {
        let assemble = |group: HashSet<&str>| -> Result<Option<ResourceTable>> {
            let part: String = items
                .iter()
                .filter(|item| item.kind != Kind::Entry || group.contains(item.name.as_str()))
                .map(|item| item.text.as_str())
                .collect();
            let file = Temporary::next_to(cache, "ptx");
            fs::write(file.path(), part).at("cannot write", file.path())?;
            let discarded_output = super::discarded_output()?;
            let mut command = self.command(
                optimization_options(false),
                file.path(),
                arch,
                &discarded_output,
            );
            let output = self.verbose_output(&mut command)?;
            Ok(output
                .map(|output| super::parse_output(&output))
                .filter(|table| group.iter().all(|&name| table.contains_key(name))))
        };
        let assemble = &assemble;
        let tables: Vec<Result<Option<ResourceTable>>> = thread::scope(|scope| {
            let running: Vec<_> = partition(missed, jobs)
                .into_iter()
                .map(|group| scope.spawn(move || assemble(group)))
                .collect();
            running
                .into_iter()
                // a thread that panicked produced no result
                .map(|thread| thread.join().unwrap_or(Ok(None)))
                .collect()
        });
        let mut all = ResourceTable::new();
        for table in tables {
            match table? {
                Some(table) => all.extend(table),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }
}

/// Distributes entries over at most `jobs` groups with similar amounts of text.
fn partition<'a>(items: &[&'a Item], jobs: usize) -> Vec<HashSet<&'a str>> {
    let mut groups = vec![(0, HashSet::new()); jobs.clamp(1, items.len().max(1))];
    let mut sorted = items.to_vec();
    sorted.sort_by_key(|item| Reverse(item.text.len()));
    for item in sorted {
        if let Some((bytes, names)) = groups.iter_mut().min_by_key(|(bytes, _)| *bytes) {
            *bytes += item.text.len();
            names.insert(item.name.as_str());
        }
    }
    groups.into_iter().map(|(_, names)| names).collect()
}

/// Renames labels so that they do not depend on the position of the function: LLVM numbers the
/// blocks of a module's 12th function `$L__BB12_0`, `$L__BB12_1`, so an additional kernel would
/// change all later ones. Labels are local to a function, so any distinct names are equivalent.
fn numbered_labels(text: &str) -> String {
    const LABEL: &str = "$L__BB";
    let mut out = String::with_capacity(text.len());
    let mut functions = HashMap::new();
    let mut parts = text.split(LABEL);
    out.extend(parts.next());
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (function, rest) = part.split_at(digits);
        let count = functions.len();
        let number = *functions.entry(function).or_insert(count);
        out.push_str(LABEL);
        out.push_str(&number.to_string());
        out.push_str(rest);
    }
    out
}

// the tests' assembler is a shell script
#[cfg(all(test, unix))]
#[path = "incremental_tests.rs"]
mod tests;
