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
    files
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
