//! The pictures of documents that no command draws are those that the library draws.

use ferrovox_tests::document_pictures::{
    DocumentPicture, draw_label_pictures, draw_topology_pictures,
};
use std::path::Path;

fn check(folder: &str, pictures: &[DocumentPicture]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images");
    for picture in pictures {
        let hint = "cargo run -p ferrovox-tests --example document_pictures";
        picture.assert_current(&root.join(folder), hint);
    }
}

#[test]
fn pictures_of_labels_are_current() {
    check("labels", &draw_label_pictures().unwrap());
}

#[test]
fn pictures_of_topology_rules_are_current() {
    check("topology", &draw_topology_pictures().unwrap());
}
