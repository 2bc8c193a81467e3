//! Damaged volumes that are still read, beside other libraries: who reads one too finds the same
//! samples.

use crate::{Session, formats::Kind, runs::clear};
use anyhow::{Context, Result, bail};
use ferrovox::{
    grid::AnyVolume,
    io::{ReadOptions, read_volume},
};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

const SCRIPT: &str = include_str!("peers.py");

/// The others, in a process of theirs.
struct Peers {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    names: Vec<String>,
}

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("peers.py"), SCRIPT)?;
    let python = session.arguments.python.clone();
    let start = || Peers::start(&python, folder);
    let shown = python.display();
    let Ok(mut peers) = start() else {
        println!("peers: {shown} does not run: nothing is compared");
        return Ok(());
    };
    let all = ["nibabel", "SimpleITK", "nrrd", "numpy"];
    let missing: Vec<&str> = all
        .into_iter()
        .filter(|name| !peers.names.iter().any(|it| it == name))
        .collect();
    if !missing.is_empty() {
        println!(
            "peers: not compared with {}, which {shown} does not have",
            missing.join(", ")
        );
    }
    if peers.names.is_empty() {
        return Ok(());
    }
    while session.goes_on() {
        let (at, bytes) = session.damaged();
        let format = &session.formats[at];
        if format.kind != Kind::Volume {
            continue;
        }
        let packed = format.name == "nifti" && bytes.starts_with(&[0x1f, 0x8b]);
        let name = format!("in.{}{}", format.extension, if packed { ".gz" } else { "" });
        let path = folder.join(&name);
        // some take a file beside it, of nearly the same name, for the one that is meant
        clear(folder, "in.")?;
        fs::write(&path, &bytes)?;
        let ours = read_volume(&path, &ReadOptions::default());
        let Ok(ours) = ours else {
            session
                .report
                .count(format!("{} that is refused here", format.name));
            continue;
        };
        if ours.header.volumes != 1 || ours.volume.is_empty() {
            continue;
        }
        let Ok(theirs) = peers.read(&path) else {
            session
                .report
                .count("a file that ended the process of the others");
            peers = start()?;
            continue;
        };
        for (peer, theirs) in theirs.as_object().into_iter().flatten() {
            let Some(dims) = theirs["dims"].as_array() else {
                session
                    .report
                    .count(format!("{} read here, refused by {peer}", format.name));
                continue;
            };
            let difference = compare(&ours.volume, peer, dims, theirs)?;
            if difference.is_some() && format.name == "nifti" && starts_early(&bytes) {
                session.report.count("nifti whose samples would begin in the header, which each reads in its own way");
                continue;
            }
            session
                .report
                .count(format!("{} read here and by {peer}", format.name));
            if let Some(difference) = difference {
                session
                    .report
                    .failed(&name, &bytes, format!("beside {peer}: {difference}"));
            }
        }
    }
    Ok(())
}

/// Whether a NIfTI file says that its samples begin before the end of the header: they begin behind
/// it here, and at its start, or at its last bytes, for others.
fn starts_early(bytes: &[u8]) -> bool {
    let mut header = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(544)
        .read_to_end(&mut header);
    let header = if read.is_ok() { &header[..] } else { bytes };
    let big = header.first() == Some(&0);
    if header.get(4..7) == Some(b"n+2") {
        let offset = header.get(168..176).and_then(|it| it.first_chunk());
        return offset.is_some_and(|&it| if big { i64::from_be_bytes(it) } else { i64::from_le_bytes(it) } < 544);
    }
    let offset = header.get(108..112).and_then(|it| it.first_chunk());
    offset.is_some_and(|&it| if big { f32::from_be_bytes(it) } else { f32::from_le_bytes(it) } < 352.0)
}

/// Where the dims or the samples of a volume are others.
fn compare(ours: &AnyVolume, peer: &str, dims: &[Value], theirs: &Value) -> Result<Option<String>> {
    let path = theirs["samples"].as_str().context("no samples")?;
    let mut their_dims: Vec<u64> = dims.iter().filter_map(Value::as_u64).collect();
    while their_dims.len() > 3 && their_dims.last() == Some(&1) {
        their_dims.pop();
    }
    their_dims.resize(their_dims.len().max(3), 1);
    let our_dims = ours.dims().map(|it| it as u64);
    // an axis of one sample, of a kind that NRRD does not have, is not one of space here
    let sorted = |mut dims: Vec<u64>| {
        dims.sort_unstable();
        dims
    };
    let is_without = sorted(their_dims.clone()) == sorted(our_dims.to_vec()) && our_dims[2] == 1;
    if their_dims != our_dims && !(peer == "nrrd" && is_without) {
        return Ok(Some(format!(
            "{our_dims:?} samples, and there {their_dims:?}"
        )));
    }
    let bytes = fs::read(path)?;
    let samples = values(ours);
    let (found, _) = bytes.as_chunks::<8>();
    let largest = samples.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
    for (at, (&here, there)) in samples.iter().zip(found).enumerate() {
        let there = f64::from_le_bytes(*there);
        let near = (here - there).abs() <= 1e-6 * largest;
        let same = here == there || (here.is_nan() && there.is_nan());
        // as f32, which scaled samples are here
        let overflows = here.is_infinite() && there.abs() > 3.4e38;
        let underflows = here.abs() < 1.2e-38 && there.abs() < 1.2e-38;
        let zeroed = peer == "SimpleITK" && !here.is_finite() && there == 0.0;
        if !(same || near || overflows || underflows || zeroed) {
            return Ok(Some(format!("sample {at} is {here}, and there {there}")));
        }
    }
    Ok(None)
}

fn values(volume: &AnyVolume) -> Vec<f64> {
    match volume {
        AnyVolume::U8(it) => it.samples().iter().map(|&it| it.into()).collect(),
        AnyVolume::I8(it) => it.samples().iter().map(|&it| it.into()).collect(),
        AnyVolume::U16(it) => it.samples().iter().map(|&it| it.into()).collect(),
        AnyVolume::I16(it) => it.samples().iter().map(|&it| it.into()).collect(),
        AnyVolume::I32(it) => it.samples().iter().map(|&it| it.into()).collect(),
        AnyVolume::F32(it) => it.samples().iter().map(|&it| it.into()).collect(),
        AnyVolume::F64(it) => it.samples().to_vec(),
    }
}

impl Peers {
    fn start(python: &Path, folder: &Path) -> Result<Self> {
        let mut child = Command::new(python)
            .arg(folder.join("peers.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let to = child.stdin.take().context("no input")?;
        let from = BufReader::new(child.stdout.take().context("no output")?);
        let mut peers = Self {
            child,
            to,
            from,
            names: Vec::new(),
        };
        peers.names = serde_json::from_value(peers.line()?)?;
        Ok(peers)
    }

    /// What the others make of a file.
    fn read(&mut self, path: &Path) -> Result<Value> {
        writeln!(self.to, "{}", path.display())?;
        self.line()
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            bail!("the process of the others ended");
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
