//! Meshes extracted in parts equal the whole mesh, bit for bit.

use ferrovox::{
    device::{CpuOptions, Device, DeviceError, Stream},
    grid::{DeviceSample, DeviceVolume, Geometry, Sample, Volume},
    isosurface::{
        self, DeviceSlab, IndexWidth, IsosurfaceError, IsosurfaceParams, MeshParts, Method,
    },
    mesh::Triangles,
    partition::TooLittleMemory,
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    extract::{ExtractedSurface, extract_volume_mesh},
    noise::Noise,
    random::{self, assert_equal},
};
use proptest::prelude::*;
use std::ops::Range;

fn staged<T: DeviceSample + Sample>(
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
) -> ExtractedSurface {
    let params = IsosurfaceParams {
        method: Method::Staged,
        ..*params
    };
    extract_volume_mesh(&Device::cpu(), volume, mask, &params)
}

fn joined(parts: &MeshParts) -> ExtractedSurface {
    let mesh = parts.join().expect("the parts come back");
    assert_eq!(mesh.vertices.len() as u64, parts.vertex_count());
    assert_eq!(mesh.triangles.len() as u64, parts.triangle_count());
    mesh.validate().expect("no index is out of range");
    ExtractedSurface {
        mesh,
        non_finite_cells: parts.non_finite_cells(),
        topology: parts.topology(),
    }
}

/// Returns slabs from the first to the last plane of cells, with random boundaries.
fn random_slabs(planes: u32, noise: &mut Noise) -> Vec<Range<u32>> {
    let mut slabs = Vec::new();
    let mut start = 0;
    while start < planes {
        let end = planes.min(start + 1 + noise.below(4) as u32);
        slabs.push(start..end);
        start = end;
    }
    slabs
}

/// Extracts the mesh from slabs that are uploaded separately, each with only the planes that it
/// needs.
fn from_resident_slabs<T: DeviceSample + Sample>(
    streams: &[Stream],
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
    noise: &mut Noise,
) -> MeshParts {
    let dims = volume.dims();
    let border = if params.close { 1 } else { 0 };
    let planes = match isosurface::slabs(dims, params.close, 1).unwrap().pop() {
        Some(all) => all.cells.end,
        None => 0,
    };
    let plane = dims[0] * dims[1];
    let mut resident = Vec::new();
    for (number, cells) in random_slabs(planes, noise).into_iter().enumerate() {
        let stream = &streams[number % streams.len()];
        let first = (cells.start as usize).saturating_sub(1 + border);
        let end = (cells.end as usize + 2 - border).min(dims[2]);
        let dims = [dims[0], dims[1], end - first];
        let elements = first * plane..end * plane;
        let samples = stream.upload(&volume.samples()[elements.clone()]).unwrap();
        let samples = DeviceVolume::from_buffer(samples, dims, Geometry::default()).unwrap();
        let mask = mask.map(|mask| {
            let mask = stream.upload(&mask.samples()[elements]).unwrap();
            DeviceVolume::from_buffer(mask, dims, Geometry::default()).unwrap()
        });
        resident.push((stream, samples, mask, first, cells));
    }
    let slabs: Vec<_> = resident
        .iter()
        .map(|(stream, samples, mask, first_plane, cells)| DeviceSlab {
            stream,
            samples,
            mask: mask.as_ref(),
            first_plane: *first_plane,
            cells: cells.clone(),
        })
        .collect();
    if slabs.is_empty() {
        return isosurface::extract_parts(&[Device::cpu()], volume.view(), None, params).unwrap();
    }
    isosurface::extract_slabs(dims, volume.geometry(), &slabs, params).unwrap()
}

/// Extracts the mesh with the minimum memory budget.
fn extract_with_minimum_memory<T: DeviceSample + Sample>(
    device: &Device,
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
) -> MeshParts {
    let stream = device.stream().unwrap();
    let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let mask = mask.map(|mask| DeviceVolume::upload(&stream, mask.view()).unwrap());
    let run =
        |memory| isosurface::extract_within_budget(&stream, &volume, mask.as_ref(), params, memory);
    let min_bytes = match run(Some(0)) {
        Err(IsosurfaceError::Memory(TooLittleMemory {
            budget: 0,
            needed: min_bytes,
        })) => min_bytes,
        Err(error) => panic!("{error}"),
        // an empty mesh needs no memory
        Ok(parts) => {
            assert!(parts.parts.is_empty());
            return parts;
        }
    };
    let error = run(Some(min_bytes - 1)).err().expect("a byte too little");
    assert!(
        matches!(error, IsosurfaceError::Memory(TooLittleMemory { budget, needed }) if (budget, needed) == (min_bytes - 1, min_bytes)),
        "{error}"
    );
    // more than enough if parts are not kept
    let (mut parts, mut vertices) = (0, 0);
    let each = |part: isosurface::MeshPart| {
        assert_eq!(part.first_vertex, vertices);
        parts += 1;
        vertices += part.mesh.vertex_count() as u64;
        Ok::<_, IsosurfaceError>(())
    };
    isosurface::for_each_part(
        &stream,
        &volume,
        mask.as_ref(),
        params,
        Some(min_bytes),
        each,
    )
    .unwrap();
    assert!(parts > 0);
    let host =
        isosurface::extract_to_host(&stream, &volume, mask.as_ref(), params, Some(min_bytes))
            .unwrap();
    assert_eq!(host.parts, parts);
    let host = ExtractedSurface {
        mesh: host.mesh,
        non_finite_cells: host.non_finite_cells,
        topology: host.topology,
    };
    assert_equal(
        "on the host",
        &host,
        &joined(&run(Some(min_bytes)).unwrap()),
    );
    let unlimited = run(None).unwrap();
    assert_eq!(unlimited.parts.len(), 1);
    assert_eq!(unlimited.vertex_count(), vertices);
    run(Some(min_bytes)).unwrap()
}

/// Checks all devices, each of them used as 1, 2, 3 and 8 devices, and all together.
fn check_all<T: DeviceSample + Sample>(
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
    on: &[TestDevice],
    seed: u64,
) {
    let expected = staged(volume, mask, params);
    let parts_on = |label: &str, devices: &[Device]| {
        let view = mask.map(Volume::view);
        let parts = isosurface::extract_parts(devices, volume.view(), view, params).unwrap();
        assert!(parts.parts.len() <= devices.len(), "{label}");
        assert_equal(label, &joined(&parts), &expected);
    };
    let mut noise = Noise(seed);
    for test in on {
        for count in [1, 2, 3, 8] {
            let label = format!("{count} times {}", test.label);
            parts_on(&label, &vec![test.device.clone(); count]);
        }
        let label = format!("resident slabs on {}", test.label);
        let streams = [test.device.stream().unwrap(), test.device.stream().unwrap()];
        let parts = from_resident_slabs(&streams, volume, mask, params, &mut noise);
        assert_equal(&label, &joined(&parts), &expected);
        let label = format!("{}, little memory", test.label);
        let parts = extract_with_minimum_memory(&test.device, volume, mask, params);
        assert_equal(&label, &joined(&parts), &expected);
    }
    parts_on("all devices", &Device::all());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn floats_with_holes_and_hits(
        dims in prop_oneof![[0usize..10, 1usize..10, 0usize..14], [30usize..70, 1usize..5, 1usize..6]],
        seed in any::<u64>(),
        choice in 0u8..64,
        holes in any::<bool>(),
        masked in any::<bool>(),
    ) {
        let volume = random::floats(dims, seed, 0.25, holes);
        let mask = masked.then(|| random::mask(dims, seed));
        let params = random::params(0.25, choice);
        let on = if seed % 3 == 0 { devices::all() } else { devices::fast() };
        check_all(&volume, mask.as_ref(), &params, &on, seed);
    }

    #[test]
    fn integers(dims in [1usize..12, 1usize..12, 1usize..12], seed in any::<u64>(), choice in 0u8..64) {
        let on = devices::fast();
        check_all(&random::integers(dims, seed, |bits| bits as u8), None, &random::params(127.0, choice), &on, seed);
        check_all(&random::integers(dims, seed, |bits| bits as i8), None, &random::params(0.0, choice), &on, seed);
        check_all(&random::integers(dims, seed, |bits| bits as u16), None, &random::params(30000.5, choice), &on, seed);
        check_all(&random::integers(dims, seed, |bits| bits as i16), None, &random::params(-12.0, choice), &on, seed);
    }
}

#[test]
fn parts_of_a_volume_of_many_tiles_join() {
    let dims = [132, 67, 23];
    let volume = random::floats(dims, 5, 0.1, true);
    for choice in [4, 12] {
        check_all(
            &volume,
            None,
            &random::params(0.1, choice),
            &devices::fast(),
            5,
        );
    }
}

#[test]
fn parts_have_the_offsets_of_the_whole_mesh() {
    let volume = random::floats([9, 9, 9], 3, 0.0, false);
    let devices = vec![Device::cpu(); 3];
    let params = IsosurfaceParams {
        time_stages: true,
        ..IsosurfaceParams::default()
    };
    let parts = isosurface::extract_parts(&devices, volume.view(), None, &params).unwrap();
    let mut first = 0;
    let cells: Vec<_> = parts.parts.iter().map(|part| part.cells.clone()).collect();
    assert_eq!(cells, [0..2, 2..5, 5..8]);
    for part in &parts.parts {
        assert_eq!(part.first_vertex, first);
        assert_eq!(part.device().id(), "cpu");
        let stages = part.mesh.stage_times().unwrap();
        assert!(stages.iter().any(|stage| stage.stage == "triangles"));
        first += part.mesh.vertex_count() as u64;
    }
}

#[test]
fn wide_indices_are_used_on_request() {
    let volume = random::floats([9, 8, 7], 3, 0.0, false);
    let params = IsosurfaceParams {
        index_width: IndexWidth::Bits64,
        ..Default::default()
    };
    let expected = staged(&volume, None, &params);
    assert!(matches!(expected.mesh.triangles, Triangles::U64(_)));
    let devices = vec![Device::cpu(); 3];
    let parts = isosurface::extract_parts(&devices, volume.view(), None, &params).unwrap();
    assert_equal("three parts", &joined(&parts), &expected);
    let parts = extract_with_minimum_memory(&Device::cpu(), &volume, None, &params);
    assert!(parts.parts.len() > 1);
    assert_equal("little memory", &joined(&parts), &expected);
}

/// Returns a device that fails at its first kernel, as its blocks have no threads.
fn failing_device() -> Device {
    Device::cpu_with(CpuOptions {
        block: 0,
        ..CpuOptions::default()
    })
}

#[test]
fn failing_device_is_reported_and_others_do_not_wait() {
    let volume = random::floats([9, 9, 9], 3, 0.0, false);
    let params = IsosurfaceParams::default();
    for index in 0..3 {
        let mut devices = vec![Device::cpu(); 3];
        devices[index] = failing_device();
        let error = isosurface::extract_parts(&devices, volume.view(), None, &params)
            .err()
            .expect("a device fails");
        let text = error.to_string();
        assert!(
            text.contains(&format!("cpu (device {} of 3)", index + 1)),
            "{text}"
        );
        assert!(
            matches!(&error, IsosurfaceError::OnDevice(error)
                if matches!(*error.source, IsosurfaceError::Device(DeviceError::Kernel(_)))),
            "{error:?}"
        );
    }
}

#[test]
fn invalid_slabs_are_errors() {
    let volume = random::floats([5, 5, 5], 3, 0.0, false);
    let params = IsosurfaceParams::default();
    let error = isosurface::extract_parts(&[], volume.view(), None, &params).err();
    assert!(matches!(error, Some(IsosurfaceError::NoDevices)));
    let mask = random::mask([5, 5, 4], 3);
    let error =
        isosurface::extract_parts(&[Device::cpu()], volume.view(), Some(mask.view()), &params);
    assert!(matches!(error, Err(IsosurfaceError::MaskDims { .. })));

    let stream = Device::cpu().stream().unwrap();
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let slab = |first_plane, cells| DeviceSlab {
        stream: &stream,
        samples: &on_device,
        mask: None,
        first_plane,
        cells,
    };
    let run = |dims, slabs: &[DeviceSlab<'_, f32>]| {
        isosurface::extract_slabs(dims, volume.geometry(), slabs, &params).map(|_| ())
    };
    let dims = [5, 5, 5];
    assert!(run(dims, &[slab(0, 0..2), slab(0, 2..4)]).is_ok());
    let order = |slabs: &[DeviceSlab<'_, f32>]| {
        let error = run(dims, slabs).unwrap_err();
        assert!(
            matches!(error, IsosurfaceError::SlabOrder { .. }),
            "{error}"
        );
    };
    order(&[slab(0, 0..2)]);
    order(&[slab(0, 0..2), slab(0, 3..4)]);
    order(&[slab(0, 0..2), slab(0, 1..4)]);
    order(&[slab(0, 0..5)]);
    order(&[slab(0, 0..0), slab(0, 0..4)]);
    let error = run([5, 4, 5], &[slab(0, 0..4)]).unwrap_err();
    assert!(matches!(error, IsosurfaceError::SlabDims { .. }), "{error}");
    let error = run([5, 5, 9], &[slab(0, 0..4), slab(4, 4..8)]).unwrap_err();
    assert!(
        matches!(error, IsosurfaceError::MissingPlanes { .. }),
        "{error}"
    );
}
