//! The `ferrovox` command: a thin shell over the `ferrovox` library.
//!
//! Standard output carries results (one JSON object with `--json`), standard error everything else. The exit status is
//! 0, 1 for a failure, 2 for a usage that makes no sense, 130 where Ctrl-C stopped the work.

mod args;
mod commands;
mod device_choice;
mod input;
mod numbers;
mod phases;
mod terminal;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use ferrovox::pipeline::PipelineError;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Devices(args) => commands::devices::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Mesh(args) => commands::mesh::run(&args),
        Command::Distance(args) => commands::distance::run(&args),
        Command::Skeleton(args) => commands::skeleton::run(&args),
        Command::Voxelize(args) => commands::voxelize::run(&args),
        Command::Render(args) => commands::render::run(&args),
        Command::Occupancy(args) => commands::occupancy::run(&args),
        Command::Demo(args) => commands::demo::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error)
            if error
                .downcast_ref()
                .is_some_and(PipelineError::is_cancelled) =>
        {
            terminal::cancelled();
            ExitCode::from(watch::INTERRUPTED)
        }
        Err(error) => {
            terminal::error(&error);
            ExitCode::FAILURE
        }
    }
}
