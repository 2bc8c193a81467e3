//! Chromium, in which tests look at the pages of `ferrovox view`.

use anyhow::{Result, bail};

use super::State;
use super::system::{apt_install, has_apt, is_root, runs_successfully};

/// Debian packages: the browser, and a font.
const DEBIAN: [&str; 2] = ["chromium", "fonts-dejavu-core"];

pub fn state() -> State {
    if runs_successfully("chromium", &["--version"]) {
        State::Present("chromium".to_owned())
    } else {
        let names = DEBIAN.join(" ");
        State::Missing(format!("to install it: apt-get install {names}"))
    }
}

/// Installs the Debian packages, if running as root.
pub fn install() -> Result<()> {
    if !(has_apt() && is_root()) {
        bail!("neither apt-get nor root is available");
    }
    apt_install(&DEBIAN)
}
