//! Features of external crates that every build of the workspace shares, so that cargo compiles
//! these crates, and all that depend on them, once.
//!
//! Cargo selects the features of a crate for each build: those that the packages of the build
//! request. `cargo xtask`, the tests and the Python module request different ones, and every set is
//! compiled separately, with the kernels and the library. Packages that are not published depend on
//! this package, whose manifest requests the union; published packages do so for their tests only
//! ([design](../../../docs/design/build.md#features-of-external-crates)).

use getrandom as _;
#[cfg(unix)]
use libc as _;
use memchr as _;
use num_traits as _;
use once_cell as _;
#[cfg(unix)]
use rustix as _;
use serde_core as _;
