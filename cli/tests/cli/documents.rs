//! The commands of the documents run: every file that they name is made by a command of the page
//! before, exists in the repository, or is listed here as a file that stands for another.
//!
//! `tutorials.rs` runs those of the tutorials.

use crate::{
    samples::{gzip, nifti, nifti_of_type, npy},
    support::Folder,
    tutorials, zip,
};
use std::{fs, path::Path};

/// Side of the volume that stands for the one of `cli/data`.
const SIDE: u16 = 28;

/// Pages in the order in which their commands run, each group in a folder of its own.
const PAGES: [&[&str]; 8] = [
    &["README.md"],
    &["docs/distance.md"],
    &["docs/isosurface.md", "docs/mesh-filters.md"],
    // the second uses a volume that the first makes
    &["docs/skeleton.md", "docs/skeleton-potential-field.md"],
    &["docs/formats.md"],
    &["docs/command-line.md"],
    &["docs/occupancy.md"],
    &["docs/viewing.md"],
];

/// First words of lines that are not run, because they need a compiler or a network.
const OTHER_PROGRAMS: [&str; 7] = ["cargo", "pip", "python3", "npm", "node", "apt-get", "nvcc"];

/// Parts of commands, and their replacements for the small files of this test.
const REPLACED: [(&str, &str); 8] = [
    // the file exists already
    ("ferrovox demo && ", ""),
    ("# opens the browser", "-o page.html"),
    ("z=90", "z=9"),
    // forces between all voxels take minutes
    ("bunny.obj --resolution 128", "bunny.obj --resolution 40"),
    ("cuda:0,1", "cpu,cpu"),
    ("--series bone", "--series 1"),
    ("--component 1 --scale-level 2", "--scale-level 0"),
    ("--labels 3,4,5,6,7,8,15,16,19,20,35,36", "--labels 3,4"),
];

/// Files that other programs make on a page, by a command with this text.
const MADE_ELSEWHERE: [(&str, &str); 3] = [
    ("> bunny.obj", "bunny.obj"),
    ("--write nets", "nets/net-0.nii.gz"),
    (
        "mricron-data_*.deb atlases",
        "atlases/usr/share/mricron/templates/JHU-WhiteMatter-labels-1mm.nii.gz",
    ),
];

/// Returns the lines of the code blocks `sh` of a page, with continued lines joined.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap_or_default());
    let text = blocks.collect::<String>().replace("\\\n", " ");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}

/// Returns the distance of each voxel of the volume to its centre, x fastest.
fn radii() -> Vec<f32> {
    let centre = f32::from(SIDE - 1) / 2.0;
    let axis = || (0..SIDE).map(|k| f32::from(k) - centre);
    let plane =
        |z: f32| axis().flat_map(move |y| axis().map(move |x| (x * x + y * y + z * z).sqrt()));
    axis().flat_map(plane).collect()
}

/// Creates a file that another program makes on a page.
fn make(folder: &Folder, name: &str) {
    if let Some((parent, _)) = name.rsplit_once('/') {
        fs::create_dir_all(folder.path(parent)).unwrap();
    }
    if name.ends_with(".obj") {
        let line = format!("mesh cli/data/mni152_t1_1mm.nii.gz --iso 120 -o {name}");
        folder.run(&line).ok();
        return;
    }
    let label = |radius: &f32| match radius {
        0.0..5.0 => 3,
        5.0..9.0 => 4,
        _ => 0,
    };
    let labels: Vec<u8> = radii().iter().map(label).collect();
    folder.file(name, gzip(&nifti_of_type(&labels, [SIDE; 3], 2, 8)));
}

/// Creates a folder with the files of the repository that pages name, and those of the reader.
fn folder(page: &str) -> Folder {
    let folder = match page {
        "docs/formats.md" => own_files(),
        "docs/viewing.md" => objects(),
        _ => Folder::new(),
    };
    for name in ["cli/data", "demo", "docs/images/distance"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    let sample = |radius: &f32| (200.0 - 10.0 * radius).max(0.0);
    let samples: Vec<f32> = radii().iter().map(sample).collect();
    let scan = gzip(&nifti(&samples, [SIDE; 3]));
    folder.file("cli/data/mni152_t1_1mm.nii.gz", &scan);
    if ["docs/formats.md", "docs/viewing.md"].contains(&page) {
        // the pages name the file in `cli/data`
        folder.file("scan.nii.gz", &scan);
    }
    make(&folder, "demo/metaballs.obj");
    // `ferrovox demo` makes a larger mesh
    let line = "mesh cli/data/mni152_t1_1mm.nii.gz --iso 120 -o demo/metaballs.ply";
    folder.run(line).ok();
    // shells look for completions and manual pages here
    for name in ["bash-completion/completions", "man/man1"] {
        fs::create_dir_all(folder.path(".local/share").join(name)).unwrap();
    }
    folder
}

/// Creates files of the formats of `docs/formats.md`, which stand for those of the reader.
fn own_files() -> Folder {
    let folder = tutorials::inputs();
    fs::rename(folder.path("ct"), folder.path("study")).unwrap();
    fs::rename(folder.path("image.zarr"), folder.path("image.ome.zarr")).unwrap();
    fs::create_dir(folder.path("slices")).unwrap();
    let page = tutorials::tiff(&[7; 16].map(|k: u8| k * 3), 4);
    for k in [1, 2, 10] {
        let mut page = page.clone();
        if let Some(sample) = page.last_mut() {
            *sample = k;
        }
        folder.file(&format!("slices/s_{k}.tif"), page);
    }
    let image = npy("|u1", "(2, 2, 3)", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    folder.file(
        "arrays.npz",
        zip::zip(&[("image.npy", &image), ("other.npy", &image)]),
    );
    folder
}

/// Creates a folder with the objects of `docs/viewing.md`.
fn objects() -> Folder {
    let folder = Folder::new();
    folder.file("part.stl", tutorials::bar());
    folder.file("skeleton.swc", "1 2 5 14 14 1 -1\n2 2 20 14 14 3 1\n");
    folder.file("lut.txt", "3 inner 220 20 30 0\n4 outer 20 40 220 0\n");
    make(&folder, "labels.nii.gz");
    let line = "distance labels.nii.gz --nonzero --signed -o distances.nii.gz";
    folder.run(line).ok();
    folder
}

#[test]
fn commands_of_the_documents_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !root.join("ARCHITECTURE.md").is_file() {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    }
    for pages in PAGES {
        let folder = folder(pages[0]);
        let mut run = 0;
        for page in pages {
            let text = fs::read_to_string(root.join(page)).unwrap();
            for command in commands(&text) {
                for (made_by, name) in MADE_ELSEWHERE {
                    if command.contains(made_by) {
                        make(&folder, name);
                    }
                }
                let program = command.split_whitespace().next().unwrap_or_default();
                if OTHER_PROGRAMS.contains(&program) {
                    continue;
                }
                let command = REPLACED
                    .iter()
                    .fold(command, |command, (from, to)| command.replace(from, to));
                let script = format!(
                    "set -e\nexport HOME=\"$PWD\"\nferrovox() {{ \"$FERROVOX\" \"$@\"; }}\n{command}"
                );
                let Some(result) = folder.shell(&script) else {
                    return;
                };
                let errors = &result.stderr;
                assert_eq!(result.status, Some(0), "{page}: {command}\n{errors}");
                run += 1;
            }
        }
        assert!(run >= 2, "{pages:?}: {run} commands");
    }
}
