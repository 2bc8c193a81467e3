//! The code blocks of the documents compile: each one is in this file or in an example, line by
//! line.

use std::{
    collections::HashSet,
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

#[allow(dead_code, reason = "compiled, and compared with the README")]
#[rustfmt::skip]
fn library() -> Result<(), Box<dyn Error>> {
// README: library
use ferrovox::{device::Device, grid::DeviceVolume, isosurface::{self, IsosurfaceParams}, mesh};
use ferrovox::io::{MeshWriteOptions, ReadOptions, read_volume, write_mesh};

let (volume, _) = read_volume("scan.nii.gz", &ReadOptions::default())?.volume.into_f32();
let stream = Device::best().stream()?;
let on_device = DeviceVolume::upload(&stream, volume.view())?;
let surface = isosurface::extract(&stream, &on_device, None, &IsosurfaceParams { iso: 120.0, ..Default::default() })?;
let triangles = surface.download(&stream)?;
println!("{:?}", mesh::check(&triangles));
write_mesh("scan.ply", &triangles, &MeshWriteOptions::default())?;
// README: end
Ok(())
}

#[allow(dead_code, reason = "compiled, and compared with docs/isosurface.md")]
#[rustfmt::skip]
fn topology() -> Result<(), Box<dyn Error>> {
// docs/isosurface.md
use ferrovox::{device::Device, grid::DeviceVolume, isosurface::{self, IsosurfaceParams, Topology}};
use ferrovox::io::{ReadOptions, read_volume};

let (volume, _) = read_volume("scan.nii.gz", &ReadOptions::default())?.volume.into_f32();
let stream = Device::best().stream()?;
let on_device = DeviceVolume::upload(&stream, volume.view())?;
let params = IsosurfaceParams { iso: 300.0, topology: Topology::Trilinear, ..Default::default() };
let surface = isosurface::extract(&stream, &on_device, None, &params)?;
println!("{} tunnels in {} ambiguous cells", surface.topology.tunnels, surface.topology.ambiguous_cells);
// docs/isosurface.md: end
Ok(())
}

#[allow(dead_code, reason = "compiled, and compared with docs/distance.md")]
#[rustfmt::skip]
fn distance() -> Result<(), Box<dyn Error>> {
// docs/distance.md
use ferrovox::{device::Device, grid::{DeviceVolume, DeviceMask}, distance::{self, DistanceParams, Sites}};
use ferrovox::io::{ReadOptions, VolumeWriteOptions, read_volume, write_volume};

let (volume, _) = read_volume("scan.nii.gz", &ReadOptions::default())?.volume.into_f32();
let stream = Device::best().stream()?;
let on_device = DeviceVolume::upload(&stream, volume.view())?;
let sites = DeviceMask::from_level(&stream, &on_device, 120.0)?;
let map = distance::transform(&stream, Sites::Voxels(&sites), &DistanceParams::default())?;
write_volume("distances.nii.gz", &map.download(&stream)?.into(), &VolumeWriteOptions::default())?;
// docs/distance.md: end
Ok(())
}

#[allow(dead_code, reason = "compiled, and compared with docs/distance.md")]
#[rustfmt::skip]
fn distance_in_one_call() -> Result<(), Box<dyn Error>> {
// docs/distance.md: in one call
use ferrovox::{monitor::Monitor, pipeline::{VolumeSource, distance::{self, DistanceJob, SitesFrom}}};

let job = DistanceJob {
    signed: true,
    output: Some("distances.nii.gz".into()),
    memory: Some(512 << 20),
    ..DistanceJob::new(VolumeSource::new("vessels.nrrd"), SitesFrom::Mask)
};
let outcome = distance::run(&job, &Monitor::new())?;
println!("{} sites, by {}, exact: {}", outcome.sites, outcome.method.name(), outcome.exact);
// docs/distance.md: end
Ok(())
}

#[allow(dead_code, reason = "compiled, and compared with docs/distance.md")]
#[rustfmt::skip]
fn distance_by_slabs() -> Result<(), Box<dyn Error>> {
// docs/distance.md: by slabs
use ferrovox::{device::Device, distance::{DistanceParams, Slabs}, grid::SampleType};
use ferrovox::io::{ReadOptions, VolumeReader, VolumeWriteOptions, VolumeWriter, read_mask};

let mut reader = VolumeReader::open("vessels.nrrd", &ReadOptions::default())?;
let (sites, _) = read_mask(&mut reader, |sample| sample != 0.0)?;
let devices = Device::all();
let params = DistanceParams { memory: Some(512 << 20), ..DistanceParams::default() };
let options = VolumeWriteOptions::default();
let mut writer = VolumeWriter::create("d.nrrd", sites.dims(), sites.geometry(), SampleType::F32, &options)?;
Slabs::new(&devices, &sites, &params)?.for_each(|slab| Ok::<_, anyhow::Error>(writer.append(slab.distances)?))?;
writer.finish()?;
// docs/distance.md: end
Ok(())
}

#[allow(dead_code, reason = "compiled, and compared with docs/skeleton.md")]
#[rustfmt::skip]
fn skeletons() -> Result<(), Box<dyn Error>> {
// docs/skeleton.md
use ferrovox::{device::Device, grid::{DeviceVolume, DeviceMask}};
use ferrovox::io::{ReadOptions, read_volume, write_skeleton};
use ferrovox::skeleton::{Prune, potential_field};

let (volume, _) = read_volume("scan.nii.gz", &ReadOptions::default())?.volume.into_f32();
let stream = Device::best().stream()?;
let on_device = DeviceVolume::upload(&stream, volume.view())?;
let object = DeviceMask::above(&stream, &on_device, 120.0)?;
let mut extraction = potential_field::extract(&stream, &object, &potential_field::Params::default())?;
extraction.skeleton.prune(Prune::Length(5.0))?;
println!("{} cycles, balanced: {}", extraction.skeleton.cycles(), extraction.certificate.iter().all(|it| it.is_balanced()));
write_skeleton("scan.swc", &extraction.skeleton)?;
// docs/skeleton.md: end
Ok(())
}

#[allow(dead_code, reason = "compiled, and compared with docs/skeleton.md")]
#[rustfmt::skip]
fn skeletons_by_several_devices(
    object: ferrovox::grid::DeviceMask,
    params: ferrovox::skeleton::potential_field::Params,
) -> Result<(), Box<dyn Error>> {
// docs/skeleton.md: several devices
use ferrovox::{device::Device, monitor::Progress, skeleton::potential_field::{self, Execution}};

let streams = [Device::cuda(0)?.stream()?, Device::cuda(1)?.stream()?];
let report_progress = |progress: Progress| eprintln!("{:.0} %, {:?} left", 100.0 * progress.fraction(), progress.remaining());
let extraction = potential_field::extract(Execution::new(&streams)?.on_progress(&report_progress), &object, &params)?;
let vectors = extraction.force_field.vectors(&streams[0])?;
// docs/skeleton.md: end of several devices
drop(vectors);
Ok(())
}

/// Returns the Rust block of the README that contains this text.
fn block(readme: &str, with: &str) -> String {
    let blocks = readme
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"));
    let mut found = blocks
        .map(|(block, _)| block)
        .filter(|block| block.contains(with));
    found
        .next()
        .unwrap_or_else(|| panic!("the README has no Rust block with {with:?}"))
        .to_owned()
}

#[test]
fn code_blocks_of_the_documents_equal_compiled_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(readme) = fs::read_to_string(root.join("README.md")) else {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    };
    let here = include_str!("readme.rs");
    let library = here
        .split_once("// README: library\n")
        .unwrap()
        .1
        .split_once("// README: end")
        .unwrap()
        .0;
    assert_eq!(block(&readme, "read_volume"), library);

    for (name, subject, with) in [
        ("docs/isosurface.md", "", "read_volume"),
        ("docs/distance.md", "", "read_volume"),
        ("docs/distance.md", ": in one call", "DistanceJob"),
        ("docs/distance.md", ": by slabs", "Slabs::new"),
        ("docs/skeleton.md", "", "read_volume"),
        ("docs/skeleton.md", ": several devices", "Execution"),
    ] {
        let guide = fs::read_to_string(root.join(name)).unwrap();
        let code = here
            .split_once(&format!("// {name}{subject}\n"))
            .unwrap()
            .1
            .split_once(&format!("// {name}: end"))
            .unwrap()
            .0;
        assert_eq!(block(&guide, with), code);
    }

    let example = root.join("crates/examples/01-your-first-kernel");
    let kernel = fs::read_to_string(example.join("kernels/src/lib.rs")).unwrap();
    for line in block(&readme, "#[kernel]").lines() {
        assert!(
            kernel.contains(line.trim()),
            "{line} is not in the example's kernel"
        );
    }
}

/// Removes the indentation that all lines share.
fn trimmed(text: &str) -> String {
    text.lines()
        .map(|line| line.trim().to_owned() + "\n")
        .collect()
}

#[test]
fn kernel_guide_shows_the_course_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(guide) = fs::read_to_string(root.join("docs/kernels/writing-kernels.md")) else {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    };
    let course = root.join("crates/examples/03-a-course-of-kernels");
    let mut sources = String::new();
    for folder in ["kernels/src", "src/lessons"] {
        for entry in fs::read_dir(course.join(folder)).unwrap() {
            sources += &trimmed(&fs::read_to_string(entry.unwrap().path()).unwrap());
        }
    }
    // The kernel with named barriers is the example of their type.
    let named = fs::read_to_string(root.join("crates/cuda_std/src/thread/named.rs")).unwrap();
    sources += &trimmed(&named.replace("///", ""));
    let blocks = guide.split("```rust\n").skip(1);
    let mut blocks: Vec<&str> = blocks.filter_map(|rest| rest.split("```").next()).collect();
    // the kernel of another example with a barrier where that has a question, a line for the
    // library, and limits, which have an example in the documentation of `simt::Limits`
    blocks.retain(|block| {
        ["reverse_tiles", "CpuOptions", "simt::Limits"]
            .iter()
            .all(|other| !block.contains(other))
    });
    assert!(blocks.len() >= 8, "{} blocks", blocks.len());
    for block in blocks {
        assert!(
            sources.contains(&trimmed(block)),
            "not in the course:\n{block}"
        );
    }
}

#[test]
fn links_and_pictures_of_the_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !root.join("ARCHITECTURE.md").is_file() {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    }
    let pages = pages(&root);
    assert!(pages.len() > 15, "{} pages", pages.len());
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let folder = page.parent().unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(link, _)| link)
        {
            let exists = match link.split_once('#') {
                Some(("", heading)) => text.lines().any(|line| is_heading(line, heading)),
                _ if link.starts_with("https://") => true,
                Some((other, heading)) => fs::read_to_string(folder.join(other))
                    .is_ok_and(|text| text.lines().any(|line| is_heading(line, heading))),
                None => folder.join(link).exists(),
            };
            assert!(exists, "{} links to {link}", page.display());
        }
    }
    let pictures = [
        "bunny-skeleton",
        "skeleton-atlas",
        "skeleton-levels",
        "skeleton-net",
    ];
    let limits = pictures.map(|name| (name, 150_000)).into_iter();
    for (name, limit) in limits.chain([("page", 500_000)]) {
        let picture = fs::metadata(root.join(format!("docs/images/{name}.png"))).unwrap();
        assert!(picture.len() < limit, "{name}: {} bytes", picture.len());
    }
}

/// Returns the Markdown pages of the repository that readers are led to: those at the root, the
/// introductions of `crates/` and `examples/`, and everything below `docs/`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![root.join("docs")];
    for folder in ["", "crates", "crates/examples", "examples"].map(|name| root.join(name)) {
        pages.extend(markdown_in(&folder, &mut Vec::new()));
    }
    while let Some(folder) = folders.pop() {
        pages.extend(markdown_in(&folder, &mut folders));
    }
    pages
}

/// Returns the Markdown files directly in `folder`, and appends its subfolders to `subfolders`.
fn markdown_in(folder: &Path, subfolders: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            subfolders.push(path);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    files
}

/// Returns `true` if `line` is a Markdown heading with the anchor `anchor`: its words in lower
/// case, joined by hyphens, without punctuation.
fn is_heading(line: &str, anchor: &str) -> bool {
    let words = line.trim_start_matches('#').trim().to_lowercase();
    let is_kept = |c: &char| c.is_alphanumeric() || ['-', '_', ' '].contains(c);
    let words: String = words.chars().filter(is_kept).collect();
    line.starts_with('#') && words.replace(' ', "-") == anchor
}

/// Returns the packages of a lock file with name and version.
fn locked(text: &str) -> HashSet<(&str, &str)> {
    let packages = text.split("[[package]]").skip(1);
    packages
        .filter_map(|package| {
            let mut quoted = package.split('"').skip(1).step_by(2);
            Some((quoted.next()?, quoted.next()?))
        })
        .collect()
}

#[test]
fn every_example_is_listed_with_the_workspace_versions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(list) = fs::read_to_string(root.join("crates/examples/README.md")) else {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    };
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
    let ours = locked(&lock);
    let mut examples = 0;
    for entry in fs::read_dir(root.join("crates/examples")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(lock) = fs::read_to_string(folder.join("Cargo.lock")) else {
            continue;
        };
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            list.contains(&format!("| [{name}]({name}) |")),
            "crates/examples/README.md does not list {name}"
        );
        // With equal versions, common dependencies are compiled once.
        let others = locked(&lock);
        let others: Vec<_> = others
            .difference(&ours)
            .filter(|(_, version)| *version != "0.0.0")
            .collect();
        assert!(others.is_empty(), "{name} locks other versions: {others:?}");
        examples += 1;
    }
    assert!(examples > 0);
}
