//! `FERROVOX_BLOCK`: the files do not depend on the block size.

use crate::{
    samples::npy,
    support::{Folder, Run},
};
use std::process::Command;

const MESH: [&str; 10] = [
    "mesh",
    "ramp.npy",
    "--iso",
    "3.5",
    "--close",
    "-o",
    "a.ply",
    "--normals",
    "--device",
    "cpu",
];

fn folder() -> Folder {
    let folder = Folder::new();
    let samples: Vec<f32> = (0..9 * 7 * 5).map(|i| ((i * 37) % 11) as f32).collect();
    let data: Vec<u8> = samples.iter().flat_map(|x| x.to_le_bytes()).collect();
    folder.file("ramp.npy", npy("<f4", "(5, 7, 9)", &data));
    folder
}

fn run(folder: &Folder, block: Option<&str>) -> Run {
    let mut command: Command = folder.command(&MESH);
    command.env_remove("FERROVOX_BLOCK");
    if let Some(block) = block {
        command.env("FERROVOX_BLOCK", block);
    }
    Run::finish(&mut command)
}

#[test]
fn mesh_does_not_depend_on_the_block_size() {
    let folder = folder();
    run(&folder, None).ok();
    let expected = folder.content();
    for block in ["1", "33", "256", "1024"] {
        run(&folder, Some(block)).ok();
        assert!(folder.content() == expected, "blocks of {block}");
    }
}

#[test]
fn invalid_block_sizes_are_rejected() {
    let folder = folder();
    let before = folder.content();
    for (block, facts) in [
        ("0", &["0 threads", "1 to 1024"][..]),
        ("1025", &["1025", "1024"]),
        ("many", &["FERROVOX_BLOCK", "many", "1 to 1024"]),
        ("", &["FERROVOX_BLOCK"]),
        ("-1", &["FERROVOX_BLOCK", "-1"]),
    ] {
        run(&folder, Some(block)).refused(facts);
    }
    assert_eq!(folder.content(), before);
}
