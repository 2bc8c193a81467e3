//! Invalid command lines end with status 2; help and version do not open a device.

use crate::support::{Folder, binary};
use std::{
    process::Command,
    time::{Duration, Instant},
};

#[test]
fn invalid_command_lines_end_with_status_2() {
    let folder = Folder::new();
    for args in [
        "",
        "frobnicate",
        "mesh",
        "mesh a.nii -o out.ply",
        "mesh a.nii --iso 50",
        "mesh a.nii --iso abc -o out.ply",
        "mesh a.nii --iso 50 -o out.ply --inside sideways",
        "mesh a.nii --iso 50 -o out.ply --method magic",
        "mesh a.nii --iso 50 -o out.ply --device gpu",
        "mesh a.nii --iso 50 -o out.ply --device cpu,1",
        "mesh a.nii --iso 50 -o out.ply --device cpu,cpu --method staged",
        "mesh a.nii --iso 50 -o out.ply --memory 1G --method staged",
        "mesh a.nii --iso 50 -o out.ply --memory lots",
        "mesh a.nii --iso 50 -o out.ply --memory -1",
        "mesh a.raw --iso 50 -o out.ply --dims 4x4x4",
        "mesh a.raw --iso 50 -o out.ply --type u8",
        "mesh a.raw --iso 50 -o out.ply --dims 4x4 --type u8",
        "mesh a.raw --iso 50 -o out.ply --dims 4x4x4 --type u7",
        "mesh a.raw --iso 50 -o out.ply --endian big",
        "mesh a.nii --iso 50 -o out.ply --spacing 1,1",
        "render a.nii --iso 50 -o out.png --size 0x600",
        "render a.nii --iso 50 -o out.png --size 100000x10",
        "render a.nii --iso 50 -o out.png --view sideways",
        "distance a.nii",
        "distance a.nii --nonzero",
        "distance a.nii -o d.nii",
        "distance a.nii --nonzero --level 5 -o d.nii",
        "distance a.nii --nonzero --sub-voxel -o d.nii",
        "distance a.nii --level x -o d.nii",
        "distance a.nii --nonzero --spacing wide -o d.nii",
        "distance a.nii --nonzero --max-distance far -o d.nii",
        "distance a.nii --nonzero --dtype u8 -o d.nii",
        "distance a.nii --nonzero --dtype u16 --signed -o d.nii",
        "distance a.nii --level 5 --sub-voxel --dtype u16 -o d.nii",
        "distance a.nii --nonzero --slice z=3 -o d.nii",
        "distance a.nii --nonzero --slice 3 --png d.png -o d.nii",
        "distance a.nii --nonzero --png d.png -o d.nii",
        "distance a.nii --nonzero --slice z=3 --png d.png --size 0 -o d.nii",
        "distance a.nii --nonzero --method magic -o d.nii",
        "distance a.nii --nonzero --like b.nii -o d.nii",
        "distance a.nii --nonzero --strict -o d.nii",
        "distance a.nii --nonzero --compare d -o d.nii",
        "distance a.xyz --points -o d.nii",
        "distance a.xyz --points --grid 4x4 -o d.nii",
        "distance a.xyz --points --grid 4x4x4 --like b.nii -o d.nii",
        "distance a.xyz --points --grid 4x4x4 --signed -o d.nii",
        "skeleton a.nii",
        "skeleton a.nii --threshold 5",
        "skeleton a.nii --threshold 5 --label 3 -o a.swc",
        "skeleton a.nii --levels 3 -o a.swc",
        "skeleton a.nii --levels 2 --divergence 0.1 -o a.swc",
        "skeleton a.nii --exponent 4 -o a.swc",
        "skeleton a.nii --levels 1 --divergence 0.2 -o a.swc",
        "skeleton a.nii --method potential-field --hierarchy core --significance 1 -o a.swc",
        "skeleton a.nii --surface corners -o a.swc",
        "skeleton a.nii --precision f32 -o a.swc",
        "skeleton a.nii --boundary mean -o a.swc",
        "skeleton a.nii --variant tuned -o a.swc",
        "skeleton a.nii --field f.npy",
        "skeleton a.nii --levels core --scale 2 -o a.swc",
        "skeleton a.nii --levels 0 --const 2 -o a.swc",
        "skeleton a.nii --levels core --dust 2 -o a.swc",
        "skeleton a.nii --levels core --fill-tunnels 1 -o a.swc",
        "skeleton a.nii --fill-tunnels 1.5 -o a.swc",
        "skeleton a.nii --levels core --labels all -o a.swc",
        "skeleton a.nii --levels core --require-certified -o a.swc",
        "skeleton a.nii --labels all --label 3 -o a.swc",
        "skeleton a.nii --labels 3 --iso 3 -o a.swc",
        "skeleton a.nii --labels all --fill-cavities -o a.swc",
        "skeleton a.nii --labels 0 -o a.swc",
        "skeleton a.nii --labels 1.5 -o a.swc",
        "skeleton a.nii --dust -1 -o a.swc",
        "skeleton a.nii --scale wide -o a.swc",
        "skeleton a.nii --precision f16 -o a.swc",
        "skeleton a.nii --boundary none -o a.swc",
        "skeleton a.nii --variant fast -o a.swc",
        "skeleton a.nii --prune much -o a.swc",
        "skeleton a.nii --exponent x -o a.swc",
        "skeleton a.nii --size 0x5 -o a.swc",
        "voxelize a.ply -o a.nii",
        "voxelize a.ply --resolution 0x5 -o a.nii",
        "voxelize a.ply --resolution -3 -o a.nii",
        "voxelize a.ply --resolution 5 --spacing 1 -o a.nii",
        "voxelize a.ply --spacing wide -o a.nii",
        "voxelize a.ply --resolution 5",
        "info",
        "devices --iso 5",
        "occupancy",
        "occupancy --cc 9.0",
        "occupancy --cc nine --regs 32",
        "occupancy --cc 9.0 --device H100 --regs 32",
        "occupancy --cc 9.0 --regs -1",
        "occupancy --cc 9.0 --regs 32 --step 1",
        "occupancy --cc 9.0 --regs 32 --all-blocks --step 0",
        "occupancy --cc 9.0 --regs 32 --carveout much",
        "occupancy --cc 9.0 --regs 32 --model other",
        "occupancy --cc 9.0 --regs 32 --over threads",
    ] {
        let run = folder.run(args);
        assert_eq!(run.status, Some(2), "{args}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args}");
        assert!(!run.stderr.is_empty(), "{args}");
    }
    assert!(folder.content().is_empty());
}

#[test]
fn every_command_has_help() {
    let folder = Folder::new();
    for command in [
        "",
        "devices",
        "info",
        "mesh",
        "distance",
        "skeleton",
        "voxelize",
        "render",
        "slices",
        "view",
        "occupancy",
        "demo",
        "completions",
        "man-pages",
    ] {
        let long = folder.run(&format!("{command} --help")).ok().stdout;
        let short = folder.run(&format!("{command} -h")).ok().stdout;
        for text in [&long, &short] {
            assert!(text.contains("Usage: ferrovox"), "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 110),
                "{text}"
            );
        }
        assert!(short.lines().count() <= 60, "{short}");
        assert!(short.len() <= long.len(), "{command}");
    }
}

#[test]
fn usage_lines_name_the_required_output() {
    let folder = Folder::new();
    for command in ["mesh", "distance", "skeleton", "voxelize", "render"] {
        let help = folder.run(&format!("{command} --help")).ok().stdout;
        let usage = help
            .lines()
            .find(|line| line.starts_with("Usage: "))
            .unwrap();
        assert!(
            usage.contains("-o <FILE") || usage.contains("--output <FILE"),
            "{usage}"
        );
    }
}

/// The limit is 20 ms for the fastest of several runs, because a test machine is busy.
#[test]
fn version_is_printed_within_20_ms() {
    let time = |_| {
        let start = Instant::now();
        let output = Command::new(binary()).arg("--version").output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            format!("ferrovox {}\n", env!("CARGO_PKG_VERSION"))
        );
        start.elapsed()
    };
    let fastest = (0..20).map(time).min().unwrap();
    assert!(fastest < Duration::from_millis(20), "{fastest:?}");
}
