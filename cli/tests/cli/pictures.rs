//! The pictures of the documents are those that the commands in their captions draw.
//!
//! With `FERROVOX_SCREENSHOTS=FOLDER` in the environment they are written into that folder instead:
//! `FERROVOX_SCREENSHOTS=$PWD/docs/images cargo test -p ferrovox-cli --test cli pictures`.

use crate::{
    samples::{gzip, nrrd},
    support::{Folder, data},
};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// Maximum mean difference of channels, of 255: pictures of other devices and machines differ in
/// the last bit of trigonometric functions.
const MAX_DIFFERENCE: f64 = 1.0;

/// Maximum size of a picture in bytes.
const MAX_BYTES: usize = 260_000;

/// Pictures below `docs/images`, each with the page and the commands that make it; the last one
/// draws it, and is the caption.
const PICTURES: [(&str, &str, &[&str]); 6] = [
    (
        "brain.png",
        "docs/viewing.md",
        &[
            "render scan.nii.gz --iso 120 --occlusion 0.6 --scale-bar --orientation --size 560x420 -o brain.png",
        ],
    ),
    (
        "depth.png",
        "docs/viewing.md",
        &[
            "distance scan.nii.gz --iso 60 --smooth-volume 5 --signed -o depth.nii.gz",
            "render scan.nii.gz --iso 120 --largest --values depth.nii.gz --value-range=-12,2 --view left --scale-bar --size 560x420 -o depth.png",
        ],
    ),
    (
        "montage.png",
        "docs/viewing.md",
        &["slices scan.nii.gz --iso 120 --overlay lobes.nii.gz --width 800 -o montage.png"],
    ),
    (
        "tutorials/labels.png",
        "docs/tutorials.md",
        &["render atlas.nii.gz --labels --size 360x300 -o labels.png"],
    ),
    (
        "tutorials/vessels.png",
        "docs/tutorials.md",
        &[
            "skeleton vessels.nrrd --largest --fill-cavities --png vessels.png --tubes --size 400x300",
        ],
    ),
    (
        "tutorials/part.png",
        "docs/tutorials.md",
        &[
            "voxelize part.stl --resolution 60 -o part.nrrd",
            "skeleton part.nrrd -o part.swc",
            "render part.stl part.swc --scale-bar --orientation --size 400x300 -o part.png",
        ],
    ),
];

/// Returns eight labels in the octants of the brain of a NIfTI file of bytes.
fn lobes(scan: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(scan);
    decoder.read_to_end(&mut file).unwrap();
    let dim = |axis: usize| {
        usize::from(u16::from_le_bytes([
            file[42 + 2 * axis],
            file[43 + 2 * axis],
        ]))
    };
    let dims = [0, 1, 2].map(dim);
    for (at, sample) in file[352..].iter_mut().enumerate() {
        let voxel = [
            at % dims[0],
            at / dims[0] % dims[1],
            at / (dims[0] * dims[1]),
        ];
        let is_upper = |axis: usize| u8::from(voxel[axis] > dims[axis] / 2);
        let octant = 1 + is_upper(0) + 2 * is_upper(1) + 4 * is_upper(2);
        *sample = if *sample >= 90 { octant } else { 0 };
    }
    gzip(&file)
}

/// Returns a tree of vessels in 96³ voxels: capsules between points with radii.
fn vessels() -> Vec<u8> {
    const SIDE: usize = 96;
    let branches: [([f64; 4], [f64; 4]); 9] = [
        ([48.0, 48.0, 4.0, 7.0], [46.0, 50.0, 34.0, 6.0]),
        ([46.0, 50.0, 34.0, 6.0], [28.0, 42.0, 58.0, 4.5]),
        ([46.0, 50.0, 34.0, 6.0], [64.0, 56.0, 56.0, 5.0]),
        ([28.0, 42.0, 58.0, 4.5], [12.0, 52.0, 84.0, 2.5]),
        ([28.0, 42.0, 58.0, 4.5], [34.0, 24.0, 82.0, 2.5]),
        ([64.0, 56.0, 56.0, 5.0], [58.0, 74.0, 78.0, 3.0]),
        ([64.0, 56.0, 56.0, 5.0], [84.0, 44.0, 70.0, 3.5]),
        ([84.0, 44.0, 70.0, 3.5], [88.0, 30.0, 90.0, 2.0]),
        ([58.0, 74.0, 78.0, 3.0], [52.0, 88.0, 90.0, 2.0]),
    ];
    let is_inside = |point: [f64; 3]| {
        branches.iter().any(|(from, to)| {
            let along = [0, 1, 2].map(|k| to[k] - from[k]);
            let offset = [0, 1, 2].map(|k| point[k] - from[k]);
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let part = (dot(along, offset) / dot(along, along)).clamp(0.0, 1.0);
            let away = [0, 1, 2].map(|k| offset[k] - part * along[k]);
            dot(away, away).sqrt() < from[3] + part * (to[3] - from[3])
        })
    };
    let voxel = |at: usize| [at % SIDE, at / SIDE % SIDE, at / (SIDE * SIDE)].map(|k| k as f64);
    let samples: Vec<u8> = (0..SIDE * SIDE * SIDE)
        .map(|at| u8::from(is_inside(voxel(at))))
        .collect();
    nrrd("type: uint8\nsizes: 96 96 96\nencoding: raw", &samples)
}

/// Returns an angle bracket as a text STL.
fn bracket() -> String {
    const OUTLINE: [[f64; 2]; 6] = [
        [0.0, 0.0],
        [6.0, 0.0],
        [6.0, 2.0],
        [2.0, 2.0],
        [2.0, 5.0],
        [0.0, 5.0],
    ];
    // fans around the corner in the middle
    let fan = [[3, 4, 5], [3, 5, 0], [3, 0, 1], [3, 1, 2]];
    let corner = |k: usize, y: f64| [OUTLINE[k][0], y, OUTLINE[k][1]];
    let mut triangles = Vec::new();
    for [a, b, c] in fan {
        triangles.push([corner(a, 0.0), corner(b, 0.0), corner(c, 0.0)]);
        triangles.push([corner(a, 3.0), corner(c, 3.0), corner(b, 3.0)]);
    }
    for k in 0..6 {
        let next = (k + 1) % 6;
        let [a, b] = [k, next].map(|k| corner(k, 0.0));
        let [c, d] = [next, k].map(|k| corner(k, 3.0));
        triangles.extend([[a, c, b], [a, d, c]]);
    }
    let mut stl = "solid bracket\n".to_owned();
    for triangle in triangles {
        stl += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in triangle {
            stl += &format!("vertex {x} {y} {z}\n");
        }
        stl += "endloop\nendfacet\n";
    }
    stl + "endsolid bracket\n"
}

/// Decodes a PNG file into its size and channels.
fn decode(path: &Path) -> ([u32; 2], Vec<u8>) {
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    // pictures of documents have palettes
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let channels = info.color_type.samples();
    assert!(channels >= 3, "{}: {:?}", path.display(), info.color_type);
    let pixels = bytes.chunks_exact(channels);
    let colours = pixels.flat_map(|pixel| pixel[..3].to_vec()).collect();
    ([info.width, info.height], colours)
}

#[test]
fn pictures_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !root.join("ARCHITECTURE.md").is_file() {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    }
    let folder = Folder::new();
    let scan = fs::read(data("mni152_t1_1mm.nii.gz")).unwrap();
    let labels = lobes(&scan);
    folder.file("lobes.nii.gz", &labels);
    folder.file("atlas.nii.gz", &labels);
    folder.file("scan.nii.gz", &scan);
    folder.file("vessels.nrrd", vessels());
    folder.file("part.stl", bracket());
    let target = std::env::var_os("FERROVOX_SCREENSHOTS").map(PathBuf::from);
    for (name, page, commands) in PICTURES {
        for command in commands {
            let device = if command.starts_with("slices") {
                ""
            } else {
                "--device cpu"
            };
            folder.run(&format!("{command} {device}")).ok();
        }
        let caption = format!("`ferrovox {}`", commands.last().unwrap());
        // captions are wrapped
        let text = fs::read_to_string(root.join(page)).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(&caption), "{page} lacks {caption}");
        let drawn = folder.path(name.rsplit('/').next().unwrap());
        if let Some(target) = &target {
            let copy = target.join(name);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(&drawn, copy).unwrap();
            continue;
        }
        let shown = root.join("docs/images").join(name);
        let [(size, pixels), (shown_size, shown_pixels)] = [&drawn, &shown].map(|it| decode(it));
        assert_eq!(size, shown_size, "{name}");
        let difference: u64 = (pixels.iter().zip(&shown_pixels))
            .map(|(a, b)| u64::from(a.abs_diff(*b)))
            .sum();
        let mean = difference as f64 / pixels.len() as f64;
        println!("{name}: mean difference {mean:.3} of 255");
        assert!(
            mean < MAX_DIFFERENCE,
            "{name} is not current: {mean}; see the top of this file"
        );
        let bytes = fs::metadata(&shown).unwrap().len() as usize;
        assert!(bytes < MAX_BYTES, "{name}: {bytes} bytes");
    }
}
