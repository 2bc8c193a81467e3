//! What to install where no device toolchain was found.

use super::OLDEST_RUSTC;

/// The whole message of the error: what was looked at, then what to do on each system.
pub(super) fn not_found(looked_at: &[String]) -> String {
    let (major, minor) = OLDEST_RUSTC;
    let mut text = String::from("no compiler for device code was found. Looked at:\n");
    for line in looked_at {
        text.push_str("  - ");
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(&format!(
        "What is needed: rustc {major}.{minor} or newer with the source of its own `core`, its cargo, and llvm-link, opt and llc of an LLVM at\n\
         least as new as that rustc's. It stands beside your ordinary Rust and does not replace it. Any one of these will do:\n\
         \x20 Debian 12 or newer:  apt-get install rustc-web rust-web-src cargo-web llvm-22\n\
         \x20 with rustup:         rustup component add rust-src llvm-tools   (to a toolchain that is {major}.{minor} or newer; stable will do)\n\
         \x20 or, beside it:       rustup toolchain install nightly --profile minimal --component rust-src --component llvm-tools\n\
         \x20 anything else:       FERROVOX_DEVICE_RUSTC=/path/to/rustc FERROVOX_DEVICE_CARGO=/path/to/cargo FERROVOX_LLVM_BIN=/path/to/llvm/bin\n\
         In the ferrovox repository `cargo xtask setup` does this for you.",
    ));
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_message_names_places_and_packages() {
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
