//! Package managers of this machine.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Returns `true` if this process may install system packages.
pub fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Returns `true` if the system uses apt.
pub fn has_apt() -> bool {
    Path::new("/usr/bin/apt-get").is_file()
}

/// Returns `true` if apt can install the package.
pub fn apt_offers(package: &str) -> bool {
    let output = Command::new("apt-cache")
        .args(["policy", package])
        .env("LC_ALL", "C")
        .output();
    output.is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().any(|line| {
            line.trim()
                .strip_prefix("Candidate:")
                .is_some_and(|version| version.trim() != "(none)")
        })
    })
}

/// Installs packages, after one `apt-get update` if they are unknown.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    if !packages.iter().all(|package| apt_offers(package)) {
        execute(Command::new("apt-get").args(["update", "-q"]))?;
    }
    if let Some(unknown) = packages.iter().find(|package| !apt_offers(package)) {
        bail!("the package sources of this system do not contain {unknown}");
    }
    let mut command = Command::new("apt-get");
    command
        .args(["install", "-q", "-y", "--no-install-recommends"])
        .args(packages);
    execute(command.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Returns `true` if a program runs successfully with these arguments.
pub fn runs_successfully(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Prints and runs a command with its output shown.
pub fn execute(command: &mut Command) -> Result<()> {
    println!("  {}", display_command(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", display_command(command)))?;
    if status.success() {
        Ok(())
    } else {
        bail!("`{}` failed ({status})", display_command(command))
    }
}

fn display_command(command: &Command) -> String {
    let parts = std::iter::once(command.get_program()).chain(command.get_args());
    parts
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
