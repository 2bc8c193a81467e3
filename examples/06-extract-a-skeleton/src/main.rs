//! Extracts the curve skeleton of a solid with three limbs: a graph with one curve per limb.

use ferrovox::{
    device::Device,
    grid::DeviceMask,
    io::write_skeleton,
    nalgebra::{Point3, distance},
    skeleton::{Prune, potential_field},
    synthetic::{self, Capsule},
};
use std::{env, error::Error, fs};

const HUB: [f32; 3] = [32.0, 28.0, 12.0];
const TIPS: [[f32; 3]; 3] = [[10.0, 10.0, 12.0], [54.0, 10.0, 12.0], [32.0, 58.0, 12.0]];

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let stream = device.stream()?;

    // 1. Create a solid: the voxels where a volume is at least 0. `Mask::upload` uploads a mask of
    //    your own.
    let limbs = TIPS.map(|tip| Capsule {
        ends: [HUB, tip],
        radii: [6.0, 5.0],
    });
    let depth = synthetic::capsules(&stream, [64, 68, 25], &limbs, 2.0, [1.0; 3], [0.0; 3])?;
    let solid = DeviceMask::above(&stream, &depth, 0.0)?;

    // 2. Extract its skeleton. The certificate shows for each component of the solid whether all
    //    critical points of the force field were found.
    let extraction =
        potential_field::extract(&stream, &solid, &potential_field::Params::default())?;
    assert!(
        extraction
            .certificate
            .iter()
            .all(|component| component.is_balanced())
    );
    println!(
        "{device}: {} voxels, all critical points found",
        solid.count(&stream)?
    );

    // 3. Prune branches that are shorter than the local radius.
    let mut skeleton = extraction.skeleton;
    let removed = skeleton.prune(Prune::LengthByRadius(1.0))?;
    println!(
        "{removed} short branches removed, {:.1} long in all",
        skeleton.length()
    );
    assert!(skeleton.is_connected() && skeleton.cycles() == 0);

    // 4. Traverse the graph: a branch is a chain of edges between endpoints and junctions.
    let degrees = skeleton.degrees();
    let describe = |node| match degrees[node] {
        1 => format!("the endpoint at {:.1}", skeleton.node_in_world(node)),
        degree => format!("a junction of degree {degree}"),
    };
    for branch in skeleton.chains() {
        let [from, to] = branch.ends();
        let edges = || branch.edges.iter().map(|&edge| &skeleton.edges[edge]);
        let length: f64 = edges().map(|edge| skeleton.curve_length(edge)).sum();
        let radii = edges().flat_map(|edge| edge.radii.iter().copied());
        let (min, max) = (
            radii.clone().fold(f64::INFINITY, f64::min),
            radii.fold(0.0, f64::max),
        );
        println!(
            "from {} to {}: {length:.1} long, radius {min:.1} to {max:.1}",
            describe(from),
            describe(to)
        );
    }

    // 5. Check the result: one endpoint per limb, near the centre of its half ball, and one
    //    junction.
    let ends: Vec<usize> = (0..degrees.len())
        .filter(|&node| degrees[node] == 1)
        .collect();
    assert_eq!((ends.len(), skeleton.chains().len()), (3, 3));
    for tip in TIPS.map(|tip| Point3::from(tip).cast::<f64>()) {
        let to_tip = |&end: &usize| distance(&skeleton.node_in_world(end), &tip);
        let nearest = ends.iter().map(to_tip).fold(f64::INFINITY, f64::min);
        assert!(
            nearest < 3.0,
            "the nearest endpoint is {nearest} from {tip}"
        );
    }

    // 6. Write the skeleton. SWC can only represent trees: cycles would be cut, and counted in the
    //    result.
    let path = env::temp_dir().join("limbs.swc");
    let written = write_skeleton(&path, &skeleton)?;
    let text = fs::read_to_string(&path)?;
    let roots = text.lines().filter(|line| line.ends_with(" -1")).count();
    assert_eq!((written.cut_cycles, roots), (0, 1));
    println!("{}", path.display());
    Ok(())
}
