//! Draws the images of `docs/label-surfaces.md` and `docs/isosurface.md`.
//!
//! `cargo run -p ferrovox-tests --example document_pictures -- [FOLDER]`, by default `docs/images`.
//! The tests `document_pictures` of the pipelines compare them.

use ferrovox_tests::document_pictures::{draw_label_pictures, draw_topology_pictures};
use std::{error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .map_or_else(|| PathBuf::from("docs/images"), PathBuf::from);
    for (name, pictures) in [
        ("labels", draw_label_pictures()?),
        ("topology", draw_topology_pictures()?),
    ] {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder)?;
        for picture in pictures {
            picture.write(&folder)?;
        }
    }
    Ok(())
}
