//! Shell scripts executed by cargo for the builder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::error::IoContext;

/// Writes an executable script and returns its path. An identical existing file is not modified, so
/// that cargo detects no change.
pub(super) fn install_script(path: &Path, text: &str) -> Result<PathBuf> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(path.to_owned());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).at("cannot create", directory)?;
    }
    fs::write(path, text).at("cannot write", path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .at("cannot make executable", path)?;
    }
    Ok(path.to_owned())
}
