//! Kernels that use cuda_std.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::support::{body, builder, fixture, has_toolchain};
use cuda_builder::lint::{LintReport, LintRules};

/// Returns the PTX of the fixture `views` and the results of the lint; the first test builds it.
fn views() -> Option<&'static (String, LintReport)> {
    static BUILT: LazyLock<Option<(String, LintReport)>> = LazyLock::new(|| {
        has_toolchain().then(|| {
            // built in place, because the fixture's path dependencies point into the workspace
            let directory = tempfile::tempdir().unwrap();
            let out = directory.path().join("views.ptx");
            let built = builder(&fixture("views")).copy_to(&out).build_with_report();
            let lint = built.unwrap_or_else(|error| panic!("{error}")).lint;
            (fs::read_to_string(&out).unwrap(), lint)
        })
    });
    BUILT.as_ref()
}

#[test]
fn slices_views_and_shared_arrays_use_their_memory_spaces() {
    let Some((ptx, lint)) = views() else {
        return;
    };
    let scale = body(ptx, "scale");
    assert_eq!(scale.matches("ld.global").count(), 2, "{scale}");
    assert_eq!(scale.matches("st.global").count(), 1, "{scale}");
    let tiles = body(ptx, "tiles");
    assert_eq!(tiles.matches("st.shared").count(), 2, "{tiles}");
    assert_eq!(tiles.matches("ld.shared").count(), 2, "{tiles}");
    assert_eq!(lint.kernel("tiles").unwrap().barriers, 1);
    for kernel in ["scale", "tiles"] {
        assert!(lint.kernel(kernel).unwrap().findings.is_empty(), "{lint}");
    }
}

/// No function violates the strict rules; in particular, none uses a stack frame or panics.
#[test]
fn float_functions_use_no_stack() {
    let Some((_, lint)) = views() else {
        return;
    };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda_std/src/float");
    let mut kernels = 0;
    for (file, head) in [
        ("gpu_float.rs", "pub trait GpuFloat"),
        ("ext.rs", "pub trait FloatExt"),
    ] {
        let text = fs::read_to_string(sources.join(file)).unwrap();
        let text = &text[text.find(head).unwrap()..];
        for line in text[..text.find("\n}").unwrap()].lines() {
            let Some(function) = line.trim_start().strip_prefix("fn ") else {
                continue;
            };
            let (function, _) = function.split_once('(').unwrap();
            for width in ["f32", "f64"] {
                let kernel = format!("{function}_{width}");
                assert!(
                    lint.kernel(&kernel).is_some(),
                    "the fixture has no {kernel}"
                );
                kernels += 1;
            }
        }
    }
    assert!(kernels > 140, "{kernels}");
    let errors = lint.errors(&LintRules::strict());
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
