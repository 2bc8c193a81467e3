//! Evaluation of the `cfg(…)` of a manifest's target tables for the GPU.

/// Returns `true` if dependencies under `[target.'KEY'.dependencies]` belong to the device build.
/// `KEY` is a target triple or `cfg(…)`. Options that a manifest does not determine (a custom
/// `--cfg`) count as set, also below `not`, because hashing too much is harmless.
pub(super) fn applies_to_device(key: &str) -> bool {
    let key = key.trim();
    match key
        .strip_prefix("cfg(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(expression) => evaluate(expression).unwrap_or(true),
        None => key == "nvptx64-nvidia-cuda",
    }
}

/// Evaluates an expression; returns `None` if its value is unknown.
fn evaluate(expression: &str) -> Option<bool> {
    let expression = expression.trim();
    if let Some((operator, inner)) = expression
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
    {
        let mut parts = split(inner).into_iter().map(evaluate);
        return match operator.trim() {
            "not" => parts.next().flatten().map(|value| !value),
            "all" => parts
                .try_fold(true, |so_far, part| match part {
                    Some(false) => Err(()),
                    Some(true) => Ok(so_far),
                    None => Ok(false),
                })
                .map_or(Some(false), |certain| certain.then_some(true)),
            "any" => parts
                .try_fold(false, |unknown, part| match part {
                    Some(true) => Err(()),
                    Some(false) => Ok(unknown),
                    None => Ok(true),
                })
                .map_or(Some(true), |unknown| (!unknown).then_some(false)),
            _ => None,
        };
    }
    match expression.split_once('=') {
        Some((name, value)) => {
            let value = value.trim().trim_matches('"');
            match name.trim() {
                "target_arch" => Some(value == "nvptx64"),
                "target_os" => Some(value == "cuda"),
                "target_vendor" => Some(value == "nvidia"),
                "target_pointer_width" => Some(value == "64"),
                "target_endian" => Some(value == "little"),
                "target_family" | "target_env" => Some(false),
                "panic" => Some(value == "abort"),
                _ => None,
            }
        }
        None => match expression {
            "unix" | "windows" | "test" | "false" => Some(false),
            "true" => Some(true),
            _ => None,
        },
    }
}

/// Splits a list at commas outside parentheses.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    list.split(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    })
    .filter(|part| !part.trim().is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::applies_to_device as applies;

    #[test]
    fn expressions_are_evaluated_for_the_gpu() {
        assert!(applies("nvptx64-nvidia-cuda"));
        assert!(!applies("x86_64-unknown-linux-gnu"));
        assert!(applies("cfg(target_arch = \"nvptx64\")"));
        assert!(!applies("cfg(not(target_arch = \"nvptx64\"))"));
        assert!(!applies("cfg(not(target_os = \"cuda\"))"));
        assert!(!applies("cfg(any(unix, windows))"));
        assert!(!applies("cfg(all(unix, not(target_os = \"macos\")))"));
        assert!(applies("cfg(all(target_arch = \"nvptx64\", not(unix)))"));
        assert!(applies("cfg(any(target_arch = \"nvptx64\", unix))"));
    }

    #[test]
    fn unknown_options_count_as_set() {
        assert!(applies("cfg(my_option)"));
        assert!(applies("cfg(not(my_option))"));
        assert!(applies("cfg(any(unix, my_option))"));
        assert!(!applies("cfg(all(unix, my_option))"));
        assert!(applies("cfg(all())"));
        assert!(!applies("cfg(any())"));
    }
}
