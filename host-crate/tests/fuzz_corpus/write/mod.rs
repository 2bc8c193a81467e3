//! Files of the corpus: small valid files of every kind, and files with damage that readers must
//! withstand.

mod headers;
mod lists;
mod meshes;
mod volumes;

use std::io::Write;

/// Target, file name, bytes.
type File = (&'static str, String, Vec<u8>);

pub fn corpus_files() -> Vec<File> {
    let mut files = volumes::written_volumes();
    files.extend(volumes::text_headers());
    files.extend(volumes::nifti_headers());
    files.extend(volumes::npy_headers());
    files.extend(volumes::npz_archives());
    files.extend(headers::inr_files());
    files.extend(headers::afni_files());
    files.extend(volumes::raw_files());
    files.extend(meshes::meshes());
    files.extend(meshes::text_meshes());
    files.extend(meshes::facets());
    files.extend(meshes::exchange_meshes());
    files.extend(lists::points());
    files.extend(lists::skeletons());
    files.extend(gzip_files());
    files
}

/// Streams with stored, fixed and dynamic blocks, with several members, and with damage.
fn gzip_files() -> Vec<File> {
    let mut state = 1_u32;
    let content: Vec<u8> = (0..20_000_u32)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 28) as u8 + (i >> 10) as u8
        })
        .collect();
    let pack = |bytes: &[u8], level| {
        let level = flate2::Compression::new(level);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        for part in bytes.chunks(5000) {
            encoder.write_all(part).unwrap();
            encoder.flush().unwrap();
        }
        encoder.finish().unwrap()
    };
    let whole = pack(&content, 6);
    let members = [pack(&content[..700], 6), whole.clone(), vec![0; 100]].concat();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x10;
    let files = [
        ("stored.gz", pack(&content[..2000], 0)),
        ("fixed.gz", pack(&content, 1)),
        ("cut.gz", whole[..whole.len() - 5].to_vec()),
        ("whole.gz", whole),
        ("members.gz", members),
        ("damaged.gz", damaged),
    ];
    files
        .into_iter()
        .map(|(name, bytes)| ("gzip", name.to_owned(), bytes))
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
