//! `ferrovox demo`: surfaces, pictures, a skeleton, a distance map and pages without an input
//! file.

use crate::{
    args::DemoArgs,
    report::{Devices, JsonTimings, paths},
    terminal::Terminal,
    watch::run_monitored,
};
use ferrovox::{
    pipeline::demo::{self, DemoJob, DemoOutcome, Scene, SceneOutcome, SceneVolume},
    render::{Frame, RenderParams, ViewDirection},
    synthetic::Metaball,
};
use serde::Serialize;

/// T1 MRI of a brain without the skull (see `data/README.md`), embedded so that the demo works
/// everywhere.
const BRAIN: &[u8] = include_bytes!("../../data/mni152_t1_1mm.nii.gz");
const BRAIN_FILE: &str = "mni152_t1_1mm.nii.gz";

/// JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    outputs: Vec<String>,
    scenes: Vec<SceneReport>,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

#[derive(Serialize)]
struct SceneReport {
    name: &'static str,
    dims: [usize; 3],
    sample_type: &'static str,
    iso: f32,
    mesh: String,
    vertices: usize,
    triangles: usize,
    closed: bool,
    manifold: bool,
    euler: i64,
    picture: String,
    width: u32,
    height: u32,
}

/// Extracts, checks and draws the surfaces of a brain and of a metaball field.
pub fn run(args: &DemoArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let job = DemoJob {
        folder: args.output.clone(),
        scenes: vec![brain(), metaballs()],
        device: args.device.device.open()?,
    };
    let outcome = run_monitored(terminal, |monitor| demo::run(&job, monitor))?;
    terminal.report(&[], || json(&job, &outcome), || text(&job, &outcome))
}

fn json(job: &DemoJob, outcome: &DemoOutcome) -> Report {
    let scene = |(scene, scene_outcome): (&Scene, &SceneOutcome)| SceneReport {
        name: scene.name,
        dims: scene_outcome.dims,
        sample_type: scene_outcome.sample_type.name(),
        iso: scene.picture.iso,
        mesh: scene_outcome.mesh_file.display().to_string(),
        vertices: scene_outcome.mesh.vertices,
        triangles: scene_outcome.mesh.triangles,
        closed: scene_outcome.mesh.is_closed(),
        manifold: scene_outcome.mesh.is_manifold(),
        euler: scene_outcome.mesh.euler_characteristic(),
        picture: scene_outcome.picture_file.display().to_string(),
        width: scene_outcome.size[0],
        height: scene_outcome.size[1],
    };
    let files = outcome.scenes.iter();
    Report {
        outputs: paths(files.flat_map(|files| {
            [&files.mesh_file, &files.picture_file, &files.volume_file]
                .into_iter()
                .chain(&files.derived_files)
                .chain([&files.page_file])
        })),
        scenes: job.scenes.iter().zip(&outcome.scenes).map(scene).collect(),
        devices: Devices::new(std::slice::from_ref(&job.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn text(job: &DemoJob, outcome: &DemoOutcome) -> String {
    let mut text = format!("device     {}\n", job.device);
    for (scene, scene_outcome) in job.scenes.iter().zip(&outcome.scenes) {
        text.push_str(&readable(scene, scene_outcome));
    }
    let total = outcome.timings.total.as_secs_f64();
    text.push_str(&format!("time       {total:.1} s\n"));
    for scene_outcome in &outcome.scenes {
        let page = scene_outcome.page_file.display();
        text.push_str(&format!("open       {page}\n"));
    }
    text
}

/// Formats the results of a scene as lines.
fn readable(scene: &Scene, scene_outcome: &SceneOutcome) -> String {
    let closed = if scene_outcome.mesh.is_closed() {
        "closed"
    } else {
        "open"
    };
    let manifold = if scene_outcome.mesh.is_manifold() {
        "manifold"
    } else {
        "not manifold"
    };
    let [nx, ny, nz] = scene_outcome.dims;
    let samples = format!(
        "{nx} x {ny} x {nz} samples of {}",
        scene_outcome.sample_type
    );
    let what = match &scene.volume {
        SceneVolume::File { .. } => format!("MRI, {samples}"),
        SceneVolume::Metaballs { balls, .. } => {
            format!("{} balls, density in {samples}", balls.len())
        }
    };
    format!(
        "{name:<10} {what}, surface at {iso}\n\
         {empty:<10} {mesh_file}: {vertices} vertices, {triangles} triangles, {closed}, {manifold}, \
         Euler characteristic {euler}\n\
         {empty:<10} {picture_file}: {width} x {height} pixels{derived}\n",
        name = scene.name,
        iso = scene.picture.iso,
        empty = "",
        mesh_file = scene_outcome.mesh_file.display(),
        vertices = scene_outcome.mesh.vertices,
        triangles = scene_outcome.mesh.triangles,
        euler = scene_outcome.mesh.euler_characteristic(),
        picture_file = scene_outcome.picture_file.display(),
        width = scene_outcome.size[0],
        height = scene_outcome.size[1],
        derived = scene_outcome
            .derived_files
            .iter()
            .map(|file| format!("; {}", file.display()))
            .collect::<String>(),
    )
}

fn brain() -> Scene {
    Scene {
        name: "brain",
        volume: SceneVolume::File {
            name: BRAIN_FILE,
            bytes: BRAIN,
        },
        picture: RenderParams {
            iso: 120.0,
            view: ViewDirection {
                azimuth: 28.0,
                elevation: 20.0,
            },
            surface: [0.90, 0.48, 0.39],
            frame: Frame::Surface,
            occlusion: 0.5,
            ..RenderParams::default()
        },
    }
}

fn metaballs() -> Scene {
    let dims = [106, 106, 60];
    Scene {
        name: "metaballs",
        volume: SceneVolume::Metaballs {
            dims,
            balls: balls(dims),
        },
        picture: RenderParams {
            iso: 1.0,
            view: ViewDirection {
                azimuth: 60.0,
                elevation: 38.0,
            },
            surface: [0.06, 0.34, 0.62],
            frame: Frame::Surface,
            occlusion: 0.5,
            ..RenderParams::default()
        },
    }
}

/// Returns a ring of eight balls, alternately above and below the central plane, around one in the
/// centre.
fn balls(dims: [usize; 3]) -> Vec<Metaball> {
    let centre = dims.map(|n| (n as f32 - 1.0) / 2.0);
    let ring = (0..8).map(|k| {
        let angle = k as f32 * std::f32::consts::TAU / 8.0;
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let offset = [36.0 * angle.cos(), 36.0 * angle.sin(), 8.0 * side];
        Metaball {
            centre: [0, 1, 2].map(|axis| centre[axis] + offset[axis]),
            radius: 9.8,
        }
    });
    ring.chain([Metaball {
        centre,
        radius: 10.0,
    }])
    .collect()
}
