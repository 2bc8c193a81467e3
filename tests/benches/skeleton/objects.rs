//! The measured objects.

use crate::{Outcome, arguments::Arguments};
use ferrovox::{
    device::Device,
    grid::{AnyVolume, Volume},
    io::{VolumeWriteOptions, read_mesh, write_volume},
    voxelize::{VoxelizeParams, mask_to_volume, voxelize},
};
use ferrovox_tests::{
    noise::Noise,
    oracle::Object,
    reference_objects::{Grid, ReferenceObject, large, random, simple, solid},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Object, or several labelled objects in one volume.
pub struct Subject {
    /// Volume with its ground truth.
    pub known: ReferenceObject,
    /// Labels with their voxels.
    pub labels: Vec<(u8, Object)>,
}

impl Subject {
    fn new(known: ReferenceObject) -> Self {
        let mut values: Vec<u8> = (1..=255)
            .filter(|label| known.voxels.samples().contains(label))
            .collect();
        if values.is_empty() {
            values.push(1);
        }
        let labels = values.into_iter();
        let labels = labels.map(|label| (label, Object::from_label(&known.voxels, label)));
        Self {
            labels: labels.collect(),
            known,
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.known.name
    }

    /// Returns the number of voxels along each axis, as text.
    pub fn size(&self) -> String {
        let [x, y, z] = self.known.voxels.dims();
        format!("{x}x{y}x{z}")
    }

    /// Writes the volume to a folder, creating it if necessary, and returns the path.
    pub fn write(&self, folder: &Path) -> Outcome<PathBuf> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}.nii.gz", self.name().replace([' ', '/'], "-")));
        let volume = AnyVolume::U8(self.known.voxels.clone());
        write_volume(&path, &volume, &VolumeWriteOptions::default())?;
        Ok(path)
    }
}

/// Constructor of an object.
type Make<'a> = Box<dyn Fn() -> Outcome<ReferenceObject> + 'a>;

/// Creates the selected objects.
pub fn select(arguments: &Arguments) -> Outcome<Vec<Subject>> {
    let mut all: Vec<(String, Make)> = Vec::new();
    let mut add = |name: &str, make: fn(&str) -> ReferenceObject| {
        let own = name.to_owned();
        all.push((name.to_owned(), Box::new(move || Ok(make(&own)))));
    };
    add("T of tubes 4 and 2.5", |_| simple::t_of_tubes(Grid::unit()));
    add("trunk 4 with a branch 1.5", |_| {
        simple::thin_branch(Grid::unit())
    });
    add("three arms of 2.5", |_| {
        simple::arms(3, 2.5, 30.0, 3, Grid::unit())
    });
    for direction in ["x", "z", "oblique"] {
        add(
            &format!("rod 6 x 48 along {direction}, 0.5 0.5 2.5"),
            |name| {
                let direction = match () {
                    () if name.contains("along x") => [1.0, 0.0, 0.0],
                    () if name.contains("along z") => [0.0, 0.0, 1.0],
                    () => [1.0, 2.0, 3.0],
                };
                simple::rod(direction, 6.0, 48.0, Grid::spaced([0.5, 0.5, 2.5]))
            },
        );
    }
    add("ring 14/1.5", |_| {
        simple::ring([1.0, 2.0, 3.0], 14.0, 1.5, Grid::unit())
    });
    add("knot, one voxel wide", |_| {
        simple::knot(9.0, 0.5, Grid::unit())
    });
    add("box with a tunnel and a cavity", |_| {
        solid::tunnel_and_cavity()
    });
    add("shell 12/9", |_| solid::shell(12.0, 9.0));
    add("bones with holes", |_| large::digits(1));
    add("vessels", |_| large::vessels(1));
    add(ATLAS, |_| large::atlas(1));
    for seed in 0..arguments.random {
        all.push((format!("tree {seed}"), Box::new(move || Ok(tree(seed)))));
        all.push((format!("net {seed}"), Box::new(move || Ok(net(seed)))));
    }
    for path in &arguments.meshes {
        let checked = arguments.resolutions.iter().copied();
        for resolution in checked.filter(|&resolution| resolution <= MAX_CHECKED_RESOLUTION) {
            let make = move || mesh(path, resolution);
            all.push((mesh_name(path, resolution), Box::new(make)));
        }
    }
    let words = &arguments.objects;
    let meshes = arguments.meshes.iter().map(|path| stem(path));
    let meshes: Vec<String> = meshes.collect();
    let is_selected = |name: &str| {
        let is_mesh = || meshes.iter().any(|mesh| name.starts_with(mesh));
        if words.is_empty() {
            name != ATLAS
        } else {
            words.iter().any(|word| match word.as_str() {
                "all" => true,
                "meshes" => is_mesh(),
                word => name.contains(word),
            })
        }
    };
    let mut subjects = Vec::new();
    for (name, make) in all.into_iter().filter(|(name, _)| is_selected(name)) {
        let mut known = make()?;
        known.name = name;
        subjects.push(Subject::new(known));
    }
    if subjects.is_empty() && meshes.is_empty() {
        Err(format!("no object's name contains {words:?}; --list --objects all names them").into())
    } else {
        Ok(subjects)
    }
}

/// Maximum resolution of meshes whose skeletons are checked by the oracle, which takes much longer
/// than the skeletons.
const MAX_CHECKED_RESOLUTION: u32 = 128;

const ATLAS: &str = "atlas of 116 labels";

fn tree(seed: u64) -> ReferenceObject {
    let mut noise = Noise(seed);
    random::tree(6, seed, Grid::random(&mut noise))
}

fn net(seed: u64) -> ReferenceObject {
    let mut noise = Noise(seed);
    random::net([4, 3, 2], 5, seed, Grid::random(&mut noise))
}

/// Returns the name of a mesh at a resolution.
pub fn mesh_name(path: &Path, resolution: u32) -> String {
    format!("{} at {resolution}", stem(path))
}

/// Returns the name of a file without its extension.
pub fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn mesh(path: &Path, resolution: u32) -> Outcome<ReferenceObject> {
    Ok(ReferenceObject::without_ground_truth(
        "",
        u64::from(resolution),
        voxelize_mesh(path, resolution)?,
    ))
}

/// Voxelizes a closed mesh.
pub fn voxelize_mesh(path: &Path, resolution: u32) -> Outcome<Volume<u8>> {
    let mesh = read_mesh(path)?;
    let stream = Device::best().stream()?;
    let solid = voxelize(&stream, &mesh, &VoxelizeParams::with_resolution(resolution))?;
    Ok(mask_to_volume(&stream, &solid)?)
}
