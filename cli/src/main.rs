//! The `ferrovox` command: a thin layer over the `ferrovox` library.
//!
//! Results go to standard output (one JSON object with `--json`), everything else to standard
//! error. Exit status: 0 for success, 1 for a failure, 2 for an invalid command line, and 128 plus
//! its number for a signal that stopped the work (Ctrl-C: 130).

mod allocator;
mod args;
mod batch;
mod commands;
mod device_choice;
mod escape;
mod numbers;
mod option_names;
mod out_of_memory;
mod report;
mod signals;
mod terminal;
mod usage;
mod usage_text;
mod watch;

use args::{Command, ReportArgs};
use batch::{is_batch, run_each};
use ferrovox::{device::start_threads, pipeline::PipelineError};
use std::process::ExitCode;
use terminal::{ReportedFailure, Terminal};
use usage::{UsageError, refuse};

#[global_allocator]
static ALLOCATOR: allocator::CommandAllocator = allocator::CommandAllocator;

fn main() -> ExitCode {
    device_choice::configure_driver();
    terminal::prepare_json_object(std::env::args_os());
    out_of_memory::end_instead_of_aborting();
    signals::run_command(parse_and_run).unwrap_or_else(|error| {
        terminal::line(&format!("ferrovox: error: {error:#}"));
        ExitCode::FAILURE
    })
}

fn parse_and_run() -> ExitCode {
    let command = match args::parse(std::env::args_os()) {
        Ok(cli) => cli.command,
        Err(error) => return report_usage_error(error),
    };
    let terminal = Terminal {
        command: command.name(),
        report: command.report(),
        uses_stderr: command.writes_to_standard_output(),
        collected: None,
    };
    signals::set_terminal(terminal.clone());
    match run(&command, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report_failure(&error, &terminal),
    }
}

fn run(command: &Command, terminal: &Terminal) -> anyhow::Result<()> {
    refuse(&[(
        terminal.uses_stderr && terminal.report.json,
        "--json and the file both go to standard output; write the file to another path",
    )])?;
    let needs_threads = !matches!(command, Command::Completions(_) | Command::ManPages(_));
    if needs_threads {
        start_threads()?;
    }
    match command {
        Command::Devices(_) => commands::devices::run(terminal),
        Command::Info(args) => run_each(args, terminal, commands::info::run),
        Command::Mesh(args) => run_each(&**args, terminal, commands::mesh::run),
        Command::Distance(args) => run_each(&**args, terminal, commands::distance::run),
        Command::Skeleton(args) => run_each(&**args, terminal, commands::skeleton::run),
        Command::Voxelize(args) => run_each(args, terminal, commands::voxelize::run),
        Command::Render(args) if is_batch(&**args) => {
            run_each(&**args, terminal, commands::render::run)
        }
        Command::Render(args) => commands::render::run(args, terminal),
        Command::Slices(args) => run_each(&**args, terminal, commands::slices::run),
        Command::View(args) => commands::view::run(args, terminal),
        Command::Occupancy(args) => commands::occupancy::run(args, terminal),
        Command::Demo(args) => commands::demo::run(args, terminal),
        Command::Completions(args) => commands::completions::run(args),
        Command::ManPages(args) => commands::man_pages::run(args),
    }
}

/// Prints an error of the command line, or the requested help or version.
fn report_usage_error(error: clap::Error) -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let terminal = Terminal {
        command: "ferrovox",
        report: ReportArgs {
            json: words.iter().any(|word| word == "--json"),
            quiet: false,
        },
        uses_stderr: false,
        collected: None,
    };
    let error = usage_text::with_advice(error, &words);
    terminal.usage(&error);
    exit_code(&error)
}

fn report_failure(error: &anyhow::Error, terminal: &Terminal) -> ExitCode {
    if let Some(error) = error.downcast_ref::<UsageError>() {
        let error = usage_text::to_clap(error);
        terminal.usage(&error);
        return exit_code(&error);
    }
    if error
        .downcast_ref()
        .is_some_and(PipelineError::is_cancelled)
    {
        terminal.cancelled(false);
        return ExitCode::from(signals::exit_status());
    }
    if error.downcast_ref::<ReportedFailure>().is_none() {
        terminal.error(error);
    }
    ExitCode::FAILURE
}

/// Returns 2 for an invalid command line and 0 for a help text.
fn exit_code(error: &clap::Error) -> ExitCode {
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
