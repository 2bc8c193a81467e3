//! Files that a command writes: checked before any work, complete or not there at all.

use anyhow::{Context, bail};
use ferrovox::{io::MeshFormat, render::Picture};
use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

/// Fails if no mesh can be written there: told before any work, since the work may be long.
pub fn check_mesh_path(path: &Path) -> anyhow::Result<()> {
    if MeshFormat::from_path(path).is_none() {
        bail!(
            "{}: {}; meshes are written as .ply, .obj, .stl, .vtk or .vtp",
            path.display(),
            extension(path)
        );
    }
    check_path(path)
}

/// Fails if no volume can be written there.
pub fn check_volume_path(path: &Path) -> anyhow::Result<()> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let known = [".nii", ".nii.gz", ".nrrd", ".mha", ".npy"];
    if !known.iter().any(|end| name.ends_with(end)) {
        bail!(
            "{}: {}; volumes are written as .nii, .nii.gz, .nrrd, .mha or .npy",
            path.display(),
            extension(path)
        );
    }
    check_path(path)
}

/// Fails if no picture can be written there.
pub fn check_picture_path(path: &Path) -> anyhow::Result<()> {
    let is_png = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    if !is_png {
        bail!(
            "{}: {}; pictures are written as .png",
            path.display(),
            extension(path)
        );
    }
    check_path(path)
}

fn extension(path: &Path) -> String {
    match path.extension() {
        Some(extension) => format!("unknown extension {:?}", extension.to_string_lossy()),
        None => "the name has no extension".to_owned(),
    }
}

fn check_path(path: &Path) -> anyhow::Result<()> {
    let name = || path.display().to_string();
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => bail!("{}: this is a directory; name a file in it", name()),
        // a device or a pipe is written to directly
        Ok(there) if !there.is_file() => return Ok(()),
        _ => {}
    }
    let folder = folder_of(path);
    match fs::metadata(folder) {
        Ok(there) if there.is_dir() => {}
        Ok(_) => bail!(
            "{}: {} is not a folder; choose another",
            name(),
            folder.display()
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!(
                "{}: there is no folder {}; make it first",
                name(),
                folder.display()
            )
        }
        Err(error) => {
            return Err(error).with_context(|| format!("{}: cannot look at its folder", name()));
        }
    }
    // the only sure way to know whether a file can be made there; it is gone at once
    tempfile::Builder::new()
        .prefix(".ferrovox-")
        .tempfile_in(folder)
        .map(drop)
        .map_err(|error| error.kind())
        .map_err(|kind| {
            anyhow::anyhow!(
                "{}: cannot create a file in {}: {kind}",
                name(),
                folder.display()
            )
        })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes a picture: a temporary file beside it takes the name when it is complete.
pub fn write_picture(path: &Path, picture: &Picture) -> anyhow::Result<()> {
    write_replacing(path, |to| picture.write_png(to))
        .with_context(|| format!("{}: cannot write the picture", path.display()))
}

fn write_replacing(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        let mut file = BufWriter::new(fs::File::options().write(true).open(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ferrovox-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // what any new file gets, less the umask
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder_of(path))?;
    let mut buffered = BufWriter::new(temporary.as_file());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
