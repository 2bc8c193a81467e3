//! The object that `ferrovox skeleton` takes from a volume.

use super::mesh::tell_conversion;
use crate::{args::SkeletonArgs, on_device::upload};
use anyhow::{Context, ensure};
use ferrovox::{
    device::Stream,
    grid::{AnyDeviceVolume, AnyVolume, DeviceMask, Sample, Volume},
    isosurface::Inside,
};

/// Which voxels are of the object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Object {
    /// Those of this value or more.
    From(f32),
    /// Those of exactly this value.
    Label(f32),
    NotZero,
}

impl Object {
    /// What the options say.
    pub fn of(args: &SkeletonArgs) -> anyhow::Result<Self> {
        let name = || args.input.name();
        if let Some(threshold) = args.threshold {
            let rounded = threshold as f32;
            ensure!(
                rounded.is_finite(),
                "{}: the threshold is {threshold}; give --threshold a finite number within the range of f32",
                name()
            );
            return Ok(Self::From(rounded));
        }
        let Some(label) = args.label else {
            return Ok(Self::NotZero);
        };
        let rounded = label as f32;
        ensure!(
            f64::from(rounded) == label,
            "{}: the label is {label}, which is no number of f32; labels are whole numbers up to 16777216",
            name()
        );
        Ok(Self::Label(rounded))
    }

    /// Its voxels, on the stream's device.
    pub fn mask(self, stream: &Stream, volume: &AnyDeviceVolume) -> anyhow::Result<DeviceMask> {
        Ok(match self {
            Self::From(threshold) => volume.above(stream, threshold)?,
            Self::Label(label) => volume.between(stream, label, label)?,
            Self::NotZero => volume.not_zero(stream)?,
        })
    }

    /// Fails if the object is nothing, or a threshold leaves nothing out, and says what samples there are.
    pub fn check(self, name: &str, volume: &AnyVolume, voxels: u64) -> anyhow::Result<()> {
        let (all, [least, most]) = match volume {
            AnyVolume::U8(volume) => range(volume),
            AnyVolume::I8(volume) => range(volume),
            AnyVolume::U16(volume) => range(volume),
            AnyVolume::I16(volume) => range(volume),
            AnyVolume::F32(volume) => range(volume),
            AnyVolume::I32(volume) => range(volume),
            AnyVolume::F64(volume) => range(volume),
        };
        ensure!(all > 0, "{name}: the volume has no samples");
        let samples = match least <= most {
            true => format!("samples are from {least} to {most}"),
            false => "no sample is a finite number".to_owned(),
        };
        match self {
            Self::From(threshold) => {
                ensure!(
                    voxels > 0,
                    "{name}: there is no object: no sample is {threshold} or more ({samples}); give a lower --threshold"
                );
                ensure!(
                    voxels < all,
                    "{name}: all of the volume is object: every sample is {threshold} or more ({samples}); give a higher --threshold"
                );
            }
            Self::Label(label) => ensure!(
                voxels > 0,
                "{name}: there is no object: no sample is {label} ({samples}); give another --label"
            ),
            Self::NotZero => ensure!(voxels > 0, "{name}: there is no object: every sample is 0"),
        }
        Ok(())
    }

    /// The isovalue at which the object is drawn, of the volume itself or of its mask.
    pub fn iso(self) -> Option<f32> {
        match self {
            Self::From(threshold) => Some(threshold),
            Self::Label(_) | Self::NotZero => None,
        }
    }
}

/// How many samples there are, and the least and the greatest finite one.
fn range<T: Sample>(volume: &Volume<T>) -> (u64, [f64; 2]) {
    let finite = volume.samples().iter().map(|sample| sample.to_f64());
    let finite = finite.filter(|sample| sample.is_finite());
    let ends = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], x| {
        [least.min(x), most.max(x)]
    });
    (volume.samples().len() as u64, ends)
}

/// Reads the volume.
pub fn read(args: &SkeletonArgs) -> anyhow::Result<AnyVolume> {
    let file = args.input.read()?;
    args.input.tell_notes(&file.header);
    let sample_type = file.volume.sample_type();
    let stored = file.header.stored_type.to_string();
    let (volume, inexact) = file.volume.into_kernel_type();
    tell_conversion(&args.input, &stored, sample_type.name(), inexact);
    Ok(volume)
}

/// What is drawn around the skeleton: the object's surface, and where it lies.
pub fn drawn(
    object: Object,
    volume: AnyVolume,
    stream: &Stream,
    mask: &DeviceMask,
) -> anyhow::Result<(AnyDeviceVolume, f32)> {
    let (volume, iso) = match object.iso() {
        Some(iso) => (volume, iso),
        None => {
            let mask = ferrovox::voxelize::volume_of(stream, mask)?;
            (mask.into(), 0.5)
        }
    };
    let solid = volume.crop_to_solid(iso, Inside::Above);
    let solid = upload(stream, &solid).context("the picture's volume")?;
    Ok((solid, iso))
}
