//! A volume of any sample type on a device.

use ferrovox::{
    device::{Device, DeviceError, Stream},
    device_volume::DeviceVolume,
    distance::{
        self, DistanceError, DistanceMap, DistanceParams, SiteMask, SitePoints, Square, SquaredMap,
    },
    isosurface::{self, DeviceMesh, HostMesh, IsosurfaceError, IsosurfaceParams, MeshParts},
    render::{self, Picture, RenderError, RenderParams, SkeletonStyle},
    skeleton::Skeleton,
    volume::{AnyVolume, Volume, VolumeView},
};

/// A volume that kernels can read. i32 and f64 have become f32 before.
pub enum KernelVolume {
    U8(Volume<u8>),
    I8(Volume<i8>),
    U16(Volume<u16>),
    I16(Volume<i16>),
    F32(Volume<f32>),
}

/// The same, on a device.
pub enum OnDevice {
    U8(DeviceVolume<u8>),
    I8(DeviceVolume<i8>),
    U16(DeviceVolume<u16>),
    I16(DeviceVolume<i16>),
    F32(DeviceVolume<f32>),
}

/// Runs one expression on the typed volume inside an [`OnDevice`].
macro_rules! on_device {
    ($any:expr, $volume:ident => $body:expr) => {
        match $any {
            OnDevice::U8($volume) => $body,
            OnDevice::I8($volume) => $body,
            OnDevice::U16($volume) => $body,
            OnDevice::I16($volume) => $body,
            OnDevice::F32($volume) => $body,
        }
    };
}

impl KernelVolume {
    /// The volume with samples of a type that kernels read, and how many samples that rounded.
    pub fn from_any(volume: AnyVolume) -> (Self, usize) {
        match volume {
            AnyVolume::U8(volume) => (Self::U8(volume), 0),
            AnyVolume::I8(volume) => (Self::I8(volume), 0),
            AnyVolume::U16(volume) => (Self::U16(volume), 0),
            AnyVolume::I16(volume) => (Self::I16(volume), 0),
            AnyVolume::F32(volume) => (Self::F32(volume), 0),
            other @ (AnyVolume::I32(_) | AnyVolume::F64(_)) => {
                let (volume, conversion) = other.into_f32();
                (Self::F32(volume), conversion.inexact)
            }
        }
    }

    /// Copies the samples to the stream's device, and waits until they are there.
    pub fn upload(&self, stream: &Stream) -> Result<OnDevice, DeviceError> {
        let uploaded = match self {
            Self::U8(volume) => OnDevice::U8(DeviceVolume::upload(stream, volume.view())?),
            Self::I8(volume) => OnDevice::I8(DeviceVolume::upload(stream, volume.view())?),
            Self::U16(volume) => OnDevice::U16(DeviceVolume::upload(stream, volume.view())?),
            Self::I16(volume) => OnDevice::I16(DeviceVolume::upload(stream, volume.view())?),
            Self::F32(volume) => OnDevice::F32(DeviceVolume::upload(stream, volume.view())?),
        };
        stream.synchronize()?;
        Ok(uploaded)
    }

    /// The isosurface, made by several devices together.
    pub fn extract_parts(
        &self,
        devices: &[Device],
        mask: Option<VolumeView<'_, u8>>,
        params: &IsosurfaceParams,
    ) -> Result<MeshParts, IsosurfaceError> {
        match self {
            Self::U8(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
            Self::I8(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
            Self::U16(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
            Self::I16(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
            Self::F32(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
        }
    }
}

impl OnDevice {
    /// The isosurface; waits until it is there.
    pub fn extract(
        &self,
        stream: &Stream,
        mask: Option<&DeviceVolume<u8>>,
        params: &IsosurfaceParams,
    ) -> Result<DeviceMesh, IsosurfaceError> {
        let mesh = on_device!(self, volume => isosurface::extract(stream, volume, mask, params))?;
        stream.synchronize()?;
        Ok(mesh)
    }

    /// The isosurface on the host, made in as many parts as the device's free memory needs.
    pub fn extract_to_host(
        &self,
        stream: &Stream,
        mask: Option<&DeviceVolume<u8>>,
        params: &IsosurfaceParams,
    ) -> Result<HostMesh, IsosurfaceError> {
        on_device!(self, volume => isosurface::extract_to_host(stream, volume, mask, params, None))
    }

    /// The voxels above a level, or below it.
    pub fn within(
        &self,
        stream: &Stream,
        level: f32,
        above: bool,
    ) -> Result<SiteMask, DistanceError> {
        on_device!(self, volume => match above {
            true => SiteMask::above(stream, volume, level),
            false => SiteMask::below(stream, volume, level),
        })
    }

    /// The voxels of one label.
    pub fn of_label(&self, stream: &Stream, label: f32) -> Result<SiteMask, DistanceError> {
        on_device!(self, volume => SiteMask::between(stream, volume, label, label))
    }

    /// The voxels that are not zero.
    pub fn not_zero(&self, stream: &Stream) -> Result<SiteMask, DistanceError> {
        on_device!(self, volume => SiteMask::from_mask(stream, volume))
    }

    /// The points between voxels where the samples take a level.
    pub fn crossings(&self, stream: &Stream, level: f32) -> Result<SitePoints, DistanceError> {
        on_device!(self, volume => SitePoints::from_crossings(stream, volume, level))
    }

    /// The voxels beside another label.
    pub fn label_edges(&self, stream: &Stream) -> Result<SiteMask, DistanceError> {
        on_device!(self, volume => SiteMask::from_label_edges(stream, volume))
    }

    /// The distances to the nearest voxel of another label.
    pub fn label_map(
        &self,
        stream: &Stream,
        params: &DistanceParams,
    ) -> Result<DistanceMap, DistanceError> {
        on_device!(self, volume => distance::label_map(stream, volume, params))
    }

    /// The same, squared.
    pub fn squared_label_map<S: Square>(
        &self,
        stream: &Stream,
        params: &DistanceParams,
    ) -> Result<SquaredMap<S>, DistanceError> {
        on_device!(self, volume => distance::squared_label_map(stream, volume, params))
    }

    /// A picture of the isosurface.
    pub fn render(&self, stream: &Stream, params: &RenderParams) -> Result<Picture, RenderError> {
        on_device!(self, volume => render::isosurface(stream, volume, params))
    }

    /// A picture of a skeleton over the isosurface.
    pub fn render_skeleton(
        &self,
        stream: &Stream,
        skeleton: &Skeleton,
        params: &RenderParams,
        style: &SkeletonStyle,
    ) -> Result<Picture, RenderError> {
        on_device!(self, volume => render::skeleton(stream, volume, skeleton, params, style))
    }
}
