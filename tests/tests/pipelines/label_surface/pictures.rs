//! The pictures of `docs/label-surfaces.md` are those that the library draws.

use ferrovox_tests::label_pictures::draw_label_pictures;
use std::{fs::File, io::BufReader, path::Path};

#[test]
fn pictures_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images/labels");
    for picture in draw_label_pictures().unwrap() {
        let path = folder.join(format!("{}.png", picture.name));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        assert_eq!(rgb.len(), picture.rgb.len(), "{}", picture.name);
        // trigonometric functions differ in the last bit between machines
        let differing = rgb
            .iter()
            .zip(&picture.rgb)
            .filter(|(a, b)| a.abs_diff(**b) > 2);
        assert!(
            differing.count() < picture.rgb.len() / 1000,
            "{}: run `cargo run -p ferrovox-tests --example label_pictures`",
            picture.name
        );
    }
}
