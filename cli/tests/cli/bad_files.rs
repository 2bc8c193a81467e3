//! Invalid input files: the error names the file and the problem, and nothing is written.

use crate::{
    samples::{ball, gzip, little_endian, nifti, nifti_of_type, npy, nrrd},
    support::{Folder, is_root},
};
use std::{fs, os::unix::fs::PermissionsExt};

/// Returns a folder in which `out.ply` exists already; it must survive.
fn folder_with(name: &str, content: &[u8]) -> Folder {
    let folder = Folder::new();
    folder.file("out.ply", "before").file(name, content);
    folder
}

/// Checks that `mesh` and `info` both reject the file with these facts.
#[track_caller]
fn refused(name: &str, content: &[u8], facts: &[&str]) {
    let folder = folder_with(name, content);
    let facts: Vec<&str> = [&[name], facts].concat();
    folder.refuses(&format!("mesh {name} --iso 50 -o out.ply"), &facts);
    folder.refuses(&format!("mesh {name} --iso 50 -o new.ply --json"), &facts);
    folder.refuses(&format!("render {name} --iso 50 -o new.png"), &facts);
    folder.refuses(&format!("info {name} --stats --json"), &facts);
}

fn ball_bytes() -> Vec<u8> {
    little_endian(&ball())
}

#[test]
fn truncated_files_are_rejected() {
    let whole = nifti(&ball(), [16, 16, 16]);
    refused(
        "ball.nii",
        &whole[..whole.len() - 100],
        &["16 x 16 x 16", "16384 bytes", "16284", "truncated"],
    );
    refused(
        "ball.nii",
        &whole[..200],
        &["header", "200 bytes", "truncated"],
    );
    let whole = npy("<f4", "(16, 16, 16)", &ball_bytes());
    refused(
        "ball.npy",
        &whole[..whole.len() - 1],
        &["16384 bytes", "16383", "truncated"],
    );
    let whole = nrrd("type: float\nsizes: 16 16 16\nencoding: raw", &ball_bytes());
    refused(
        "ball.nrrd",
        &whole[..whole.len() / 2],
        &["16384 bytes", "truncated"],
    );
    refused("empty.nii", b"", &["empty.nii"]);
}

#[test]
fn files_with_a_wrong_signature_are_rejected() {
    let garbage = vec![7; 1000];
    refused("ball.nii", &garbage, &["not a NIfTI file"]);
    refused("ball.nrrd", &garbage, &["not a NRRD file", "NRRD"]);
    refused("ball.npy", &garbage, &["not a npy file"]);
    refused("ball.xyz", &garbage, &["unknown format", ".nii.gz"]);
}

#[test]
fn dims_must_match_the_data() {
    let data = ball_bytes();
    refused(
        "ball.nrrd",
        &nrrd("type: float\nsizes: 16 16 17\nencoding: raw", &data),
        &["16 x 16 x 17", "17408"],
    );
    refused(
        "ball.nrrd",
        &nrrd("type: float\nsizes: 16 16 15\nencoding: raw", &data),
        &["16 x 16 x 15", "trailing"],
    );
    let folder = folder_with("ball.raw", &data);
    folder.refuses(
        "mesh ball.raw --dims 16x16x16 --type f64 --iso 50 -o out.ply",
        &["ball.raw", "32768", "16384"],
    );
    folder.refuses(
        "mesh ball.raw --dims 16x16x16 --type u8 --iso 50 -o out.ply",
        &["ball.raw", "4096", "16384"],
    );
    folder.refuses(
        "mesh ball.raw --dims 16x16x16 --type f32 --offset 4 --iso 50 -o out.ply",
        &["ball.raw", "16380"],
    );
    folder.refuses("mesh ball.raw --iso 50 -o out.ply", &["ball.raw", "dims"]);
}

#[test]
fn overflowing_dims_are_rejected() {
    let sizes = "sizes: 4294967296 4294967296 4294967296";
    refused(
        "ball.nrrd",
        &nrrd(&format!("type: float\n{sizes}\nencoding: raw"), b"x"),
        &["4294967296", "64 bits"],
    );
    refused(
        "ball.npy",
        &npy("<f4", "(4294967296, 4294967296, 4294967296)", b"x"),
        &["4294967296", "64 bits"],
    );
    let folder = folder_with("ball.raw", b"x");
    let dims = "4294967296x4294967296x4294967296";
    folder.refuses(
        &format!("mesh ball.raw --dims {dims} --type u8 --iso 50 -o out.ply"),
        &["ball.raw", "4294967296", "64 bits"],
    );
}

#[test]
fn huge_header_sizes_are_rejected_before_allocation() {
    let fields = "type: double\nsizes: 1000000 1000000 1000\nencoding: gzip";
    refused(
        "ball.nrrd",
        &nrrd(fields, &gzip(b"x")),
        &["1000000 x 1000000 x 1000"],
    );
}

#[test]
fn unsupported_types_and_encodings_are_rejected() {
    let pairs = nifti_of_type(&ball_bytes(), [16, 16, 8], 32, 64);
    let choose = ["2 components", "--component", "0 to 1"];
    refused("ball.nii", &pairs, &choose);
    refused(
        "ball.npy",
        &npy("<c8", "(16, 16, 8)", &ball_bytes()),
        &choose,
    );
    let data = ball_bytes();
    refused(
        "ball.nrrd",
        &nrrd("type: float\nsizes: 16 16 16\nencoding: lzma", &data),
        &["lzma", "not supported"],
    );
    refused(
        "ball.nrrd",
        &nrrd("type: block\nsizes: 16 16 16\nencoding: raw", &data),
        &["block", "not supported"],
    );
}

#[test]
fn truncated_gzip_is_rejected() {
    let whole = gzip(&nifti(&ball(), [16, 16, 16]));
    refused(
        "ball.nii.gz",
        &whole[..whole.len() - 20],
        &["gzip", "end early", "truncated"],
    );
    let data = gzip(&ball_bytes());
    let file = nrrd(
        "type: float\nsizes: 16 16 16\nencoding: gzip",
        &data[..data.len() / 2],
    );
    refused("ball.nrrd", &file, &["gzip", "end early"]);
}

#[test]
fn damaged_gzip_is_rejected() {
    let mut file = gzip(&nifti(&ball(), [16, 16, 16]));
    // The checksum.
    let at = file.len() - 8;
    file[at] ^= 1;
    refused("ball.nii.gz", &file, &["gzip", "fetch"]);
}

#[test]
fn missing_files_and_directories_are_rejected() {
    let folder = folder_with("ball.nii", b"");
    fs::create_dir(folder.path("folder.nii")).unwrap();
    folder.refuses(
        "mesh nothing.nii --iso 50 -o out.ply",
        &["nothing.nii", "no such file"],
    );
    folder.refuses("info nothing.nii", &["nothing.nii", "no such file"]);
    folder.refuses(
        "mesh folder.nii --iso 50 -o out.ply",
        &["folder.nii", "the folder holds no volume"],
    );
    folder.refuses("info folder.nii --json", &["the folder holds no volume"]);
}

#[test]
fn unreadable_file_is_rejected() {
    if is_root() {
        test_cases::report_skip(format_args!("root may read everything"));
        return;
    }
    let folder = folder_with("ball.nii", &nifti(&ball(), [16, 16, 16]));
    fs::set_permissions(folder.path("ball.nii"), fs::Permissions::from_mode(0o000)).unwrap();
    folder
        .run("info ball.nii")
        .refused(&["ball.nii", "permission denied"]);
}

#[test]
fn missing_data_file_is_rejected() {
    let header = b"NRRD0004\ntype: float\ndimension: 3\nsizes: 16 16 16\nencoding: raw\nendian: little\ndata file: gone.raw\n";
    refused("ball.nhdr", header, &["gone.raw", "no such file"]);
}

#[test]
fn masks_with_other_dims_are_rejected() {
    let folder = folder_with("ball.nii", &nifti(&ball(), [16, 16, 16]));
    folder.file("mask.npy", npy("|u1", "(2, 2, 2)", &[1; 8]));
    let facts = ["mask.npy", "2 x 2 x 2", "16 x 16 x 16", "same grid"];
    folder.refuses("mesh ball.nii --iso 50 --mask mask.npy -o out.ply", &facts);
    folder.refuses(
        "mesh ball.nii --iso 50 --mask gone.npy -o out.ply",
        &["gone.npy", "no such file"],
    );
}

/// A mask that was made for another scan, or whose header lost its position.
#[test]
fn masks_at_another_position_are_rejected() {
    let folder = folder_with("ball.nii", &nifti(&ball(), [16, 16, 16]));
    let placed = |directions: &str, origin: &str| {
        let space = "space: right-anterior-superior\nspace directions";
        nrrd(
            &format!(
                "type: uchar\nsizes: 16 16 16\nencoding: raw\n{space}: {directions}\nspace origin: {origin}"
            ),
            &[1; 4096],
        )
    };
    let straight = "(1,0,0) (0,1,0) (0,0,1)";
    let plain = "type: uchar\nsizes: 16 16 16\nencoding: raw";
    folder
        .file("same.nrrd", placed(straight, "(0,0.0001,0)"))
        .file("away.nrrd", placed(straight, "(0,-2.5,0)"))
        .file("wide.nrrd", placed("(2,0,0) (0,1,0) (0,0,1)", "(0,0,0)"))
        .file("silent.nrrd", nrrd(plain, &[1; 4096]))
        .file(
            "spaced.nrrd",
            nrrd(&format!("{plain}\nspacings: 2 1 1"), &[1; 4096]),
        )
        .file("mask.npy", npy("|u1", "(16, 16, 16)", &[1; 4096]));
    for memory in ["", "--memory 90K"] {
        let mesh = |mask: &str, more: &str| {
            format!("mesh ball.nii --iso 50 --mask {mask} -o out.ply --device cpu {memory} {more}")
        };
        let facts = ["away.nrrd", "elsewhere", "2.500 voxels", "same grid"];
        folder.refuses(&mesh("away.nrrd", ""), &facts);
        let facts = ["wide.nrrd", "elsewhere", "15.000 voxels"];
        folder.refuses(&mesh("wide.nrrd", ""), &facts);
        folder.run(&mesh("same.nrrd", "")).ok();
        // Properties that the mask's file does not state are taken from the volume, with a note.
        let run = folder.run(&mesh("silent.nrrd", "")).ok();
        let said =
            "silent.nrrd: the file states neither a spacing nor a position of its first sample";
        assert!(run.stderr.contains(said), "{}", run.stderr);
        folder.refuses(
            &mesh("spaced.nrrd", ""),
            &["spaced.nrrd", "elsewhere", "15.000 voxels"],
        );
        // Options for the volume do not apply to the mask.
        folder.run(&mesh("same.nrrd", "--origin 5,5,5")).ok();
        folder.run(&mesh("mask.npy", "--origin 5,5,5")).ok();
        fs::remove_file(folder.path("out.ply")).unwrap();
    }
}

#[test]
fn isovalues_must_be_finite() {
    let folder = folder_with("ball.nii", &nifti(&ball(), [16, 16, 16]));
    for iso in ["nan", "inf", "-inf", "1e300"] {
        let facts = ["ball.nii", "isovalue", "finite"];
        folder.refuses(&format!("mesh ball.nii --iso {iso} -o out.ply"), &facts);
        folder.refuses(&format!("render ball.nii --iso {iso} -o out.png"), &facts);
    }
}

#[test]
fn missing_devices_are_rejected() {
    let folder = folder_with("ball.nii", &nifti(&ball(), [16, 16, 16]));
    folder.refuses(
        "mesh ball.nii --iso 50 --device cuda:99 -o out.ply",
        &["cuda:99"],
    );
    folder.refuses(
        "render ball.nii --iso 50 --device cuda:99 -o out.png",
        &["cuda:99"],
    );
}

/// A sparse file of 4 GB under a limit of 2 GB: memory is reserved before it is used, and the
/// failure is reported.
#[test]
fn insufficient_memory_is_an_error() {
    let folder = folder_with("large.raw", b"");
    let file = fs::File::options()
        .write(true)
        .open(folder.path("large.raw"))
        .unwrap();
    if file.set_len(4_000_000_000).is_err() {
        test_cases::report_skip(format_args!("no sparse files here"));
        return;
    }
    let script = "ulimit -v 2000000; exec \"$FERROVOX\" render large.raw --dims 2000x2000x1000 --type u8 --iso 1 -o a.png";
    if let Some(run) = folder.shell(script) {
        run.refused(&["large.raw", "cannot allocate 4000000000 bytes of memory"]);
    }
}
