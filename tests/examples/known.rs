//! Writes an object of which the skeleton is known as a volume file: what pictures in `docs/` are made of.
//!
//! `cargo run -p ferrovox-tests --example known -- vessels|atlas|digits|net SEED FILE`

use anyhow::{Context, bail};
use ferrovox::io;
use ferrovox_tests::known::{Grid, large, random};

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, seed, path] = &words[..] else {
        bail!("usage: known vessels|atlas|digits|net SEED FILE");
    };
    let seed = seed.parse().context("the seed is a number")?;
    let known = match name.as_str() {
        "vessels" => large::vessels(seed),
        "atlas" => large::atlas(seed),
        "digits" => large::digits(seed),
        "net" => random::net([4, 4, 3], 12, seed, Grid::unit()),
        _ => bail!("there is no `{name}`"),
    };
    io::write_volume(
        path,
        &known.voxels.into(),
        &io::VolumeWriteOptions::default(),
    )?;
    Ok(())
}
