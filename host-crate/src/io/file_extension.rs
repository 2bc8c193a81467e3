//! Extensions of file names, and lists of them in messages.

use std::path::Path;

/// Returns the extension in lower case, with the one before a final `.gz`, and with `nodes` before
/// a final `.csv`: `nii.gz`, `nodes.csv`.
pub(super) fn extension(path: &Path) -> String {
    let lower = |part: &std::ffi::OsStr| part.to_string_lossy().to_ascii_lowercase();
    let last = path.extension().map(lower).unwrap_or_default();
    if last != "gz" && last != "csv" {
        return last;
    }
    let inner = path
        .file_stem()
        .map(Path::new)
        .and_then(Path::extension)
        .map(lower);
    match inner {
        Some(inner) if last == "gz" || inner == "nodes" => format!("{inner}.{last}"),
        _ => last,
    }
}

/// Joins extensions as a message lists them: `.ply, .obj or .stl`.
pub(super) fn list_extensions(
    extensions: impl IntoIterator<Item = &'static str>,
    conjunction: &str,
) -> String {
    let extensions = extensions
        .into_iter()
        .map(|extension| format!(".{extension}"));
    let extensions: Vec<String> = extensions.collect();
    match &extensions[..] {
        [first @ .., last] if !first.is_empty() => {
            format!("{} {conjunction} {last}", first.join(", "))
        }
        _ => extensions.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::list_extensions;

    #[test]
    fn extensions_are_joined_with_commas_and_one_conjunction() {
        assert_eq!(list_extensions([], "or"), "");
        assert_eq!(list_extensions(["ply"], "or"), ".ply");
        assert_eq!(list_extensions(["ply", "vtp"], "or"), ".ply or .vtp");
        assert_eq!(
            list_extensions(["ply", "obj", "stl"], "and"),
            ".ply, .obj and .stl"
        );
    }
}
