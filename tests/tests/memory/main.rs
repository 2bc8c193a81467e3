//! Every pipeline with each of its allocations refused once: of 64 KiB or more, in skeletons of 4
//! KiB or more. The job must continue with a smaller plan and produce the same files, or fail with
//! an error about memory and leave no files. After the first seven allocations of a pipeline only
//! every eighth is refused, unless the tests run as `cargo xtask test --all`.
//!
//! With `FERROVOX_PRINT_ALLOCATIONS` in the environment nothing is refused, and the locations of
//! the allocations are printed. `FERROVOX_ONLY` selects pipelines by a part of their names.

mod allocator;
mod distances;
mod folder;
mod meshes;
mod pictures;
mod refusal;
mod skeletons;

use ferrovox::{
    device::Device,
    monitor::Monitor,
    pipeline::{
        info::{self, InfoJob},
        voxelize::{self, VoxelizeJob},
    },
    voxelize::VoxelizeParams,
};
use folder::{Folder, solid};
use meshes::{mesh_job, run_mesh};
use refusal::refuse_each;

/// Test of a pipeline in a folder.
type MemoryTest = fn(&Folder);

#[test]
fn out_of_memory_is_an_error() {
    if !allocator::has_debug_locations() {
        test_cases::report_skip(format_args!(
            "without debug information, the owner of an allocation is unknown"
        ));
        return;
    }
    let only = std::env::var("FERROVOX_ONLY").unwrap_or_default();
    let tests: [(&str, MemoryTest); 12] = [
        ("info", info_of_a_volume),
        ("mesh", meshes::in_core),
        ("filtered", meshes::filtered),
        ("labels", meshes::label_surfaces),
        ("streamed", meshes::streamed),
        ("distance", distances::distances),
        ("voxelize", voxels_of_a_mesh),
        ("render", pictures::surface),
        ("scene", pictures::scene),
        ("slices", pictures::planes),
        ("view", pictures::page),
        ("skeletons", skeletons::skeletons),
    ];
    // sequentially: the allocator belongs to the process
    for (_, test) in tests.iter().filter(|(name, _)| name.contains(&only)) {
        test(&Folder::new());
    }
}

fn info_of_a_volume(folder: &Folder) {
    let source = folder.volume("a.npy", solid);
    refuse_each("info", folder, || {
        let job = InfoJob {
            source: source.clone(),
            statistics: true,
            ..InfoJob::default()
        };
        info::run(&job, &Monitor::new()).map(|_| ())
    });
}

fn voxels_of_a_mesh(folder: &Folder) {
    let floats = folder.volume("floats.npy", |x, y, z| solid(x, y, z) as f32);
    for name in ["a.ply", "a.stl", "a.obj"] {
        run_mesh(&mesh_job(floats.clone(), &folder.path(name))).unwrap();
        let job = VoxelizeJob {
            like: None,
            rule: voxelize::InsideRule::Parity,
            signed_distance: false,
            filter: ferrovox::pipeline::ObjectFilter::default(),
            mesh: folder.path(name),
            params: VoxelizeParams::with_resolution(84),
            output: Some(folder.path("out.npy")),
            device: Device::cpu(),
        };
        refuse_each("voxelize", folder, || {
            voxelize::run(&job, &Monitor::new()).map(|_| ())
        });
    }
}
