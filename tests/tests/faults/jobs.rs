//! Every pipeline on small inputs, on devices that it opens itself.

use ferrovox::{
    device::{Device, DeviceError},
    distance::Method as DistanceMethod,
    grid::{Geometry, Inside, Volume},
    io::{VolumeWriteOptions, write_volume},
    isosurface::NormalSource,
    mesh_filter::{ComponentFilter, SimplifyTarget, SmoothParams},
    monitor::Monitor,
    pipeline::{
        Level, ObjectFilter, SceneContent, VolumeSource,
        distance::{self, DistanceJob, PointGrid, SitesFrom},
        label_mesh::{self, LabelCheck, LabelMeshJob, LabelSelection},
        mesh::{self, MeshFilters, MeshJob},
        render::{self, PictureOptions, RenderJob},
        skeleton::{self, Method, ObjectSource, PictureJob, SkeletonJob},
        slices::{self, SlicesJob},
        view::{self, ViewJob},
        voxelize::{self, VoxelizeJob},
    },
    scan::{self, MultiDeviceMethod, MultiDeviceParams, Scanner, Sum},
    skeleton::potential_field,
    voxelize::VoxelizeParams,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Result of a job: the bytes of its files, or its numbers.
pub type JobResult = anyhow::Result<Vec<u8>>;

/// Job with its name.
pub type Job = (&'static str, fn(&JobFolder) -> JobResult);

/// Folder with the input and output files of jobs.
pub struct JobFolder {
    directory: TempDir,
    devices: usize,
}

/// Input files of jobs.
const INPUTS: [&str; 5] = [
    "ball.nrrd",
    "bar.nrrd",
    "corner.obj",
    "line.swc",
    "points.xyz",
];

/// All jobs.
pub const JOBS: [Job; 23] = [
    ("mesh, whole", |folder| folder.mesh(1, None)),
    ("mesh, by two devices", |place| place.mesh(2, None)),
    ("mesh, in parts", |folder| folder.mesh(2, Some(200_000))),
    ("mesh, filtered", JobFolder::filtered_mesh),
    ("mesh, labels", JobFolder::label_mesh),
    ("large copies", JobFolder::large_copies),
    ("copies of another device", JobFolder::foreign_copies),
    ("scan", JobFolder::scan),
    ("scan, rescan with offset", |folder| {
        folder.scan_across(MultiDeviceMethod::RescanWithOffset)
    }),
    ("scan, add afterwards", |folder| {
        folder.scan_across(MultiDeviceMethod::AddAfterwards)
    }),
    ("distance, whole", |folder| {
        folder.distance_of_level(DistanceMethod::Separable)
    }),
    ("distance, by slabs", |folder| {
        folder.distance(2, DistanceMethod::Separable, Some(60_000))
    }),
    ("distance, cubes", |folder| {
        folder.distance(1, DistanceMethod::Cubes, None)
    }),
    ("distance, bucketed", |folder| {
        folder.distance(1, DistanceMethod::Bucketed, None)
    }),
    ("distance, centre point", |folder| {
        folder.distance_of_level(DistanceMethod::CenterPoint)
    }),
    ("skeleton, potential field", |folder| {
        folder.skeleton(Method::PotentialField(potential_field::Params::default()))
    }),
    ("skeleton, medial", |folder| {
        folder.skeleton(Method::default())
    }),
    ("voxelize", JobFolder::voxelize),
    ("render", JobFolder::render),
    ("render, scene", JobFolder::render_scene),
    ("slices", JobFolder::slices),
    ("view", JobFolder::view),
    ("occupancy", JobFolder::occupancy),
];

impl JobFolder {
    pub fn new() -> Self {
        // in memory if possible: thousands of runs would otherwise wait for the disk
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a temporary folder");
        let folder = Self {
            directory: folder,
            devices: Device::cuda_count().expect("driver responds"),
        };
        let ball = Volume::from_fn([16, 14, 20], Geometry::default(), |x, y, z| {
            let from = |at: usize, middle: f32| (at as f32 - middle).powi(2);
            5.0 - (from(x, 7.3) + from(y, 6.6) + from(z, 9.5)).sqrt()
        });
        let bar = Volume::from_fn([24, 9, 9], Geometry::default(), |x, y, z| {
            u8::from((3..21).contains(&x) && (2..7).contains(&y) && (2..7).contains(&z))
        });
        let plain = VolumeWriteOptions::default();
        let write = |name, volume| write_volume(folder.path(name), &volume, &plain);
        write("ball.nrrd", ball.expect("a volume").into()).expect("file can be written");
        write("bar.nrrd", bar.expect("a volume").into()).expect("file can be written");
        let corner = "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        fs::write(folder.path("corner.obj"), corner).expect("file can be written");
        fs::write(folder.path("line.swc"), "1 2 4 4 4 1 -1\n2 2 12 4 4 2 1\n")
            .expect("file can be written");
        fs::write(folder.path("points.xyz"), "3 4 5\n12 2 9\n7 11 17\n")
            .expect("file can be written");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the files that no job should leave behind.
    pub fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).expect("temporary folder can be read");
        let names = entries.flatten().map(|entry| entry.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| !INPUTS.contains(&name.as_str()))
            .collect()
    }

    /// Opens `count` devices, reusing the first if there are not enough.
    fn devices(&self, count: usize) -> anyhow::Result<Vec<Device>> {
        let numbers = (0..count).map(|index| index % self.devices.max(1));
        Ok(numbers.map(Device::cuda).collect::<Result<_, _>>()?)
    }

    fn device(&self) -> anyhow::Result<Device> {
        Ok(Device::cuda(0)?)
    }

    fn mesh(&self, devices: usize, memory: Option<u64>) -> JobResult {
        self.run_mesh_job(MeshJob {
            devices: self.devices(devices)?,
            memory,
            ..self.mesh_job()?
        })
    }

    fn filtered_mesh(&self) -> JobResult {
        let filters = MeshFilters {
            components: ComponentFilter {
                largest: true,
                min_voxels: 0,
                ..ComponentFilter::default()
            },
            smooth: Some(SmoothParams::default()),
            simplify: Some(SimplifyTarget::Fraction(0.5)),
        };
        self.run_mesh_job(MeshJob {
            filters,
            ..self.mesh_job()?
        })
    }

    fn run_mesh_job(&self, job: MeshJob) -> JobResult {
        mesh::run(&job, &Monitor::new())?;
        take_output(&self.path("out.ply"))
    }

    fn label_mesh(&self) -> JobResult {
        let output = self.path("out.vtp");
        let job = LabelMeshJob {
            devices: self.devices(1)?,
            check: LabelCheck::Yes,
            ..LabelMeshJob::new(VolumeSource::new(self.path("bar.nrrd"))).output(&output)
        };
        label_mesh::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    fn mesh_job(&self) -> anyhow::Result<MeshJob> {
        let volume = VolumeSource::new(self.path("ball.nrrd"));
        let job = MeshJob::with_devices(volume, Level::Iso(0.0), self.devices(1)?);
        Ok(job
            .output(self.path("out.ply"))
            .normals(NormalSource::Gradient))
    }

    /// Copies through pinned memory, in more chunks than it has room for.
    fn large_copies(&self) -> JobResult {
        let stream = self.device()?.stream()?;
        let elements: Vec<u32> = (0..10_000_001).collect();
        let downloaded = stream.download(&stream.upload(&elements)?)?;
        let changed = elements.iter().zip(&downloaded).position(|(a, b)| a != b);
        Ok(format!("{} {changed:?}", downloaded.len()).into_bytes())
    }

    /// Copies from and to buffers of another device, which must all be rejected.
    fn foreign_copies(&self) -> JobResult {
        let (cuda, cpu) = (self.device()?.stream()?, Device::cpu().stream()?);
        for (stream, other) in [(&cpu, &cuda), (&cuda, &cpu)] {
            let mut foreign = other.upload(&[1u8, 2])?;
            let mut own = stream.upload(&[3u8, 4])?;
            let results = [
                stream.download(&foreign).map(|_| ()),
                stream.read(&foreign, &mut [0; 2]),
                stream.write(&mut foreign, &[5, 6]),
                stream.copy(&foreign, &mut own),
                stream.copy(&own, &mut foreign),
            ];
            for (number, result) in results.into_iter().enumerate() {
                let is_rejected = matches!(result, Err(DeviceError::WrongDevice { .. }));
                // without a GPU, an error of a job is no failure of the test
                assert!(is_rejected, "copy {number} returned {result:?}");
            }
        }
        Ok(b"all rejected".to_vec())
    }

    fn scan(&self) -> JobResult {
        let stream = self.device()?.stream()?;
        let input = stream.upload(&vec![3u32; 5000])?;
        let mut output = stream.alloc::<u64>(5000)?;
        let total = Scanner::new(&stream)?
            .exclusive(Sum, &input, &mut output)?
            .download()?;
        let output = stream.download(&output)?;
        Ok(format!("{total} {output:?}").into_bytes())
    }

    fn scan_across(&self, method: MultiDeviceMethod) -> JobResult {
        let params = MultiDeviceParams {
            method,
            chunk: Some(2000),
            ..MultiDeviceParams::default()
        };
        let mut output = vec![0u64; 5000];
        let devices = self.devices(2)?;
        let total = scan::multi_device(&devices, Sum, &[3u32; 5000], &mut output, &params)?;
        Ok(format!("{total} {output:?}").into_bytes())
    }

    fn distance_of_level(&self, method: DistanceMethod) -> JobResult {
        let sites = SitesFrom::Level {
            level: Level::Iso(0.0),
            inside: Inside::Above,
            sub_voxel: false,
        };
        let source = VolumeSource::new(self.path("ball.nrrd"));
        self.map(DistanceJob {
            method: Some(method),
            devices: self.devices(1)?,
            ..DistanceJob::new(source, sites)
        })
    }

    /// Computes a distance map from points, which exist even if kernels do nothing.
    fn distance(&self, devices: usize, method: DistanceMethod, memory: Option<u64>) -> JobResult {
        let sites = SitesFrom::Points {
            grid: PointGrid::Dims([16, 14, 20]),
            strict: true,
        };
        self.map(DistanceJob {
            method: Some(method),
            devices: self.devices(devices)?,
            memory,
            ..DistanceJob::new(VolumeSource::new(self.path("points.xyz")), sites)
        })
    }

    fn map(&self, job: DistanceJob) -> JobResult {
        let output = self.path("out.npy");
        let job = DistanceJob {
            output: Some(output.clone()),
            ..job
        };
        distance::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    fn skeleton(&self, method: Method) -> JobResult {
        let (curves, picture) = (self.path("out.swc"), self.path("out.png"));
        let object = ObjectSource::Volume {
            source: Box::new(VolumeSource::new(self.path("bar.nrrd"))),
            level: Level::NonZero,
            inside: Inside::Above,
        };
        let job = SkeletonJob {
            method,
            filter: ObjectFilter {
                fill_cavities: true,
                ..ObjectFilter::default()
            },
            outputs: vec![curves.clone()],
            picture: Some(PictureJob {
                width: 32,
                height: 24,
                ..PictureJob::new(&picture)
            }),
            ..SkeletonJob::new(object, self.devices(1)?)
        };
        skeleton::run(&job, &Monitor::new())?;
        Ok([take_output(&curves)?, take_output(&picture)?].concat())
    }

    fn voxelize(&self) -> JobResult {
        let output = self.path("out.nrrd");
        let job = VoxelizeJob {
            like: None,
            rule: voxelize::InsideRule::Parity,
            signed_distance: false,
            filter: ObjectFilter::default(),
            mesh: self.path("corner.obj"),
            params: VoxelizeParams::with_resolution(16),
            output: Some(output.clone()),
            device: self.device()?,
        };
        voxelize::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    fn render(&self) -> JobResult {
        let output = self.path("out.png");
        let volume = VolumeSource::new(self.path("ball.nrrd"));
        let job = RenderJob::with_device(volume, Level::Iso(0.0), &output, self.device()?);
        let job = job.picture(PictureOptions {
            width: 32,
            height: 24,
            ..PictureOptions::default()
        });
        render::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    /// Draws a turntable of a surface with colours per vertex, labels, a mesh and a skeleton.
    fn render_scene(&self) -> JobResult {
        let output = self.path("out.png");
        let job = RenderJob {
            contents: self.contents(),
            output: output.clone(),
            picture: PictureOptions {
                width: 40,
                height: 30,
                values: Some(VolumeSource::new(self.path("ball.nrrd"))),
                turntable: Some(2),
                occlusion: 0.5,
                ..PictureOptions::default()
            },
            device: self.device()?,
        };
        render::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    /// Returns an object of each kind.
    fn contents(&self) -> Vec<SceneContent> {
        let source = |name: &str| Box::new(VolumeSource::new(self.path(name)));
        vec![
            SceneContent::Volume {
                source: source("ball.nrrd"),
                level: Some(Level::Iso(0.0)),
                inside: Inside::Above,
                filter: Box::new(ObjectFilter::default()),
            },
            SceneContent::Labels {
                source: source("bar.nrrd"),
                labels: LabelSelection::All,
                table: Box::default(),
            },
            SceneContent::Mesh(self.path("corner.obj")),
            SceneContent::Skeleton(self.path("line.swc")),
        ]
    }

    fn slices(&self) -> JobResult {
        let output = self.path("out.png");
        let job = SlicesJob {
            level: Some(Level::Iso(0.0)),
            overlay: Some(VolumeSource::new(self.path("bar.nrrd"))),
            planes: 2,
            width: 64,
            ..SlicesJob::new(VolumeSource::new(self.path("ball.nrrd")), &output)
        };
        slices::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    fn view(&self) -> JobResult {
        let output = self.path("out.html");
        let job = ViewJob {
            device: self.device()?,
            ..ViewJob::new(self.contents(), &output)
        };
        view::run(&job, &Monitor::new())?;
        take_output(&output)
    }

    fn occupancy(&self) -> JobResult {
        let device = self.device()?;
        let kernel = "fill_sphere";
        let resources = device.kernel_resources(kernel)?;
        let blocks = device.active_blocks_by_driver(kernel, 128, 60_000)?;
        // the amount of free memory depends on what ran before
        let memory = device.memory()?.total;
        Ok(format!("{resources:?} {blocks:?} {memory}").into_bytes())
    }
}

/// Reads and removes an output.
fn take_output(path: &Path) -> JobResult {
    let bytes = fs::read(path)?;
    fs::remove_file(path)?;
    Ok(bytes)
}
