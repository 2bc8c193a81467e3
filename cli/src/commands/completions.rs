//! `ferrovox completions`: completion script of a shell.

use crate::{
    args::{Cli, CompletionsArgs},
    terminal,
};
use clap::CommandFactory;

/// Prints the completion script.
pub fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ferrovox", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}
