//! The centre lines of a solid as a graph: three limbs that meet, and a curve along the middle of
//! each.

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

    // 1. A solid: the voxels where a volume is 0 or more. A mask of your own comes there by
    //    `Mask::upload`.
    let limbs = TIPS.map(|tip| Capsule {
        ends: [HUB, tip],
        radii: [6.0, 5.0],
    });
    let depth = synthetic::capsules(&stream, [64, 68, 25], &limbs, 2.0, [1.0; 3], [0.0; 3])?;
    let solid = DeviceMask::above(&stream, &depth, 0.0)?;

    // 2. Its skeleton. The certificate says of each component of the solid whether all critical
    //    points of the field were found.
    let found = potential_field::extract(&stream, &solid, &potential_field::Params::default())?;
    assert!(
        found
            .certificate
            .iter()
            .all(|component| component.is_balanced())
    );
    println!(
        "{device}: {} voxels, all critical points found",
        solid.count(&stream)?
    );

    // 3. Without branches that are shorter than the solid is thick, and without nodes in the middle
    //    of a branch.
    let mut skeleton = found.skeleton;
    let removed = skeleton.prune(Prune::LengthByRadius(1.0))?;
    println!(
        "{removed} short branches removed, {:.1} long in all",
        skeleton.length()
    );
    assert!(skeleton.is_connected() && skeleton.cycles() == 0);

    // 4. Walk the graph: a branch is a chain of edges between nodes where it ends or meets others.
    let degrees = skeleton.degrees();
    let place = |node| match degrees[node] {
        1 => format!("the end at {:.1}", skeleton.node_in_world(node)),
        branches => format!("a junction of {branches}"),
    };
    for branch in skeleton.chains() {
        let [from, to] = branch.ends();
        let edges = || branch.edges.iter().map(|&edge| &skeleton.edges[edge]);
        let length: f64 = edges().map(|edge| skeleton.curve_length(edge)).sum();
        let radii = edges().flat_map(|edge| edge.radii.iter().copied());
        let (least, most) = (
            radii.clone().fold(f64::INFINITY, f64::min),
            radii.fold(0.0, f64::max),
        );
        println!(
            "from {} to {}: {length:.1} long, radius {least:.1} to {most:.1}",
            place(from),
            place(to)
        );
    }

    // 5. One end for each limb, near the middle of the half ball there, and one place where they
    //    meet.
    let ends: Vec<usize> = (0..degrees.len())
        .filter(|&node| degrees[node] == 1)
        .collect();
    assert_eq!((ends.len(), skeleton.chains().len()), (3, 3));
    for tip in TIPS.map(|tip| Point3::from(tip).cast::<f64>()) {
        let to_tip = |&end: &usize| distance(&skeleton.node_in_world(end), &tip);
        let nearest = ends.iter().map(to_tip).fold(f64::INFINITY, f64::min);
        assert!(nearest < 3.0, "the skeleton ends {nearest} from {tip}");
    }

    // 6. Write it. SWC has trees only; a skeleton with cycles would be cut, and the result says how
    //    often.
    let path = env::temp_dir().join("limbs.swc");
    let written = write_skeleton(&path, &skeleton)?;
    let text = fs::read_to_string(&path)?;
    let roots = text.lines().filter(|line| line.ends_with(" -1")).count();
    assert_eq!((written.cut_cycles, roots), (0, 1));
    println!("{}", path.display());
    Ok(())
}
