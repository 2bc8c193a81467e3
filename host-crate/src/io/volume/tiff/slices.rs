//! Folders of slices, one TIFF or PNG file per plane, in natural order of their names.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::io::FileProblem;
use crate::io::file_extension::extension;
use crate::io::source::{Remaining, Source};
use crate::io::volume::file_list::list_files;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::volume::tiff::decode::Plane;
use crate::io::volume::tiff::stack::Stack;
use crate::io::volume::tiff::{check_equal, damaged, open_planes, read_pages};
use crate::parallel;

fn is_slice(path: &Path) -> bool {
    matches!(extension(path).as_str(), "tif" | "tiff")
}

/// Returns `true` if one of the files is a slice.
pub(in crate::io) fn has_slices(files: &[PathBuf]) -> bool {
    files.iter().any(|path| is_slice(path))
}

/// Opens the slices in a folder, without its subfolders.
pub(in crate::io) fn open_slices<'a>(folder: &Path) -> Result<OpenedVolume<'a>, FileProblem> {
    let mut files = list_files(folder)?;
    files.retain(|path| path.parent() == Some(folder) && is_slice(path));
    files.sort_by(|a, b| compare_names(&name(a), &name(b)));
    if files.is_empty() {
        return Err(FileProblem::UnknownFolder { files: 0 });
    }
    let planes = parallel::try_map(files.len(), |index| {
        let path = &files[index];
        let file = PlaneFile::Path(Arc::new(path.clone()));
        let plane = open_slice(path, &file);
        plane.map_err(|problem| file.wrap(problem))
    })?;
    check_equal(&planes)?;
    let count = planes.len() as u64;
    let mut opened = open_planes(planes, [count, 1, 1], &Stack::from_pages(count))?;
    opened.header.data_files = files;
    Ok(opened)
}

fn open_slice<'a>(path: &Path, file: &PlaneFile<'a>) -> Result<Plane<'a>, FileProblem> {
    let source = Source::open(path)?;
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(damaged("it is no regular file".to_owned()));
    };
    let contents = read_pages(&bytes, length)?;
    match &contents.pages[..] {
        [page] => Ok(Plane {
            file: file.clone(),
            page: Arc::clone(page),
            shift: 0,
        }),
        pages => Err(damaged(format!(
            "it has {} pages; name this file instead of the folder, or keep one page per slice",
            pages.len()
        ))),
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Compares names so that numbers in them are in order: `s_2` before `s_10`.
pub(super) fn compare_names(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    while let (Some(first_a), Some(first_b)) = (rest_a.chars().next(), rest_b.chars().next()) {
        if first_a.is_ascii_digit() && first_b.is_ascii_digit() {
            let (number_a, after_a) = split_number(rest_a);
            let (number_b, after_b) = split_number(rest_b);
            let order = number_a
                .len()
                .cmp(&number_b.len())
                .then(number_a.cmp(number_b));
            if order.is_ne() {
                return order;
            }
            (rest_a, rest_b) = (after_a, after_b);
            continue;
        }
        if first_a != first_b {
            return first_a.cmp(&first_b);
        }
        rest_a = &rest_a[first_a.len_utf8()..];
        rest_b = &rest_b[first_b.len_utf8()..];
    }
    rest_a.len().cmp(&rest_b.len()).then_with(|| a.cmp(b))
}

/// Splits digits, without leading zeros, from the start of a text.
fn split_number(text: &str) -> (&str, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_in_order() {
        let mut names = [
            "s_10.tif", "s_2.tif", "s_01.tif", "a", "s_2b.tif", "s_1.tif",
        ];
        names.sort_by(|a, b| compare_names(a, b));
        assert_eq!(
            names,
            [
                "a", "s_01.tif", "s_1.tif", "s_2.tif", "s_2b.tif", "s_10.tif"
            ]
        );
    }
}
