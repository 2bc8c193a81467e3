//! Files of a folder with its subfolders.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use crate::io::FileProblem;

/// Largest number of files of a folder, with its subfolders.
const MAX_FILES: usize = 1 << 18;
/// Largest depth of subfolders.
const MAX_DEPTH: usize = 8;

/// Returns the files of a folder and its subfolders, sorted by path. Links to folders are not
/// followed, so that every file is found once and none outside of the folder's tree is searched.
///
/// # Errors
/// If a folder cannot be read, or there are more than [`MAX_FILES`] files.
pub(crate) fn list_files(folder: &Path) -> Result<Vec<PathBuf>, FileProblem> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    let list = |source| FileProblem::from_io("list the folder", source);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(list)? {
            let entry = entry.map_err(list)?;
            let kind = entry.file_type().map_err(list)?;
            let path = entry.path();
            if kind.is_dir() {
                if depth < MAX_DEPTH {
                    folders.push((path, depth + 1));
                }
            } else if fs::metadata(&path).is_ok_and(|it| it.is_file()) {
                files.push(path);
            }
            if files.len() > MAX_FILES || folders.len() > MAX_FILES {
                return Err(FileProblem::Unsupported {
                    what: format!("a folder with more than {MAX_FILES} files"),
                    advice: "name a folder that holds one series",
                });
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the files of a folder, without its subfolders, for which `is_slice` is `true`, in
/// natural order of their names.
///
/// # Errors
/// As [`list_files`], and if there are none.
pub(super) fn list_slices(
    folder: &Path,
    is_slice: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, FileProblem> {
    let mut files = list_files(folder)?;
    files.retain(|path| path.parent() == Some(folder) && is_slice(path));
    files.sort_by(|a, b| compare_names(&name(a), &name(b)));
    if files.is_empty() {
        return Err(FileProblem::UnknownFolder { files: 0 });
    }
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Compares names so that numbers in them are in order: `s_2` before `s_10`.
fn compare_names(a: &str, b: &str) -> Ordering {
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
