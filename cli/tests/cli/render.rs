//! `ferrovox render` and `ferrovox slices`.

use crate::{
    samples::{ball, nifti},
    support::Folder,
    view::ball_mesh,
};
use std::fs;

/// Decoded picture.
struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// Decodes a PNG file.
    fn read(folder: &Folder, name: &str) -> Self {
        let file = std::io::BufReader::new(fs::File::open(folder.path(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let (rgba, _) = bytes.as_chunks::<4>();
        Self {
            width: info.width as usize,
            height: info.height as usize,
            rgba: rgba.to_vec(),
        }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.rgba[y * self.width + x]
    }

    /// Returns the first and the last row with a pixel that is not white, and the same of columns,
    /// within a range of columns.
    fn silhouette(&self, columns: std::ops::Range<usize>) -> [[usize; 2]; 2] {
        let mut found = [[usize::MAX, 0]; 2];
        for y in 0..self.height {
            for x in columns.clone() {
                if self.at(x, y)[..3] != [255; 3] {
                    for (range, position) in found.iter_mut().zip([y, x]) {
                        *range = [range[0].min(position), range[1].max(position)];
                    }
                }
            }
        }
        found
    }

    /// Returns the number of pixels for which `is_counted` is true.
    fn count(&self, is_counted: impl Fn([u8; 4]) -> bool) -> usize {
        self.rgba.iter().filter(|pixel| is_counted(**pixel)).count()
    }
}

/// Returns the labels 3 and 7 in the halves of a ball, for x below and above the middle.
fn two_labels() -> Vec<f32> {
    let label = |(at, &value): (usize, &f32)| match (value > 50.0, at % 16 < 8) {
        (true, true) => 3.0,
        (true, false) => 7.0,
        (false, _) => 0.0,
    };
    ball().iter().enumerate().map(label).collect()
}

/// Runs a command whose options are invalid.
#[track_caller]
fn refuses_usage(folder: &Folder, line: &str, fact: &str) {
    let before = folder.content();
    let run = folder.run(line);
    assert_eq!(run.status, Some(2), "{line}: {}", run.stderr);
    assert!(run.stderr.contains(fact), "{line}: {}", run.stderr);
    assert_eq!(folder.content(), before, "{line}");
}

#[test]
fn object_fills_the_height_of_the_picture() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder.file("labels.nii", nifti(&two_labels(), [16, 16, 16]));
    folder.file("ball.obj", ball_mesh());
    folder.file(
        "tree.swc",
        "1 2 8 8 1 1 -1\n2 2 8 8 15 2 1\n3 2 11 8 8 0.5 1\n",
    );
    for line in [
        "ball.nii --iso 50",
        "ball.nii --iso 50 --view top",
        "ball.nii --iso 50 --scale-bar --orientation",
        "ball.nii --iso=30,60 --opacity 0.4,1 --scale-bar",
        "ball.obj --view left --scale-bar --orientation",
        "labels.nii --labels --scale-bar",
        "ball.obj --values ball.nii --scale-bar --orientation",
        "tree.swc --tubes --view front --scale-bar --orientation",
        "ball.nii tree.swc --iso 50 --scale-bar --orientation",
    ] {
        folder
            .run(&format!(
                "render {line} -o out.png --size 400x300 --device cpu"
            ))
            .ok();
        let pixels = Pixels::read(&folder, "out.png");
        // without the scale bar, the directions and the colour bar
        let [[top, bottom], _] = pixels.silhouette(130..230);
        let filled = (bottom + 1 - top) as f64 / pixels.height as f64;
        assert!((0.85..1.0).contains(&filled), "{line}: {filled}");
    }
}

#[test]
fn labels_have_the_colours_of_the_table() {
    let folder = Folder::new();
    folder.file("labels.nii", nifti(&two_labels(), [16, 16, 16]));
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder.file("names.txt", "3 left 220 20 30 0\n7 right 20 40 220 0\n");
    let is_red = |[r, _, b, _]: [u8; 4]| r > b.saturating_add(60);
    let is_blue = |[r, _, b, _]: [u8; 4]| b > r.saturating_add(60);
    let draw = |options: &str| {
        let line = format!("render {options} --label-table names.txt --view front -o out.png");
        let line = format!("{line} --size 80x60 --device cpu --json");
        let report = folder.run(&line).ok().json();
        (report, Pixels::read(&folder, "out.png"))
    };
    let (report, pixels) = draw("labels.nii --labels");
    let objects = report["objects"].as_array().unwrap();
    assert_eq!(objects[0]["name"], "3 left");
    assert_eq!(objects[1]["kind"], "label");
    assert_eq!(report["iso"], serde_json::Value::Null);
    // viewed from the front, +x is at the left
    assert!(is_red(pixels.at(55, 30)) && is_blue(pixels.at(25, 30)));
    let (_, one) = draw("labels.nii --labels=7");
    assert_eq!(one.count(is_red), 0);
    assert!(one.count(is_blue) > 500);
    let (report, _) = draw("ball.nii --iso 20 --overlay labels.nii --opacity 0.2,1");
    assert_eq!(report["objects"].as_array().map(Vec::len), Some(3));
}

#[test]
fn surfaces_have_their_colours_and_opacities() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let draw = |options: &str| {
        let line = format!("render ball.nii --iso=20,70 {options} -o out.png --size 80x60");
        folder.run(&format!("{line} --device cpu")).ok();
        Pixels::read(&folder, "out.png").at(40, 30)
    };
    let opaque = draw("--surface-colours red,#0000ff");
    assert!(opaque[0] > opaque[2], "{opaque:?}");
    let clear = draw("--surface-colours red,#0000ff --opacity 0.1,1");
    assert!(clear[2] > clear[0], "{clear:?}");
    for (options, fact) in [
        (
            "--opacity 1,1,1",
            "--opacity has 3 values, and there are 2 surfaces",
        ),
        ("--surface-colours a", "olive"),
        ("--opacity 2", "0 to 1"),
    ] {
        let line = format!("render ball.nii --iso=20,70 {options} -o new.png");
        refuses_usage(&folder, &line, fact);
    }
}

#[test]
fn skeletons_are_coloured_by_radius_with_a_colour_bar() {
    let folder = Folder::new();
    folder.file("bar.swc", "1 2 0 0 0 1 -1\n2 2 20 0 0 3 1\n");
    let draw = |options: &str| {
        let line = format!("render bar.swc --view front {options} -o out.png --size 400x200");
        folder.run(&format!("{line} --device cpu")).ok();
        Pixels::read(&folder, "out.png")
    };
    let dark_blue = |[r, g, b, _]: [u8; 4]| r < 60 && g < 40 && b > 90;
    let orange = |[r, g, b, _]: [u8; 4]| r > 200 && g > 100 && b < 110;
    let pixels = draw("--tubes --unit mm");
    for (name, count) in [
        ("thin", pixels.count(dark_blue)),
        ("thick", pixels.count(orange)),
    ] {
        assert!(count > 100, "{name}: {count}");
    }
    // the thin end is at the left when viewed from the front, where +x is left
    let [rows, _] = pixels.silhouette(20..40);
    let [thin, _] = pixels.silhouette(270..290);
    assert!(
        rows[1] - rows[0] > 2 * (thin[1] - thin[0]),
        "{rows:?} {thin:?}"
    );
    // the colour bar states the unit
    assert_ne!(draw("--unit mm").rgba, draw("--unit um").rgba);
    let clear = draw("--transparent");
    assert_eq!(clear.at(2, 2)[3], 0);
    assert!(clear.count(|[.., alpha]| alpha == 255) > 300);
}

#[test]
fn surfaces_are_coloured_by_values() {
    let folder = Folder::new();
    let ramp: Vec<f32> = (0..16 * 16 * 16).map(|at| (at % 16) as f32).collect();
    folder.file("ramp.nii", nifti(&ramp, [16, 16, 16]));
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let run = |options: &str| {
        let line = format!("render ball.nii --iso 50 --values ramp.nii --view front {options}");
        folder
            .run(&format!("{line} -o out.png --json --device cpu"))
            .ok()
            .json()
    };
    let report = run("--size 120x90");
    let range = |at: usize| report["value_range"][at].as_f64().unwrap();
    assert!(
        (range(0) - 2.5).abs() < 0.1 && (range(1) - 12.5).abs() < 0.1,
        "{report}"
    );
    let pixels = Pixels::read(&folder, "out.png");
    let [left, right] = [pixels.at(25, 45), pixels.at(95, 45)];
    // yellow at the largest x, at the left, and violet at the smallest
    assert!(left[1] > left[2].saturating_add(60), "{left:?}");
    assert!(right[2] > right[1], "{right:?}");
    let report = run("--size 200x180 --value-range=-100,100");
    assert_eq!(report["value_range"], serde_json::json!([-100.0, 100.0]));
}

#[test]
fn turntable_is_an_animation() {
    let folder = Folder::new();
    folder.file("bar.swc", "1 2 0 0 0 1 -1\n2 2 20 0 0 1 1\n");
    folder
        .run("render bar.swc --tubes --turntable 4 -o out.png --size 120x90 --device cpu")
        .ok();
    let file = std::io::BufReader::new(fs::File::open(folder.path("out.png")).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let control = reader.info().animation_control.unwrap();
    assert_eq!((control.num_frames, control.num_plays), (4, 0));
    let mut pictures = Vec::new();
    for _ in 0..4 {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        pictures.push(bytes);
    }
    assert_ne!(pictures[0], pictures[1]);
    // half a turn shows the other side of the bar
    let covered = |picture: &[u8]| picture.chunks(4).filter(|it| it[..3] != [255; 3]).count();
    let counts: Vec<usize> = pictures.iter().map(|it| covered(it)).collect();
    assert!(counts[0].abs_diff(counts[2]) < 40, "{counts:?}");
    refuses_usage(
        &folder,
        "render bar.swc --turntable 1 -o new.png",
        "2..=360",
    );
}

#[test]
fn several_files_are_one_picture_unless_the_name_has_a_placeholder() {
    let folder = Folder::new();
    folder.file("a.nii", nifti(&ball(), [16, 16, 16]));
    folder.file("b.obj", ball_mesh());
    let report = folder
        .run("render a.nii b.obj --iso 50 -o both.png --size 40x30 --json --device cpu")
        .ok()
        .json();
    assert_eq!(report["inputs"], serde_json::json!(["a.nii", "b.obj"]));
    assert_eq!(report["objects"].as_array().map(Vec::len), Some(2));
    folder.file("c.nii", nifti(&ball(), [16, 16, 16]));
    folder
        .run("render a.nii c.nii --iso 40,50 -o {stem}-{iso}.png --size 40x30 --device cpu")
        .ok();
    for name in ["a-40.png", "a-50.png", "c-40.png", "c-50.png"] {
        assert_eq!(Pixels::read(&folder, name).width, 40);
    }
    folder.refuses("render missing.ply -o new.png", &["missing.ply"]);
    refuses_usage(
        &folder,
        "render a.nii -o new.png",
        "--iso, --label or --labels",
    );
    refuses_usage(
        &folder,
        "render a.nii --labels --iso 5 -o new.png",
        "--overlay",
    );
}

/// Returns the width and the height of a PNG, from its first chunk.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(bytes[12..16], *b"IHDR");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn empty_picture_gives_a_warning() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let run = |iso: &str| {
        folder
            .run(&format!(
                "render ball.nii --iso {iso} -o out.png --size 40x30"
            ))
            .ok()
    };
    assert_eq!(run("50").stderr, "");
    let (told, mesh) = (
        run("1000").stderr,
        folder
            .run("mesh ball.nii --iso 1000 -o out.ply")
            .ok()
            .stderr,
    );
    assert!(
        told.contains("none of them is on the other side of 1000"),
        "{told}"
    );
    assert_eq!(
        told,
        mesh.replace("the mesh is empty", "the picture is empty")
    );
}

#[test]
fn pictures_have_the_requested_size_and_are_not_empty() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
        .run("render ball.nii --iso 50 -o ball.png --size 120x90")
        .ok();
    let with_ball = fs::read(folder.path("ball.png")).unwrap();
    assert_eq!(png_size(&with_ball), (120, 90));
    folder
        .run("render ball.nii --iso 1000 -o empty.png --size 120x90")
        .ok();
    let without = fs::read(folder.path("empty.png")).unwrap();
    assert!(
        with_ball.len() > 2 * without.len(),
        "{} and {} bytes",
        with_ball.len(),
        without.len()
    );
    for view in ["top", "-30,-20"] {
        folder
            .run(&format!(
                "render ball.nii --iso 50 -o view.png --view {view} --size 40x40"
            ))
            .ok();
        assert_eq!(
            png_size(&fs::read(folder.path("view.png")).unwrap()),
            (40, 40)
        );
    }
}

#[test]
fn slices_have_the_requested_width_and_show_labels() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let labels: Vec<f32> = ball()
        .iter()
        .map(|&it| f32::from(u8::from(it > 50.0)))
        .collect();
    folder.file("labels.nii", nifti(&labels, [16, 16, 16]));
    let draw = |options: &str, name: &str| {
        let line =
            format!("slices ball.nii --iso 50 {options} -o {name} --width 400 --planes 3 --json");
        let report = folder.run(&line).ok().json();
        assert_eq!(report["planes"], 3);
        let bytes = fs::read(folder.path(name)).unwrap();
        let size = png_size(&bytes);
        assert_eq!(
            [size.0, size.1].map(u64::from),
            ["width", "height"].map(|key| report[key].as_u64().unwrap())
        );
        assert_eq!(size.0, 400);
        bytes
    };
    let (plain, labelled) = (
        draw("", "plain.png"),
        draw("--overlay labels.nii", "labels.png"),
    );
    assert_ne!(plain, labelled);
    folder
        .run("slices missing.nii -o out.png")
        .refused(&["missing.nii"]);
}

#[test]
fn transparency_and_occlusion_change_the_picture() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let draw = |options: &str| {
        folder
            .run(&format!(
                "render ball.nii --iso 50 -o out.png --size 60x40 {options}"
            ))
            .ok();
        fs::read(folder.path("out.png")).unwrap()
    };
    assert_ne!(draw(""), draw("--transparent"));
    let run = folder.run("render ball.nii --iso 50 -o out.png --occlusion 2");
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("0 to 1"), "{}", run.stderr);
}
