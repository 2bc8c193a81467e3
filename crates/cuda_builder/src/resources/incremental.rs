//! Figures of a PTX file of which little has changed: only the kernels that differ are assembled.
//!
//! What `ptxas` says of a kernel depends on the kernel's text, on the statics that it names and on
//! what is common to the module, not on the other kernels. So figures are kept under a hash of just
//! that (and of the assembler, the architecture and the options), and a kernel whose hash is not
//! known is assembled from a file without the kernels that are.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::thread;

use sha2::{Digest, Sha256};

use super::figures::{Figures, Temporary};
use super::{Ptxas, ResourceTable, is_debug, level};
use crate::error::IoContext;
use crate::ptx::{Item, Kind, dependencies, entries, split};
use crate::{NvvmArch, Result};

/// What [`Ptxas::resources_cached`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// Figures of every kernel.
    pub kernels: ResourceTable,
    /// How many of the kernels were assembled for that; the others were known.
    pub fresh: usize,
}

impl Ptxas {
    /// As [`resources`](Self::resources), but assembles only the kernels whose figures are not in
    /// the file `cache`, and adds those.
    ///
    /// `cache` is made, with its directory, where there is none; one that cannot be understood is
    /// replaced. It is not for several architectures to share, though nothing worse than waste
    /// would come of it. With `jobs` above 1 that many assemblers run side by side. PTX with full
    /// debug information is assembled whole, each time.
    ///
    /// # Errors
    /// PTX that `ptxas` refuses, with its message; a cache that cannot be written.
    ///
    /// ```no_run
    /// # use cuda_builder::{NvvmArch, Ptxas};
    /// # use std::path::Path;
    /// let ptxas = Ptxas::find(&[]).expect("no ptxas");
    /// let assembled = ptxas.resources_cached(Path::new("kernels.ptx"), NvvmArch::Compute90, Path::new("target/sm_90.json"), 2)?;
    /// println!("{} kernels, {} assembled", assembled.kernels.len(), assembled.fresh);
    /// # Ok::<(), cuda_builder::CudaBuilderError>(())
    /// ```
    pub fn resources_cached(
        &self,
        ptx: &Path,
        arch: NvvmArch,
        cache: &Path,
        jobs: usize,
    ) -> Result<Assembled> {
        let text = fs::read_to_string(ptx).at("cannot read", ptx)?;
        let items = if is_debug(&text) { None } else { split(&text) };
        let whole = || {
            let kernels = self.resources(ptx, arch)?;
            Ok(Assembled {
                fresh: kernels.len(),
                kernels,
            })
        };
        let Some(items) = items else {
            return whole();
        };
        if let Some(directory) = cache.parent() {
            fs::create_dir_all(directory).at("cannot create", directory)?;
        }

        let keys = self.keys(&items, arch);
        let mut figures = Figures::read(cache);
        let mut found = Assembled::default();
        let mut missed = Vec::new();
        for (entry, key) in entries(&items).zip(&keys) {
            match figures.get(key) {
                Some(known) => _ = found.kernels.insert(entry.name.clone(), known),
                None => missed.push(entry),
            }
        }
        found.fresh = missed.len();
        if missed.len() == keys.len() && (jobs <= 1 || keys.len() < 2) {
            found = whole()?;
        } else if !missed.is_empty() {
            match self.assemble(&items, &missed, arch, cache, jobs)? {
                Some(fresh) => found.kernels.extend(fresh),
                // The message shall speak of lines of the file that the user has. (Or it works, and
                // the kernels need each other.)
                None => found = whole()?,
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

    /// For each entry, in order, a hash of all that its figures depend on.
    fn keys(&self, items: &[Item], arch: NvvmArch) -> Vec<String> {
        let of = |(entry, dependencies): (&Item, Vec<&Item>)| {
            let mut hash = Sha256::new();
            let mut field = |value: &str| {
                // Lengths keep neighbouring fields apart.
                hash.update(value.len().to_le_bytes());
                hash.update(value);
            };
            field(&self.version);
            field(&arch.sm());
            field(&level(false).join(" "));
            for item in dependencies {
                field(&item.text);
            }
            field(&numbered_labels(&entry.text));
            hash.finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        };
        entries(items).zip(dependencies(items)).map(of).collect()
    }

    /// Figures of some of the entries; `None` when an assembler failed, or did not speak of all of
    /// them.
    fn assemble(
        &self,
        items: &[Item],
        wanted: &[&Item],
        arch: NvvmArch,
        cache: &Path,
        jobs: usize,
    ) -> Result<Option<ResourceTable>> {
        let one = |group: HashSet<&str>| -> Result<Option<ResourceTable>> {
            let part: String = items
                .iter()
                .filter(|item| item.kind != Kind::Entry || group.contains(item.name.as_str()))
                .map(|item| item.text.as_str())
                .collect();
            let file = Temporary::beside(cache, "ptx");
            fs::write(file.path(), part).at("cannot write", file.path())?;
            let thrown_away = super::thrown_away()?;
            let mut command = self.command(level(false), file.path(), arch, &thrown_away);
            let said = self.said(&mut command)?;
            Ok(said
                .map(|said| super::table(&said))
                .filter(|table| group.iter().all(|&name| table.contains_key(name))))
        };
        let one = &one;
        let tables: Vec<Result<Option<ResourceTable>>> = thread::scope(|scope| {
            let running: Vec<_> = deal(wanted, jobs)
                .into_iter()
                .map(|group| scope.spawn(move || one(group)))
                .collect();
            running
                .into_iter()
                // A thread that panicked gave no figures.
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

/// Names of the entries in at most `jobs` groups with about as much text each.
fn deal<'a>(wanted: &[&'a Item], jobs: usize) -> Vec<HashSet<&'a str>> {
    let mut groups = vec![(0, HashSet::new()); jobs.clamp(1, wanted.len().max(1))];
    let mut sorted = wanted.to_vec();
    sorted.sort_by_key(|item| Reverse(item.text.len()));
    for item in sorted {
        if let Some((bytes, names)) = groups.iter_mut().min_by_key(|(bytes, _)| *bytes) {
            *bytes += item.text.len();
            names.insert(item.name.as_str());
        }
    }
    groups.into_iter().map(|(_, names)| names).collect()
}

/// The text with labels that do not count functions: LLVM numbers the blocks of a module's function
/// 12 `$L__BB12_0`, `$L__BB12_1`, so one kernel more would change all kernels behind it. Labels are
/// a function's own, so any names will do that differ where these do.
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

// The tests' assembler is a shell script.
#[cfg(all(test, unix))]
#[path = "incremental_tests.rs"]
mod tests;
