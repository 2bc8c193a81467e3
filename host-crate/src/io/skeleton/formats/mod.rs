//! Registry of the skeleton formats, one module each: adding one takes a module, its declaration
//! and a row in the table below.

mod csv;
mod graphml;
mod json;
mod obj;
mod skel;
mod swc;
mod vtp;

use super::encoder::{SkeletonEncoder, SkeletonReader};
use crate::io::file_extension::list_extensions;
use crate::io::registry::file_formats;
use std::sync::LazyLock;

file_formats! {
    /// A format of skeleton files.
    SkeletonFormat: SkeletonEncoder, streams: Json {
        /// SWC, the text format of neuron tracings: trees, in world coordinates.
        Swc => swc::SwcEncoder,
        /// Wavefront OBJ, text: polylines, in world coordinates.
        Obj => obj::ObjEncoder,
        /// VTK's XML format, text: polydata with lines, in world coordinates.
        Vtp => vtp::VtpEncoder,
        /// JSON: the complete graph, in world coordinates, with voxel positions of the nodes.
        Json => json::JsonEncoder,
        /// GraphML: nodes and edges with their attributes, in world coordinates.
        Graphml => graphml::GraphmlEncoder,
        /// Table of the branches, as comma-separated values.
        Csv => csv::BranchTableEncoder,
        /// Table of the nodes, as comma-separated values; the name ends in `.nodes.csv`.
        NodesCsv => csv::NodeTableEncoder,
        /// Text: `x y z segment radius`. Coordinates in voxels, the radius in world units.
        Skel => skel::SkelEncoder,
    }
}

impl SkeletonFormat {
    /// Returns the extensions of all formats as a message lists them:
    /// `.swc, .obj, .vtp, .json, .graphml, .csv, .nodes.csv or .skel`.
    pub fn writable_extensions() -> &'static str {
        static LIST: LazyLock<String> = LazyLock::new(|| {
            let formats = SkeletonFormat::ALL.iter();
            list_extensions(formats.map(|format| format.extension()), "or")
        });
        &LIST
    }

    /// Returns the sentence that errors about the extension of an output quote.
    pub(crate) fn written_as() -> &'static str {
        static SENTENCE: LazyLock<String> = LazyLock::new(|| {
            let extensions = SkeletonFormat::writable_extensions();
            format!("skeletons are written as {extensions}")
        });
        &SENTENCE
    }

    /// Returns the reader of the format; `None` if it is only written.
    pub(in crate::io::skeleton) fn reader(self) -> Option<SkeletonReader> {
        self.encoder().info().reader
    }

    /// Returns the sentence that errors about the extension of an input quote.
    pub(in crate::io::skeleton) fn read_from() -> &'static str {
        static SENTENCE: LazyLock<String> = LazyLock::new(|| {
            let formats = SkeletonFormat::ALL.iter();
            let readable = formats.filter(|format| format.reader().is_some());
            let extensions = list_extensions(readable.map(|format| format.extension()), "or");
            format!("skeletons are read from {extensions}")
        });
        &SENTENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_extensions_follow_the_table() {
        assert_eq!(
            SkeletonFormat::written_as(),
            "skeletons are written as .swc, .obj, .vtp, .json, .graphml, .csv, .nodes.csv or .skel"
        );
        assert_eq!(SkeletonFormat::read_from(), "skeletons are read from .swc");
    }
}
