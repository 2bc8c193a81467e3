//! 3MF: build items, components and units of files from elsewhere.

use ferrovox::io::read_mesh_bytes;

use crate::mesh_exchange::error;
use crate::zip::zip;

/// Returns a 3MF archive of stored entries.
fn three_mf(model: &str) -> Vec<u8> {
    let relationships = "<Relationships><Relationship Target=\"/3D/3dmodel.model\" \
        Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    let entries = [("_rels/.rels", relationships), ("3D/3dmodel.model", model)];
    zip(&entries.map(|(name, content)| (name, content.as_bytes().to_vec())))
}

const MODEL: &str = "<model unit=\"inch\"><resources><object id=\"1\"><mesh><vertices>\
    <vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/>\
    </vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh></object>\
    <object id=\"2\"><components><component objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 5\"/>\
    </components></object></resources><build><item objectid=\"1\"/>\
    <item objectid=\"2\" transform=\"2 0 0 0 1 0 0 0 1 3 0 0\"/></build></model>";

#[test]
fn items_of_3mf_place_their_objects() {
    let mesh = read_mesh_bytes("a.3mf", &three_mf(MODEL)).unwrap();
    let inches = |vector: [f64; 3]| vector.map(|x| (25.4 * x) as f32);
    let expected = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [3.0, 0.0, 5.0],
        [5.0, 0.0, 5.0],
        [3.0, 1.0, 5.0],
    ];
    assert_eq!(mesh.vertices, expected.map(inches));
    for (from, to, part) in [
        ("unit=\"inch\"", "unit=\"mile\"", "mile"),
        ("v3=\"2\"", "v3=\"3\"", "vertex 3 of 3"),
        ("v3=\"2\"", "v3=\"-1\"", "three vertices"),
        ("y=\"1\"", "y=\"one\"", "three coordinates"),
        (
            "component objectid=\"1\"",
            "component objectid=\"2\"",
            "deep",
        ),
        (
            "component objectid=\"1\"",
            "component objectid=\"9\"",
            "object 9",
        ),
        (
            "<item objectid=\"1\"",
            "<item p:path=\"/../../etc/passwd\" objectid=\"1\"",
            "no entry",
        ),
        ("2 0 0 0 1 0", "2 0 0", "a transform"),
    ] {
        let changed = MODEL.replacen(from, to, 1);
        assert_ne!(changed, MODEL);
        let error = error("a.3mf", &three_mf(&changed));
        assert!(error.contains(part), "{from}: {error}");
    }
    // Every object has two copies of the one before.
    let double: String = (3..60)
        .map(|id| {
            let component = format!("<component objectid=\"{}\"/>", id - 1);
            let components = component.repeat(2);
            format!("<object id=\"{id}\"><components>{components}</components></object>")
        })
        .collect();
    let many = MODEL
        .replace("</resources>", &format!("{double}</resources>"))
        .replace("<item objectid=\"1\"", "<item objectid=\"59\"");
    assert!(error("a.3mf", &three_mf(&many)).contains("3MF"));
}
