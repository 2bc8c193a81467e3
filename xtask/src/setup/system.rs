//! What this machine lets us install.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Whether this process may install packages.
pub fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Whether the system's packages come through apt.
pub fn has_apt() -> bool {
    Path::new("/usr/bin/apt-get").is_file()
}

/// Whether apt knows a package by this name and could install it.
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

/// Installs packages, after one `apt-get update` if they are not known yet.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    if !packages.iter().all(|package| apt_offers(package)) {
        execute(Command::new("apt-get").args(["update", "-q"]))?;
    }
    if let Some(unknown) = packages.iter().find(|package| !apt_offers(package)) {
        bail!("this system's package sources have no {unknown}");
    }
    let mut command = Command::new("apt-get");
    command
        .args(["install", "-q", "-y", "--no-install-recommends"])
        .args(packages);
    execute(command.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Whether a program runs at all with these arguments.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Runs a command with its output shown.
pub fn execute(command: &mut Command) -> Result<()> {
    println!("  {}", shown(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    if status.success() {
        Ok(())
    } else {
        bail!("`{}` failed ({status})", shown(command))
    }
}

fn shown(command: &Command) -> String {
    let parts = std::iter::once(command.get_program()).chain(command.get_args());
    parts
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
