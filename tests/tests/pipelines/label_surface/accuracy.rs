//! Volumes, angles and positions of label surfaces.

use super::{assert_manifold, balls};
use ferrovox::{
    grid::{Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceParams},
    mesh::{TriangleMesh, count_self_intersections},
};
use std::collections::HashMap;

/// Labels enclose the volume of their voxels, also single voxels, for anisotropic and mirrored
/// grids, and far from the world origin.
#[test]
fn labels_enclose_the_volume_of_their_voxels() {
    for (spacing, origin) in [
        ([1.0; 3], [0.0; 3]),
        ([0.5, 0.75, 2.0], [5.0; 3]),
        ([1.0; 3], [4.0e6, -3.0e6, 10.0]),
    ] {
        let geometry = Geometry::from_spacing(spacing, origin).unwrap();
        let volume = Volume::from_fn([48, 40, 44], geometry, |x, y, z| balls([x, y, z]));
        let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
        assert_eq!(field.labels(), [1, 7, 9, 300]);
        let stream = ferrovox::device::Device::cpu().stream().unwrap();
        let surface = label_surface::extract(&stream, &field, &LabelSurfaceParams::default());
        let surface = surface.unwrap();
        assert_eq!(surface.unshared_wall_count(), 0);
        let walls = surface.download(&stream, &field).unwrap();
        let voxel = geometry.determinant();
        for (&label, &voxels) in field.labels().iter().zip(field.voxels()) {
            let part = walls.label_mesh(label).unwrap();
            assert_manifold(&part.mesh, &format!("label {label}"));
            assert_eq!(count_self_intersections(&part.mesh), Ok(0));
            let report = part.check().unwrap();
            let components = if label == 9 { 2 } else { 1 };
            assert_eq!(report.components, components);
            assert_eq!(report.euler_characteristic(), 2 * components as i64);
            let ratio = report.volume / (voxels as f64 * voxel);
            println!("label {label}: {voxels} voxels, {ratio:.5} of them enclosed");
            assert!((ratio - 1.0).abs() < 0.003, "label {label}: {ratio}");
        }
    }
}

/// Returns the mean angle between the normals of adjacent triangles, in degrees.
fn mean_dihedral_angle(mesh: &TriangleMesh) -> f64 {
    let mut normals = HashMap::new();
    let (mut sum, mut count) = (0.0, 0.0);
    for triangle in mesh.triangles.iter() {
        let corner = |k: usize| nalgebra::Point3::from(mesh.vertices[triangle[k] as usize]);
        let [a, b, c] = [corner(0), corner(1), corner(2)].map(|it| it.cast::<f64>());
        let normal = (b - a).cross(&(c - a)).normalize();
        for k in 0..3 {
            let [from, to] = [triangle[k], triangle[(k + 1) % 3]];
            let used = normals.insert([from, to], normal);
            assert!(used.is_none(), "edge used twice");
            if let Some(other) = normals.get(&[to, from]) {
                sum += normal.dot(other).clamp(-1.0, 1.0).acos().to_degrees();
                count += 1.0;
            }
        }
    }
    sum / count
}

#[test]
fn smoothing_reduces_the_angles_between_triangles() {
    let volume = Volume::from_fn([48, 40, 44], Geometry::default(), |x, y, z| {
        balls([x, y, z])
    });
    let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let angle = |params| {
        let walls = label_surface::extract(&stream, &field, &params).unwrap();
        let walls = walls.download(&stream, &field).unwrap();
        mean_dihedral_angle(&walls.label_mesh(7).unwrap().mesh)
    };
    let (raw, smooth) = (
        angle(LabelSurfaceParams::raw()),
        angle(LabelSurfaceParams::default()),
    );
    println!("{raw:.2} degrees, {smooth:.2} smooth");
    assert!(smooth < 0.6 * raw, "{raw} {smooth}");
}

/// The mesh moves with the volume: a translated part of the volume has the same surface, within
/// cells to the bit.
#[test]
fn crops_of_whole_objects_have_the_same_surface() {
    let dims = [60, 50, 50];
    let surface = |shift: usize| {
        let volume = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
            let at = [x, y, z].map(|it| it.wrapping_sub(shift));
            if at.iter().all(|&it| it < 48) {
                balls(at)
            } else {
                0
            }
        });
        let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
        let stream = ferrovox::device::Device::cpu().stream().unwrap();
        let params = LabelSurfaceParams {
            volume_steps: 0,
            ..LabelSurfaceParams::default()
        };
        let walls = label_surface::extract(&stream, &field, &params).unwrap();
        walls.download(&stream, &field).unwrap()
    };
    let (one, other) = (surface(0), surface(2));
    assert_eq!(one.sides, other.sides);
    assert!(one.mesh.triangles.iter().eq(other.mesh.triangles.iter()));
    for (one, other) in one.mesh.vertices.iter().zip(&other.mesh.vertices) {
        for axis in 0..3 {
            assert!(
                (one[axis] + 2.0 - other[axis]).abs() < 1e-5,
                "{one:?} {other:?}"
            );
        }
    }
}
