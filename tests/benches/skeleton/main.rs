//! Compares curve skeletons with the ground truth of generated objects, and times them: ours on
//! every device, and those of other systems.
//!
//! Run `cargo xtask bench skeleton --peers=kimimaro,skimage`; `--help` lists the options. The table
//! shows the ground truth above the answers. Answers are checked by `ferrovox_tests::oracle`, which
//! shares no code with any of the systems.
//!
//! Times are those of one call from voxels in memory to a graph in memory. Calls that take more
//! than a few seconds are not repeated.

mod answers;
mod arguments;
mod growth;
mod objects;
mod ours;
mod peers;

use answers::{Answers, GroundTruth};
use arguments::Arguments;
use clap::Parser;
use ferrovox::device::Device;
use measure::Report;
use std::process::ExitCode;

/// Result of the functions of this benchmark.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::new("skeleton", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    let written = match report.records() {
        [] => Ok(Vec::new()),
        _ => report.finish(),
    };
    let written = written.map_err(Into::into);
    let mut status = ExitCode::SUCCESS;
    for error in [outcome, written.map(drop)]
        .into_iter()
        .filter_map(Outcome::err)
    {
        eprintln!("error: {error}");
        status = ExitCode::FAILURE;
    }
    status
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    peers::check(arguments)?;
    let objects = objects::select(arguments)?;
    if arguments.list {
        for object in &objects {
            println!("{}", object.name());
        }
        return Ok(());
    }
    if let Some(folder) = &arguments.write {
        for object in &objects {
            println!("{}", object.write(folder)?.display());
        }
        return Ok(());
    }
    let mut answers = Answers::default();
    for object in &objects {
        answers.add_object(object.name(), GroundTruth::new(object));
    }
    for device in devices(&arguments.common.device)? {
        for object in &objects {
            ours::measure(report, &mut answers, &device, object, arguments)?;
        }
        if !arguments.meshes.is_empty() {
            growth::measure(report, &device, arguments)?;
        }
    }
    peers::run(report, &mut answers, &objects, arguments)?;
    let table = answers.table();
    report.print(&format!("\n{table}"));
    if let Some(folder) = &arguments.common.out_dir {
        std::fs::create_dir_all(folder)?;
        let path = folder.join("skeleton-answers.md");
        std::fs::write(&path, table)?;
        report.print(&format!("written: {}", path.display()));
    }
    Ok(())
}

/// Returns the named devices, or all devices if no name is given.
fn devices(names: &[String]) -> Outcome<Vec<Device>> {
    if names.is_empty() {
        return Ok(Device::all());
    }
    let devices: Result<_, ferrovox::device::DeviceError> =
        names.iter().map(|name| name.parse()).collect();
    Ok(devices?)
}
