//! Component filters compared with flood fills of voxels.

use ferrovox::{
    device::Device,
    grid::{Geometry, Inside, Mask, Volume},
    isosurface::{IsosurfaceParams, Topology, VertexPlacement},
    mesh::{self, TriangleMesh},
    mesh_filter::{ComponentFilter, MeshFilterError, filter_components},
};
use ferrovox_tests::{extract::extract_volume_mesh, noise::Noise, random::geometry};
use proptest::prelude::*;

/// Returns the component of each voxel, and the number of voxels of each component; components at
/// the border of the grid are infinite if `open`.
fn components(
    dims: [usize; 3],
    is_of: impl Fn([usize; 3]) -> bool,
    steps: &[[isize; 3]],
    open: bool,
) -> (Vec<Option<usize>>, Vec<u64>) {
    let [nx, ny, nz] = dims;
    let at = |[x, y, z]: [usize; 3]| (z * ny + y) * nx + x;
    let mut labels = vec![None; nx * ny * nz];
    let mut sizes = Vec::new();
    for first in (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / nx / ny]) {
        if labels[at(first)].is_some() || !is_of(first) {
            continue;
        }
        let label = sizes.len();
        let (mut size, mut endless) = (0u64, false);
        let mut stack = vec![first];
        labels[at(first)] = Some(label);
        while let Some(voxel) = stack.pop() {
            size += 1;
            endless |= (0..3).any(|k| voxel[k] == 0 || voxel[k] + 1 == dims[k]);
            for step in steps {
                let other: Vec<usize> = (0..3)
                    .filter_map(|k| {
                        voxel[k]
                            .checked_add_signed(step[k])
                            .filter(|&c| c < dims[k])
                    })
                    .collect();
                let Ok(other) = <[usize; 3]>::try_from(other) else {
                    continue;
                };
                if labels[at(other)].is_none() && is_of(other) {
                    labels[at(other)] = Some(label);
                    stack.push(other);
                }
            }
        }
        sizes.push(if endless && open { u64::MAX } else { size });
    }
    (labels, sizes)
}

/// Returns the steps to neighbours that differ in at most `max` coordinates.
fn steps(max: usize) -> Vec<[isize; 3]> {
    let all = (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]);
    let differing = |step: &[isize; 3]| step.iter().filter(|&&c| c != 0).count();
    all.filter(|step| (1..=max).contains(&differing(step)))
        .collect()
}

/// Returns blobs, holes and dust as samples of 0 and 1.
fn blobs(dims: [usize; 3], seed: u64, share: u64) -> Volume<u8> {
    let mut noise = Noise(seed);
    let dust: Vec<u8> = (0..dims.iter().product::<usize>())
        .map(|_| (noise.below(10) < share) as u8)
        .collect();
    Volume::new(dust, dims, geometry(seed)).unwrap()
}

fn sorted(mesh: &TriangleMesh) -> Vec<[u32; 3]> {
    let mut bits: Vec<[u32; 3]> = mesh.vertices.iter().map(|v| v.map(f32::to_bits)).collect();
    bits.sort_unstable();
    bits
}

fn extract_mesh(volume: &Volume<u8>, params: IsosurfaceParams) -> TriangleMesh {
    let params = IsosurfaceParams {
        iso: 0.5,
        normals: true,
        ..params
    };
    extract_volume_mesh(&Device::cpu(), volume, None, &params).mesh
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// With above voxels separated, voxels above are connected if they share a face, voxels below
    /// also if they share an edge.
    #[test]
    fn components_match_flood_fills(
        dims in [1usize..40, 1usize..9, 1usize..9],
        seed in any::<u64>(),
        share in 1u64..10,
        min_voxels in 0u64..12,
        largest in any::<bool>(),
    ) {
        let volume = blobs(dims, seed, share);
        let all = extract_mesh(&volume, IsosurfaceParams::default());
        let solid = Mask::from_threshold(&volume.clone().into(), 0.5, Inside::Above).unwrap();
        let choice = ComponentFilter { largest, min_voxels, ..ComponentFilter::default() };
        let (found, report) = filter_components(&all, &solid, choice).unwrap();

        let inside = |[x, y, z]: [usize; 3]| volume.samples()[(z * dims[1] + y) * dims[0] + x] > 0;
        let (labels, mut sizes) = components(dims, inside, &steps(1), false);
        let (others, other_sizes) = components(dims, |voxel| !inside(voxel), &steps(2), true);
        let [nx, ny, nz] = dims;
        let mut edges = Vec::new();
        for i in 0..nx * ny * nz {
            for (axis, step) in [1, nx, nx * ny].into_iter().enumerate() {
                let place = [i % nx, i / nx % ny, i / nx / ny];
                // an edge has a vertex if a cell is adjacent to it
                let has_cells = dims.iter().all(|&n| n > 1);
                if has_cells && place[axis] + 1 < dims[axis] && labels[i].is_some() != labels[i + step].is_some() {
                    edges.push((place, axis, labels[i].or(labels[i + step]).unwrap(), others[i].or(others[i + step]).unwrap()));
                }
            }
        }
        // components without a surface do not count
        for (label, size) in sizes.iter_mut().enumerate() {
            if !edges.iter().any(|edge| edge.2 == label) {
                *size = 0;
            }
        }
        let max = sizes.iter().copied().max().unwrap_or(0);
        prop_assume!(!largest || sizes.iter().filter(|&&size| size == max).count() <= 1);
        let mut expected: Vec<[u32; 3]> = edges
            .iter()
            .filter(|edge| sizes[edge.2].min(other_sizes[edge.3]) >= min_voxels && !(largest && sizes[edge.2] < max))
            .map(|(place, axis, ..)| {
                let mut index = place.map(|c| c as f64);
                index[*axis] += 0.5;
                let world = volume.geometry().index_to_world(index.into());
                [world.x, world.y, world.z].map(|x| (x as f32).to_bits())
            })
            .collect();
        expected.sort_unstable();
        let near = |a: &[u32; 3], b: &[u32; 3]| (0..3).all(|k| (f32::from_bits(a[k]) - f32::from_bits(b[k])).abs() < 1e-3);
        let found_sorted = sorted(&found);
        prop_assert_eq!(found_sorted.len(), expected.len());
        // the same bits, except for the order of rounding
        prop_assert!(expected.iter().all(|e| found_sorted.iter().any(|f| near(e, f))));
        prop_assert_eq!(found.normals.as_ref().map(Vec::len), Some(found.vertices.len()));
        prop_assert_eq!(report.surfaces as usize, mesh::check(&found).components);
        if min_voxels <= 1 && !largest {
            prop_assert_eq!(&found, &all);
        }
    }

    /// For any resolution of ambiguous cells and any vertex placement: whole surfaces remain, and
    /// filtering twice equals filtering once.
    #[test]
    fn kept_surfaces_are_unchanged(
        dims in [2usize..20, 2usize..9, 2usize..9],
        seed in any::<u64>(),
        min_voxels in 0u64..20,
        rules in 0usize..8,
    ) {
        let volume = blobs(dims, seed, 4);
        let params = IsosurfaceParams {
            topology: Topology::ALL[rules & 1],
            vertices: VertexPlacement::ALL[rules >> 1 & 1],
            close: rules & 4 != 0,
            ..IsosurfaceParams::default()
        };
        let all = extract_mesh(&volume, params);
        let solid = Mask::from_threshold(&volume.into(), 0.5, Inside::Above).unwrap();
        let choice = ComponentFilter { min_voxels, ..ComponentFilter::default() };
        let (found, report) = filter_components(&all, &solid, choice).unwrap();
        let (before, after) = (mesh::check(&all), mesh::check(&found));
        prop_assert_eq!(report.surfaces_before as usize, before.components);
        prop_assert_eq!(report.surfaces as usize, after.components);
        prop_assert_eq!(before.is_manifold(), after.is_manifold());
        prop_assert!(after.boundary_edges <= before.boundary_edges);
        let (again, _) = filter_components(&found, &solid, choice).unwrap();
        prop_assert_eq!(again, found);
    }
}

#[test]
fn cavities_follow_their_component() {
    // a hollow cube of 5^3 - 1 voxels with a cavity of one voxel, and a separate voxel
    let value = |x: usize, y: usize, z: usize| {
        let cube = [x, y, z].iter().all(|c| (1..6).contains(c)) && [x, y, z] != [3, 3, 3];
        (cube || [x, y, z] == [8, 3, 3]) as u8
    };
    let volume = Volume::from_fn([10, 7, 7], Geometry::default(), value).unwrap();
    let mut all = extract_mesh(&volume, IsosurfaceParams::default());
    // a mesh from a file with f32 positions in world coordinates
    all.round_to_world();
    let solid = Mask::from_threshold(&volume.into(), 0.5, Inside::Above).unwrap();
    let chosen = |largest, min_voxels| {
        let choice = ComponentFilter {
            largest,
            min_voxels,
            ..ComponentFilter::default()
        };
        let (mesh, report) = filter_components(&all, &solid, choice).unwrap();
        (
            mesh::check(&mesh).components,
            report.surfaces_before,
            report.largest_voxels,
        )
    };
    assert_eq!(chosen(false, 0), (3, 3, 124));
    assert_eq!(chosen(true, 0), (2, 3, 124));
    // the cavity of one voxel is removed too
    assert_eq!(chosen(false, 2), (1, 3, 124));
    assert_eq!(chosen(false, 125), (0, 3, 0));
}

#[test]
fn meshes_of_another_solid_are_rejected() {
    let volume = blobs([9, 9, 9], 5, 5);
    let all = extract_mesh(&volume, IsosurfaceParams::default());
    let other = Mask::new([9, 9, 9], *volume.geometry()).unwrap();
    let choice = ComponentFilter {
        largest: true,
        ..ComponentFilter::default()
    };
    let error = filter_components(&all, &other, choice).unwrap_err();
    assert!(
        matches!(error, MeshFilterError::NotOfSolid { .. }),
        "{error}"
    );
    let far = Geometry::from_spacing([1.0; 3], [3e6, 0.0, 0.0]).unwrap();
    let volume = Volume::new(volume.samples().to_vec(), [9, 9, 9], far).unwrap();
    let mut all = extract_mesh(&volume, IsosurfaceParams::default());
    // like a mesh from a file with 32-bit positions in world coordinates
    all.round_to_world();
    let solid = Mask::from_threshold(&volume.into(), 0.5, Inside::Above).unwrap();
    let error = filter_components(&all, &solid, choice).unwrap_err();
    assert!(matches!(error, MeshFilterError::TooFar { .. }), "{error}");
}
