//! Prints what skeletons of known solids are like: critical points beside the Euler number, pieces, loops, length, and how far the curves are from the solid's
//! middle.
//!
//! `cargo run --release -p ferrovox-tests --example skeletons -- [PART OF A NAME] [DEVICE] [EXPONENT]…`

use ferrovox::{
    device::Device,
    device_volume::DeviceVolume,
    distance::SiteMask,
    skeleton::{self, Levels, SkeletonParams},
};
use ferrovox_tests::solids::Solid;

fn solids() -> Vec<Solid> {
    let straight = vec![
        Solid::capsule(9.0, 41.0),
        Solid::tube(8.0, 80.0),
        Solid::y_of_tubes(7.0, 26.0),
        Solid::l_bar(4.5, 40.0),
        Solid::torus(22.0, 8.0),
        Solid::double_torus(16.0, 6.0),
        Solid::ball(11.0),
        Solid::ellipsoid([16.0, 10.0, 8.0]),
        Solid::cuboid([20.0, 7.0, 7.0]),
        Solid::cuboid([14.0, 12.0, 8.0]),
        Solid::shell(14.0, 4.0),
    ];
    let mut all = Vec::new();
    for solid in straight {
        all.push(solid.shifted([1.0, 0.0, 0.0]));
        all.push(solid.shifted([0.5, 0.25, 0.0]));
        all.push(solid.turned([0.0, 0.0, 1.0], 0.5));
        all.push(solid.turned([1.0, 2.0, 3.0], 0.9));
        all.push(solid);
    }
    all
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().cloned().unwrap_or_default();
    let device: Device = match arguments.get(1) {
        Some(device) => device.parse()?,
        None => Device::best(),
    };
    let exponents: Vec<f64> = match arguments.get(2..) {
        Some(given) if !given.is_empty() => given
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()?,
        _ => vec![3.0, 4.0, 5.0, 6.0],
    };
    let stream = device.stream()?;
    for solid in solids().iter().filter(|solid| solid.name.contains(&name)) {
        for &exponent in &exponents {
            show(&stream, solid, exponent)?;
        }
    }
    Ok(())
}

fn show(
    stream: &ferrovox::device::Stream,
    solid: &Solid,
    exponent: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let voxels = DeviceVolume::upload(stream, solid.voxels().view())?;
    let mask = SiteMask::from_mask(stream, &voxels)?;
    let params = SkeletonParams {
        exponent,
        levels: Levels::Core,
        ..SkeletonParams::default()
    };
    let core = skeleton::skeleton(stream, &mask, &params)?;
    let params = SkeletonParams {
        levels: Levels::One,
        ..params
    };
    let one = skeleton::skeleton(stream, &mask, &params)?;
    let found = core.certificate[0];
    let time: std::time::Duration = one.timings.iter().map(|(_, time)| *time).sum();
    println!(
        "{:46} m {exponent} {} - {} + {} = {:2} {} core: {} pieces {} loops {:6.2} long; level 1: {} pieces {} loops {:6.2} long, {:.0} ms",
        solid.name,
        found.attracting,
        found.saddles_index1,
        found.saddles_index2,
        found.euler_solid,
        if found.balanced() { "ok " } else { "NOT" },
        core.skeleton.components().count,
        core.skeleton.cycles(),
        core.skeleton.length(),
        one.skeleton.components().count,
        one.skeleton.cycles(),
        one.skeleton.length(),
        time.as_secs_f64() * 1e3,
    );
    Ok(())
}
