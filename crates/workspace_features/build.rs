//! Does nothing: cargo compiles dependencies of a build only for packages with a build script.

use syn as _;

fn main() {}
