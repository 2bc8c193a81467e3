//! Header and samples in two files with the same stem: `.hdr` and `.img`, both optionally gzipped.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::io::FileProblem;
use crate::io::file_extension::extension;
use crate::io::source::Source;
use crate::io::volume::data_files::DataFiles;

/// Returns `true` if a file of this name is the header of a pair.
pub(super) fn is_header(name: &Path) -> bool {
    extension(name).trim_end_matches(".gz") == "hdr"
}

/// Returns the header that belongs to a data file, if it exists; otherwise `path` itself.
pub(crate) fn header_path(path: &Path) -> PathBuf {
    if extension(path).trim_end_matches(".gz") != "img" {
        return path.to_owned();
    }
    let names = path.file_name().map(partner_names).unwrap_or_default();
    let headers = names.iter().map(|name| path.with_file_name(name));
    let mut existing = headers.filter(|header| header.is_file());
    existing.next().unwrap_or(path.to_owned())
}

/// Opens the samples and returns the name of their file.
pub(super) fn open_data<'a>(
    header: &Path,
    data_files: &dyn DataFiles<'a>,
) -> Result<(Source<'a>, String), FileProblem> {
    let names = header.file_name().map(partner_names).unwrap_or_default();
    let mut first = None;
    for name in names {
        match data_files.open(&name) {
            Ok(source) if name.to_ascii_lowercase().ends_with(".gz") => {
                return Ok((source.gunzip(), name));
            }
            Ok(source) => return Ok((source, name)),
            Err(problem) => first = first.or(Some(problem)),
        }
    }
    Err(first.unwrap_or(FileProblem::NotFound))
}

/// Returns the possible names of the other file of a pair, the most likely first.
fn partner_names(name: &OsStr) -> Vec<String> {
    let name = name.to_string_lossy();
    let (stem, gzip) = match name
        .len()
        .checked_sub(3)
        .map(|at| name.split_at_checked(at))
    {
        Some(Some((stem, gz))) if gz.eq_ignore_ascii_case(".gz") => (stem, Some(gz)),
        _ => (&*name, None),
    };
    let Some((stem, extension)) = stem.rsplit_once('.') else {
        return Vec::new();
    };
    let partner = match extension {
        "HDR" => "IMG",
        "IMG" => "HDR",
        other if other.eq_ignore_ascii_case("img") => "hdr",
        _ => "img",
    };
    let plain = format!("{stem}.{partner}");
    match gzip {
        Some(gz) => vec![format!("{plain}{gz}"), plain],
        None => vec![plain.clone(), format!("{plain}.gz")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partner_names_follow_case_and_compression() {
        let names = |name: &str| partner_names(OsStr::new(name));
        assert_eq!(names("a.b.hdr"), ["a.b.img", "a.b.img.gz"]);
        assert_eq!(names("A.IMG.gz"), ["A.HDR.gz", "A.HDR"]);
        assert_eq!(names("a.nii"), ["a.img", "a.img.gz"]);
        assert_eq!(names("hdr"), [""; 0]);
        assert!(is_header(Path::new("x/a.HDR.GZ")) && !is_header(Path::new("a.nii")));
    }
}
