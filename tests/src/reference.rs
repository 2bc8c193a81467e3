//! Reference implementation of isosurface vertices, derived from the definition without a case
//! table.

use ferrovox::isosurface::Inside;

/// Computes the vertices of the isosurface at unit spacing by definition: one on every grid edge
/// whose ends are on different sides, if an adjacent cell is included; ordered by grid plane, with
/// the edges in a plane first.
///
/// A cell is included if all its samples are finite and `mask` (if any) is non-zero at all of them.
pub fn vertices(samples: &[f32], mask: Option<&[u8]>, dims: [usize; 3], iso: f32) -> Vec<[f32; 3]> {
    let [nx, ny, nz] = dims;
    let at = |p: [usize; 3]| (p[2] * ny + p[1]) * nx + p[0];
    let counts = |low: [i64; 3]| {
        (0..8).all(|corner| {
            let p = [0, 1, 2].map(|k| low[k] + (corner >> k & 1));
            let inside = (0..3).all(|k| p[k] >= 0 && p[k] < dims[k] as i64);
            inside && {
                let i = at(p.map(|c| c as usize));
                samples[i].is_finite() && mask.is_none_or(|mask| mask[i] != 0)
            }
        })
    };
    let vertex = |p: [usize; 3], axis: usize| -> Option<[f32; 3]> {
        let mut q = p;
        q[axis] += 1;
        if q[axis] >= dims[axis] {
            return None;
        }
        let (a, b) = (samples[at(p)], samples[at(q)]);
        if (a < iso) == (b < iso) {
            return None;
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let used = [(0, 0), (1, 0), (0, 1), (1, 1)].iter().any(|&(du, dv)| {
            let mut low = p.map(|c| c as i64);
            low[u] -= du;
            low[v] -= dv;
            counts(low)
        });
        if !used {
            return None;
        }
        let t =
            ((iso as f64 - a as f64) / (b as f64 - a as f64)).clamp(1.0 / 1024.0, 1023.0 / 1024.0);
        let mut position = p.map(|c| c as f64);
        position[axis] += t;
        Some(position.map(|c| c as f32))
    };
    let mut vertices = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                vertices.extend([0, 1].iter().filter_map(|&axis| vertex([x, y, z], axis)));
            }
        }
        for y in 0..ny {
            for x in 0..nx {
                vertices.extend(vertex([x, y, z], 2));
            }
        }
    }
    vertices
}

/// Estimates the volume of the solid where `field` is inside, from `n`³ points in the box. Checks
/// orientation and size, with an error of about the surface area times the distance of the points.
pub fn solid_volume(
    size: f64,
    n: usize,
    iso: f64,
    inside: Inside,
    field: impl Fn([f64; 3]) -> f64,
) -> f64 {
    let step = size / n as f64;
    let mut points = 0u64;
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                let value = field([x, y, z].map(|c| (c as f64 + 0.5) * step));
                points += u64::from((value >= iso) == (inside == Inside::Above));
            }
        }
    }
    points as f64 * step * step * step
}
