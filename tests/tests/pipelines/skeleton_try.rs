use ferrovox::{
    device::Device,
    distance::SiteMask,
    skeleton::{self, Levels, SkeletonParams},
    volume::Geometry,
};

fn solid(dims: [usize; 3], inside: impl Fn([f64; 3]) -> bool) -> Vec<u8> {
    let [nx, ny, nz] = dims;
    (0..nx * ny * nz)
        .map(|i| u8::from(inside([i % nx, i / nx % ny, i / nx / ny].map(|a| a as f64))))
        .collect()
}

fn show(name: &str, dims: [usize; 3], mask: &[u8]) {
    let stream = Device::cpu().stream().unwrap();
    let mask = SiteMask::upload(&stream, mask, dims, Geometry::default()).unwrap();
    for exponent in [3.0, 4.0, 5.0, 6.0] {
        for levels in [Levels::Core, Levels::One] {
            let params = SkeletonParams {
                exponent,
                levels,
                ..Default::default()
            };
            let found = skeleton::skeleton(&stream, &mask, &params).unwrap();
            let s = &found.skeleton;
            println!(
                "{name} m={exponent} {:?}: {:?} nodes {} edges {} cycles {} length {:.2} connected {}",
                levels,
                found
                    .certificate
                    .iter()
                    .map(|c| (
                        c.attracting,
                        c.saddles_index1,
                        c.saddles_index2,
                        c.repelling,
                        c.euler_solid,
                        c.balanced()
                    ))
                    .collect::<Vec<_>>(),
                s.nodes.len(),
                s.edges.len(),
                s.cycles(),
                s.length(),
                s.is_connected()
            );
            if levels == Levels::Core && s.nodes.len() < 12 {
                for n in &s.nodes {
                    println!(
                        "    {} {:.3?} r {:.2}",
                        n.kind.name(),
                        [n.position.x, n.position.y, n.position.z],
                        n.radius
                    );
                }
            }
            if exponent == 6.0 {
                println!("   {:?} {:?}", found.counts, found.timings);
            }
        }
    }
}

#[test]
fn tries() {
    let capsule = solid([23, 23, 66], |[x, y, z]| {
        let zz = z.clamp(12.0, 53.0);
        (x - 11.0).powi(2) + (y - 11.0).powi(2) + (z - zz).powi(2) <= 81.0
    });
    show("capsule", [23, 23, 66], &capsule);
    let torus = solid([65, 65, 21], |[x, y, z]| {
        let r = ((x - 32.0).powi(2) + (y - 32.0).powi(2)).sqrt() - 22.0;
        r * r + (z - 10.0).powi(2) <= 64.0
    });
    show("torus", [65, 65, 21], &torus);
    let ball = solid([25, 25, 25], |[x, y, z]| {
        (x - 12.0).powi(2) + (y - 12.0).powi(2) + (z - 12.0).powi(2) <= 100.0
    });
    show("ball", [25, 25, 25], &ball);
    let bar = solid([44, 34, 13], |[x, y, z]| {
        (2.0..11.0).contains(&z)
            && ((2.0..42.0).contains(&x) && (2.0..11.0).contains(&y)
                || (2.0..11.0).contains(&x) && (2.0..32.0).contains(&y))
    });
    show("L", [44, 34, 13], &bar);
    let tube = |[x, y, z]: [f64; 3], a: [f64; 3], b: [f64; 3], r: f64| {
        let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let l2 = d.iter().map(|v| v * v).sum::<f64>();
        let t = (((x - a[0]) * d[0] + (y - a[1]) * d[1] + (z - a[2]) * d[2]) / l2).clamp(0.0, 1.0);
        (x - a[0] - t * d[0]).powi(2)
            + (y - a[1] - t * d[1]).powi(2)
            + (z - a[2] - t * d[2]).powi(2)
            <= r * r
    };
    let y = solid([70, 22, 70], |p| {
        [[60.0, 11.0, 60.0], [10.0, 11.0, 60.0], [35.0, 11.0, 10.0]]
            .iter()
            .any(|&e| tube(p, [35.0, 11.0, 35.0], e, 7.0))
    });
    show("Y", [70, 22, 70], &y);
}
