//! Damaged volumes that can still be read, compared with other libraries: if another library reads
//! a file too, the samples must agree.

use crate::{Session, formats::Kind, runs::remove_files};
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

/// The other libraries, in a Python process.
struct Peers {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
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
        println!("peers: {shown} does not run: no comparison");
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
    while session.has_time_left() {
        let (at, bytes) = session.damaged_file();
        let format = &session.formats[at];
        if format.kind != Kind::Volume {
            continue;
        }
        let packed = format.name == "nifti" && bytes.starts_with(&[0x1f, 0x8b]);
        let name = format!("in.{}{}", format.extension, if packed { ".gz" } else { "" });
        let path = folder.join(&name);
        // some libraries take a file of nearly the same name in the same folder for the one meant
        remove_files(folder, "in.")?;
        fs::write(&path, &bytes)?;
        let ours = read_volume(&path, &ReadOptions::default());
        let Ok(ours) = ours else {
            session
                .report
                .count(format!("{} rejected by ferrovox", format.name));
            continue;
        };
        if ours.header.volumes != 1 || ours.volume.is_empty() {
            continue;
        }
        let Ok(theirs) = peers.read(&path) else {
            session
                .report
                .count("a file that crashed the other libraries");
            peers = start()?;
            continue;
        };
        for (peer, theirs) in theirs.as_object().into_iter().flatten() {
            let Some(dims) = theirs["dims"].as_array() else {
                session
                    .report
                    .count(format!("{} read here, rejected by {peer}", format.name));
                continue;
            };
            let is_empty = dims.iter().any(|length| length.as_u64() == Some(0));
            let is_noted = |note: &String| note.ends_with(" is 0: it is taken as 1");
            if is_empty && ours.header.notes.iter().any(is_noted) {
                session.report.count(format!(
                    "{} with an axis of no samples, which is taken as one with a note",
                    format.name
                ));
                continue;
            }
            let difference = compare(&ours.volume, peer, dims, theirs)?;
            let is_noted = |note: &String| note.contains("distinguish upper and lower case");
            if difference.is_some() && ours.header.notes.iter().any(is_noted) {
                session.report.count(format!(
                    "{} whose fields differ in case, which are read with a note",
                    format.name
                ));
                continue;
            }
            if difference.is_some() && format.name == "nifti" && starts_early(&bytes) {
                session.report.count("nifti whose samples would begin in the header, which libraries interpret differently");
                continue;
            }
            session
                .report
                .count(format!("{} read here and by {peer}", format.name));
            if let Some(difference) = difference {
                session.report.add_failure(
                    &name,
                    &bytes,
                    format!("compared with {peer}: {difference}"),
                );
            }
        }
    }
    Ok(())
}

/// Returns `true` if a NIfTI file states that its samples begin before the end of the header.
/// ferrovox reads them after the header; other libraries from its start, or from its last bytes.
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

/// Returns the first difference between the dimensions or samples of two volumes.
fn compare(ours: &AnyVolume, peer: &str, dims: &[Value], theirs: &Value) -> Result<Option<String>> {
    let path = theirs["samples"].as_str().context("no samples")?;
    let mut their_dims: Vec<u64> = dims.iter().filter_map(Value::as_u64).collect();
    while their_dims.len() > 3 && their_dims.last() == Some(&1) {
        their_dims.pop();
    }
    their_dims.resize(their_dims.len().max(3), 1);
    let our_dims = ours.dims().map(|it| it as u64);
    // an axis of length one and of a kind that NRRD does not define is not a spatial axis here
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
    let (peer_samples, _) = bytes.as_chunks::<8>();
    let largest = samples.iter().fold(0.0, |max: f64, it| max.max(it.abs()));
    for (at, (&ours_value, peer_value)) in samples.iter().zip(peer_samples).enumerate() {
        let peer_value = f64::from_le_bytes(*peer_value);
        let is_close = (ours_value - peer_value).abs() <= 1e-6 * largest;
        let is_equal = ours_value == peer_value || (ours_value.is_nan() && peer_value.is_nan());
        // ITK scales in `f32`, and replaces samples that are not finite
        let overflows = peer_value.is_infinite() && ours_value.abs() > 3.4e38;
        let underflows = ours_value.abs() < 1.2e-38 && peer_value.abs() < 1.2e-38;
        let zeroed = !ours_value.is_finite() && peer_value == 0.0;
        let is_itk = peer == "SimpleITK" && (overflows || underflows || zeroed);
        if !(is_equal || is_close || is_itk) {
            return Ok(Some(format!(
                "sample {at} is {ours_value}, but {peer} reads {peer_value}"
            )));
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
        AnyVolume::I64(it) => it.samples().iter().map(|&it| it as f64).collect(),
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
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut peers = Self {
            child,
            input,
            output,
            names: Vec::new(),
        };
        peers.names = serde_json::from_value(peers.line()?)?;
        Ok(peers)
    }

    /// Reads a file with all other libraries and returns their results.
    fn read(&mut self, path: &Path) -> Result<Value> {
        writeln!(self.input, "{}", path.display())?;
        self.line()
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the Python process ended");
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
