//! Machine code of the shipped kernels for common architectures: `ferrovox_sm_90.cubin.zst` and
//! others next to the PTX.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};
use cuda_builder::{NvvmArch, Ptxas};
use sha2::{Digest, Sha256};

use super::resources::{self, MachineCode, ResourceRecord};
use super::text;

/// Architectures with shipped machine code, each with the architecture of its PTX.
const SHIPPED: [(NvvmArch, NvvmArch); 4] = [
    (NvvmArch::Compute80, NvvmArch::Compute70),
    (NvvmArch::Compute90, NvvmArch::Compute90),
    (NvvmArch::Compute100, NvvmArch::Compute90),
    (NvvmArch::Compute120, NvvmArch::Compute90),
];

fn cubin_name(arch: NvvmArch) -> String {
    format!("ferrovox_{}.cubin.zst", arch.sm())
}

/// Returns the name of an architecture's PTX file.
pub fn ptx_name(arch: NvvmArch) -> String {
    format!("ferrovox_{}.ptx.{}", arch.sm(), text::COMPRESSED)
}

/// Returns the SHA-256 hash of an architecture's PTX, decompressed.
fn ptx_hash(folder: &Path, arch: NvvmArch) -> Result<String> {
    let text = text::read(&folder.join(ptx_name(arch)))?;
    Ok(format!("{:x}", Sha256::digest(text)))
}

/// Assembles the PTX in `out` for architectures whose PTX has changed, and returns the names of the
/// files.
pub fn update(out: &Path, ptxas: &Ptxas) -> Result<Vec<String>> {
    let table = out.join(resources::FILE);
    let mut recorded = ResourceRecord::read(&table)?;
    let mut stale = Vec::new();
    for (arch, from) in SHIPPED {
        let hash = ptx_hash(out, from)?;
        let is_fresh = recorded
            .machine_code(arch)
            .is_some_and(|code| code.sha256 == hash);
        if !is_fresh || !out.join(cubin_name(arch)).is_file() {
            stale.push((arch, from, hash));
        }
    }
    let (waiting, assembled) = (Mutex::new(stale.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().ok().and_then(|mut list| list.next());
                    let Some((arch, from, hash)) = next else {
                        break;
                    };
                    let code = assemble(out, ptxas, arch, from, hash);
                    if let Ok(mut assembled) = assembled.lock() {
                        assembled.push((arch, code));
                    }
                }
            });
        }
    });
    let Ok(assembled) = assembled.into_inner() else {
        bail!("an assembling thread panicked");
    };
    recorded.keep_machine_code(&SHIPPED.map(|(arch, _)| arch));
    let mut names = Vec::new();
    for (arch, code) in assembled {
        recorded.set_machine_code(arch, code?);
        names.push(cubin_name(arch));
    }
    recorded.write(&table)?;
    names.sort();
    Ok(names)
}

/// Assembles and compresses the machine code of one architecture.
fn assemble(
    out: &Path,
    ptxas: &Ptxas,
    arch: NvvmArch,
    from: NvvmArch,
    sha256: String,
) -> Result<MachineCode> {
    let directory = tempfile::tempdir().context("cannot create a temporary directory")?;
    let cubin = directory.path().join("kernels.cubin");
    let ptx = directory.path().join("kernels.ptx");
    let text = text::read(&out.join(ptx_name(from)))?;
    fs::write(&ptx, text).with_context(|| format!("cannot write {}", ptx.display()))?;
    ptxas.assemble_to(&ptx, arch, &cubin, false)?;
    let code = fs::read(&cubin).with_context(|| format!("cannot read {}", cubin.display()))?;
    let compressed =
        zstd::bulk::compress(&code, text::LEVEL).context("cannot compress machine code")?;
    let path = out.join(cubin_name(arch));
    fs::write(&path, &compressed).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(MachineCode {
        from: from.sm(),
        sha256,
        bytes: code.len() as u64,
        compressed_bytes: compressed.len() as u64,
    })
}

/// Returns an error if machine code in `out` was not assembled from the PTX next to it. Compares
/// recorded hashes, without assembling.
pub fn check(out: &Path) -> Result<()> {
    let recorded = ResourceRecord::read(&out.join(resources::FILE))?;
    for (arch, from) in SHIPPED {
        let hash = ptx_hash(out, from)?;
        let length = fs::metadata(out.join(cubin_name(arch))).map_or(0, |found| found.len());
        match recorded.machine_code(arch) {
            Some(code) if code.sha256 == hash && code.compressed_bytes == length => {}
            _ => bail!(
                "{} was not assembled from the PTX next to it; run `cargo xtask ptx`",
                cubin_name(arch)
            ),
        }
    }
    Ok(())
}
