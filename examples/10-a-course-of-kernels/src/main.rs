//! A course of six kernels, each beside a plain loop: `cargo run`, or `cargo run -- gemm bitonic`
//! for some lessons.

mod lessons;
mod machine;

use lessons::LESSONS;
use machine::{Gpu, Machine, Outcome};
use simt::Mode;

/// What build.rs made; empty without a device toolchain.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

fn main() -> Outcome<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let all: Vec<&str> = LESSONS.iter().map(|lesson| lesson.0).collect();
    if let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) {
        return Err(format!(
            "no lesson is called {unknown}; there are {}",
            all.join(", ")
        )
        .into());
    }
    let mut machines = vec![
        ("cpu, checked", Machine::Cpu(Mode::Checked { seed: 1 })),
        ("cpu", Machine::Cpu(Mode::Fast)),
    ];
    match Gpu::first(PTX) {
        _ if PTX.is_empty() => println!("gpu: no PTX, see the warnings of the build"),
        Ok(gpu) => machines.push(("gpu", Machine::Gpu(gpu))),
        Err(error) => println!("gpu: {error}"),
    }
    for (name, lesson) in LESSONS {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            for (place, machine) in &machines {
                println!("{name} ({place}): {}", lesson(machine)?);
            }
        }
    }
    Ok(())
}
