//! Every pipeline with each of its allocations refused once: of 64 KiB or more, in skeletons of 4
//! KiB or more. The job must continue with a smaller plan and produce the same files, or fail with
//! an error about memory and leave no files. After the first seven allocations of a pipeline only
//! every eighth is refused, unless the tests run as `cargo xtask test --all`.
//!
//! With `FERROVOX_PLACES` in the environment nothing is refused, and the locations of the
//! allocations are printed.

mod allocator;

use allocator::{MIN_BYTES, SHOW_LOCATIONS, was_refused, with_refused_allocation};
use ferrovox::{
    device::{Device, start_threads},
    grid::{Geometry, Inside, Volume},
    io::{VolumeWriteOptions, write_volume},
    isosurface::NormalSource,
    mesh_filter::{ComponentFilter, SimplifyTarget, SmoothParams},
    monitor::Monitor,
    pipeline::{
        Level, PipelineError, VolumeSource,
        distance::{self, DistanceJob, Plane, PlanePicture, PointGrid, SitesFrom},
        info::{self, InfoJob},
        label_mesh::{self, LabelCheck, LabelMeshJob},
        mesh::{self, MeshCheck, MeshFilters, MeshJob},
        render::{self, PictureOptions, RenderJob},
        skeleton::{self, Method, ObjectSource, PictureJob, SkeletonJob},
        voxelize::{self, VoxelizeJob},
    },
    skeleton::{
        medial,
        potential_field::{self, FieldVariant, Hierarchy},
    },
    voxelize::VoxelizeParams,
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};
use test_cases::is_in_shard;

/// Samples along an axis: a mask with one bit each, in whole words, has 77 KB.
const N: usize = 80;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> BTreeSet<OsString> {
        let entries = fs::read_dir(self.0.path()).unwrap().flatten();
        entries.map(|entry| entry.file_name()).collect()
    }

    /// Writes a volume.
    fn volume<T: ferrovox::grid::Sample>(
        &self,
        name: &str,
        sample: impl FnMut(usize, usize, usize) -> T,
    ) -> VolumeSource
    where
        ferrovox::grid::AnyVolume: From<Volume<T>>,
    {
        self.sized_volume(N, name, sample)
    }

    /// Writes a volume with the given number of samples along each axis.
    fn sized_volume<T: ferrovox::grid::Sample>(
        &self,
        n: usize,
        name: &str,
        sample: impl FnMut(usize, usize, usize) -> T,
    ) -> VolumeSource
    where
        ferrovox::grid::AnyVolume: From<Volume<T>>,
    {
        let volume = Volume::from_fn([n; 3], Geometry::default(), sample).unwrap();
        write_volume(
            self.path(name),
            &volume.into(),
            &VolumeWriteOptions::default(),
        )
        .unwrap();
        VolumeSource::new(self.path(name))
    }
}

/// Returns how far inside a point is: two crossing tubes, with a ball next to them.
fn solid(x: usize, y: usize, z: usize) -> f64 {
    let [x, y, z] = [x, y, z].map(|n| n as f64 - N as f64 / 2.0);
    let tube = 9.0 - y.hypot(z + 8.0);
    let other = 7.0 - x.hypot(z + 8.0);
    let ball = 12.0 - (x * x + y * y + (z - 24.0) * (z - 24.0)).sqrt();
    let border = N as f64 / 2.0 - 4.0 - x.abs().max(y.abs());
    tube.max(other).min(border).max(ball)
}

/// Refuses each allocation of at least [`MIN_BYTES`] bytes in turn, and checks that the job fails
/// with an error about memory or, by its retry policy, produces the same files.
fn refuse_each(
    what: &str,
    folder: &Folder,
    run: impl Fn() -> Result<(), PipelineError>,
) -> Refusals {
    refuse_each_from(MIN_BYTES, what, folder, run)
}

/// Outcomes of refused allocations.
#[derive(Default)]
struct Refusals {
    /// Number of jobs that failed.
    errors: usize,
    /// Number of jobs that continued with a smaller plan and succeeded.
    recoveries: usize,
}

/// Does what [`refuse_each`] does for allocations of at least `min_bytes` bytes.
fn refuse_each_from(
    min_bytes: usize,
    what: &str,
    folder: &Folder,
    run: impl Fn() -> Result<(), PipelineError>,
) -> Refusals {
    start_threads().unwrap();
    let start = std::time::Instant::now();
    let before = folder.names();
    run().unwrap();
    let outputs: Vec<PathBuf> = folder
        .names()
        .difference(&before)
        .map(|name| folder.0.path().join(name))
        .collect();
    let content =
        || -> Vec<Vec<u8>> { outputs.iter().map(|path| fs::read(path).unwrap()).collect() };
    let expected = content();
    let clear = || {
        outputs
            .iter()
            .for_each(|path| fs::remove_file(path).unwrap())
    };
    clear();
    let mut refusals = Refusals::default();
    if std::env::var_os("FERROVOX_PLACES").is_some() {
        with_refused_allocation(SHOW_LOCATIONS, min_bytes, run)
            .0
            .unwrap();
        clear();
        return refusals;
    }
    for number in (1..).filter(|&number| number < 8 || is_in_shard(number as usize, 8)) {
        let (result, was_reached) = with_refused_allocation(number, min_bytes, &run);
        match result {
            Ok(()) => {
                assert!(content() == expected, "{what}, number {number}");
                clear();
                refusals.recoveries += usize::from(was_refused());
            }
            Err(error) => {
                assert!(was_refused(), "{what}: {error}");
                let text = error.to_string();
                assert!(text.contains("memory"), "{what}, number {number}: {text}");
                refusals.errors += 1;
            }
        }
        assert_eq!(folder.names(), before, "{what}, number {number}");
        if !was_reached {
            break;
        }
    }
    let Refusals { errors, recoveries } = refusals;
    let time = start.elapsed();
    eprintln!("{what}: {errors} errors and {recoveries} recoveries in {time:.0?}");
    assert!(errors + recoveries > 0, "{what}");
    refusals
}

fn mesh_job(volume: VolumeSource, output: &Path) -> MeshJob {
    MeshJob::with_devices(volume, Level::Iso(0.0), vec![Device::cpu()])
        .output(output)
        .normals(NormalSource::Gradient)
        .check(MeshCheck::IfWhole)
}

fn run_mesh(job: &MeshJob) -> Result<(), PipelineError> {
    mesh::run(job, &Monitor::silent()).map(|_| ())
}

/// Test of a pipeline in a folder.
type MemoryTest = fn(&Folder);

#[test]
fn out_of_memory_is_an_error() {
    if !allocator::has_debug_locations() {
        eprintln!("skipped: without debug information, the owner of an allocation is unknown");
        return;
    }
    let only = std::env::var("FERROVOX_ONLY").unwrap_or_default();
    let tests: [(&str, MemoryTest); 9] = [
        ("info", info_of_a_volume),
        ("mesh", meshes),
        ("filtered", filtered_meshes),
        ("labels", surfaces_of_labels),
        ("streamed", streamed_meshes),
        ("distance", distances),
        ("voxelize", voxels_of_a_mesh),
        ("render", pictures),
        ("skeletons", skeletons),
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
        };
        info::run(&job, &Monitor::silent()).map(|_| ())
    });
}

fn meshes(folder: &Folder) {
    let bytes = folder.volume("bytes.npy", |x, y, z| {
        (solid(x, y, z) * 4.0 + 100.0).clamp(0.0, 255.0) as u8
    });
    let doubles = folder.volume("doubles.nrrd", solid);
    let mask = folder.volume("mask.mha", |x, _, _| f32::from(x > 9));
    let mut of_bytes = mesh_job(bytes, &folder.path("out.ply"));
    of_bytes.level = Level::Iso(100.0);
    let one = refuse_each("mesh of bytes", folder, || run_mesh(&of_bytes));
    assert!(
        one.recoveries > 0,
        "a lack of memory in core leads to streaming"
    );
    let devices = MeshJob {
        devices: vec![Device::cpu(); 2],
        ..of_bytes.clone()
    };
    let two = refuse_each("mesh by two devices", folder, || run_mesh(&devices));
    assert!(
        two.recoveries > 0,
        "a lack of memory in core leads to streaming"
    );
    for (number, name) in ["out.obj", "out.stl", "out.vtk", "out.vtp"]
        .into_iter()
        .enumerate()
    {
        let job = MeshJob {
            mask: (number == 0).then(|| mask.clone()),
            check: MeshCheck::No,
            ..mesh_job(doubles.clone(), &folder.path(name))
        };
        refuse_each(name, folder, || run_mesh(&job));
    }
}

fn filtered_meshes(folder: &Folder) {
    let floats = folder.volume("floats.nrrd", |x, y, z| solid(x, y, z) as f32);
    let job = MeshJob {
        level: Level::Otsu,
        filters: MeshFilters {
            pieces: ComponentFilter {
                largest: true,
                min_voxels: 8,
            },
            smooth: Some(SmoothParams::default()),
            simplify: Some(SimplifyTarget::Fraction(0.9)),
        },
        ..mesh_job(floats, &folder.path("out.ply"))
    };
    refuse_each("mesh with filters", folder, || run_mesh(&job));
}

fn surfaces_of_labels(folder: &Folder) {
    let labels = folder.volume("labels.nrrd", |x, y, z| {
        if solid(x, y, z) > 0.0 {
            1000 * (1 + i32::from(x > N / 2) + 2 * i32::from(z > N / 2))
        } else {
            0
        }
    });
    for name in ["out.vtp", "out-{label}.ply"] {
        let job = LabelMeshJob {
            volume: labels.clone(),
            labels: None,
            output: Some(folder.path(name)),
            device: Device::cpu(),
            check: LabelCheck::Yes,
        };
        refuse_each(&format!("labels to {name}"), folder, || {
            label_mesh::run(&job, &Monitor::silent()).map(|_| ())
        });
    }
}

fn streamed_meshes(folder: &Folder) {
    let floats = folder.volume("floats.nrrd", |x, y, z| solid(x, y, z) as f32);
    let doubles = folder.volume("doubles.nii.gz", solid);
    let mask = folder.volume("mask.npy", |x, _, _| u8::from(x > 9));
    for (volume, devices) in [(floats, 1), (doubles, 2)] {
        let job = MeshJob {
            mask: Some(mask.clone()),
            memory: Some(8 << 20),
            devices: vec![Device::cpu(); devices],
            ..mesh_job(volume, &folder.path("out.ply"))
        };
        refuse_each("streamed mesh", folder, || run_mesh(&job));
    }
}

fn run_distance(job: &DistanceJob) -> Result<(), PipelineError> {
    distance::run(job, &Monitor::silent()).map(|_| ())
}

fn distances(folder: &Folder) {
    let mask = folder.volume("mask.npy", |x, y, z| u8::from(solid(x, y, z) > 0.0));
    let floats = folder.volume("floats.npy", |x, y, z| solid(x, y, z) as f32);
    let labels = folder.volume("labels.npy", |x, _, z| (x / 40 + z / 30) as i32);
    fs::write(
        folder.path("points.xyz"),
        (0..9000)
            .map(|n| format!("{} {} {}.5\n", n % 79, n / 79 % 79, n % 75))
            .collect::<String>(),
    )
    .unwrap();
    let job = |input: &VolumeSource, sites| DistanceJob {
        output: Some(folder.path("out.npy")),
        devices: vec![Device::cpu()],
        ..DistanceJob::new(input.clone(), sites)
    };
    let level = |sub_voxel| SitesFrom::Level {
        level: Level::Iso(0.0),
        inside: Inside::Above,
        sub_voxel,
    };
    let points = SitesFrom::Points {
        grid: PointGrid::Dims([N; 3]),
        strict: false,
    };
    let points_file = VolumeSource::new(folder.path("points.xyz"));
    let whole = DistanceJob {
        nearest: Some(folder.path("nearest.nrrd")),
        picture: Some(PlanePicture {
            path: folder.path("plane.png"),
            plane: Plane { axis: 2, index: 30 },
            longest_side: 300,
        }),
        ..job(&mask, SitesFrom::Mask)
    };
    refuse_each("distance, whole", folder, || run_distance(&whole));
    let in_core = job(&mask, SitesFrom::Mask);
    let in_core = refuse_each("distance, in core", folder, || run_distance(&in_core));
    assert!(
        in_core.recoveries > 0,
        "a lack of memory in core leads to slabs"
    );
    let slabs = DistanceJob {
        signed: true,
        memory: Some(24 << 20),
        ..job(&floats, level(false))
    };
    refuse_each("distance, by slabs", folder, || run_distance(&slabs));
    let two_devices = DistanceJob {
        devices: vec![Device::cpu(); 2],
        ..job(&mask, SitesFrom::Mask)
    };
    refuse_each("distance, by two devices", folder, || {
        run_distance(&two_devices)
    });
    for job in [
        job(&floats, level(true)),
        job(&labels, SitesFrom::Labels),
        job(&points_file, points),
    ] {
        refuse_each("distance", folder, || run_distance(&job));
    }
}

fn voxels_of_a_mesh(folder: &Folder) {
    let floats = folder.volume("floats.npy", |x, y, z| solid(x, y, z) as f32);
    for name in ["a.ply", "a.stl", "a.obj"] {
        run_mesh(&mesh_job(floats.clone(), &folder.path(name))).unwrap();
        let job = VoxelizeJob {
            mesh: folder.path(name),
            params: VoxelizeParams::with_resolution(84),
            output: Some(folder.path("out.npy")),
            device: Device::cpu(),
        };
        refuse_each("voxelize", folder, || {
            voxelize::run(&job, &Monitor::silent()).map(|_| ())
        });
    }
}

fn pictures(folder: &Folder) {
    let volume = folder.volume("doubles.npy", solid);
    let (output, device) = (folder.path("out.png"), Device::cpu());
    let job = RenderJob::with_device(volume, Level::Iso(0.0), output, device);
    let job = job.picture(PictureOptions {
        width: 160,
        height: 120,
        ..PictureOptions::default()
    });
    refuse_each("render", folder, || {
        render::run(&job, &Monitor::silent()).map(|_| ())
    });
}

/// Size in bytes from which allocations count in skeletons, whose lists are many and short.
const MIN_BYTES_IN_SKELETONS: usize = 4 << 10;

fn skeletons(folder: &Folder) {
    // two rings that cross, with a rod and a cavity, and a rod with another label: tunnels,
    // branches and everything related
    let labels = |x: usize, y: usize, z: usize| {
        let [x, y, z] = [x, y, z].map(|n| n as f64 - 20.0);
        let ring = 3.5 - (x.hypot(y) - 12.0).hypot(z);
        let other = 2.5 - ((x - 10.0).hypot(z) - 8.0).hypot(y);
        let rod = (1.5 - y.hypot(z + 1.0)).min(18.0 - x.abs());
        let hollow = x.hypot(y + 12.0).hypot(z) - 1.2;
        u8::from(ring.max(other).max(rod).min(hollow) > 0.0)
            + 2 * u8::from((x + 16.0).hypot(y + 16.0) < 2.0 && z.abs() < 16.0)
    };
    let source = folder.sized_volume(40, "labels.npy", labels);
    let run = |job: &SkeletonJob| skeleton::run(job, &Monitor::silent()).map(|_| ());
    let of_labels = ObjectSource::Labels {
        source: source.clone().into(),
        labels: None,
    };
    let of_mask = ObjectSource::Volume {
        source: source.into(),
        level: Level::NonZero,
        inside: Inside::Above,
    };
    let whole = |outputs: &[&str]| SkeletonJob {
        outputs: outputs.iter().map(|name| folder.path(name)).collect(),
        prune: Some(2.0),
        merge: true,
        ..SkeletonJob::new(of_labels.clone(), vec![Device::cpu()])
    };
    let jobs = [
        SkeletonJob {
            method: Method::Medial(medial::Params {
                detail: Some(0.05),
                ..medial::Params::default()
            }),
            ..whole(&["all.json", "{label}.swc"])
        },
        SkeletonJob {
            object: of_mask.clone(),
            fill: true,
            picture: Some(PictureJob {
                tubes: true,
                width: 160,
                height: 120,
                ..PictureJob::new(folder.path("out.png"))
            }),
            ..whole(&["a.obj", "a.vtp", "a.skel", "a.json", "a.swc"])
        },
    ];
    for job in &jobs {
        refuse_each_from(MIN_BYTES_IN_SKELETONS, "skeleton", folder, || run(job));
    }
    // uses the all-pairs kernels
    let bar = folder.sized_volume(24, "bar.npy", |x, y, z| {
        u8::from((3..21).contains(&x) && (9..15).contains(&y) && (9..15).contains(&z))
    });
    let bar = ObjectSource::Volume {
        source: bar.into(),
        level: Level::NonZero,
        inside: Inside::Above,
    };
    let job = SkeletonJob {
        method: Method::PotentialField(potential_field::Params {
            hierarchy: Hierarchy::Curvature,
            variant: FieldVariant::Tuned,
            ..potential_field::Params::default()
        }),
        outputs: vec![folder.path("core.json")],
        field: Some(folder.path("field.npy")),
        ..SkeletonJob::new(bar, vec![Device::cpu(); 2])
    };
    refuse_each_from(MIN_BYTES_IN_SKELETONS, "core of a skeleton", folder, || {
        run(&job)
    });
}
