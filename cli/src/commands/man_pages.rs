//! `ferrovox man-pages`: manual pages.

use crate::{
    args::{Cli, ManPagesArgs},
    escape::escape,
    terminal,
};
use anyhow::Context;
use clap::CommandFactory;
use std::fs;

/// Writes `ferrovox.1` and a page for each subcommand.
pub fn run(args: &ManPagesArgs) -> anyhow::Result<()> {
    let folder = args.folder.display();
    fs::create_dir_all(&args.folder)
        .with_context(|| format!("{folder}: cannot create the folder"))?;
    clap_mangen::generate_to(Cli::command(), &args.folder)
        .with_context(|| format!("{folder}: cannot write a page"))?;
    terminal::print(&format!("pages      {}\n", escape(&folder.to_string())))
}
