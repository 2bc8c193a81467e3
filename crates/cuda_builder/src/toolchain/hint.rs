//! Error message with installation instructions if no device toolchain was found.

use super::MIN_RUSTC;

/// Formats the error message: the searched locations, then the instructions for each system.
pub(super) fn not_found(searched: &[String]) -> String {
    let (major, minor) = MIN_RUSTC;
    let mut text = String::from("no compiler for device code was found. Searched:\n");
    for line in searched {
        text.push_str("  - ");
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(&format!(
        "Required: rustc {major}.{minor} or newer with the source of its `core`, its cargo, and llvm-link, opt and llc of an LLVM at\n\
         least as new as that rustc's. It is installed alongside your ordinary Rust and does not replace it. Use one of:\n\
         \x20 Debian 12 or newer:  apt-get install rustc-web rust-web-src cargo-web llvm-22\n\
         \x20 with rustup:         rustup component add rust-src llvm-tools   (to a toolchain that is {major}.{minor} or newer; stable is sufficient)\n\
         \x20 or, separately:       rustup toolchain install nightly --profile minimal --component rust-src --component llvm-tools\n\
         \x20 anything else:       FERROVOX_DEVICE_RUSTC=/path/to/rustc FERROVOX_DEVICE_CARGO=/path/to/cargo FERROVOX_LLVM_BIN=/path/to/llvm/bin\n\
         In the ferrovox repository, run `cargo xtask setup`.",
    ));
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn message_contains_searched_locations_and_packages() {
        let text = super::not_found(&["/usr/bin/rustc: no such file".to_owned()]);
        for part in [
            "/usr/bin/rustc: no such file",
            "rust-web-src",
            "rust-src",
            "FERROVOX_LLVM_BIN",
        ] {
            assert!(text.contains(part), "{part} not in\n{text}");
        }
    }
}
