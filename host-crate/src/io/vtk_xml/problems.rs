//! Errors about VTK's XML files.

use crate::io::FileProblem;

pub(in crate::io) fn ends_early() -> FileProblem {
    damaged("an array ends early; the file is truncated, fetch it again".to_owned())
}

pub(in crate::io) fn damaged(problem: String) -> FileProblem {
    FileProblem::VtkXml(problem)
}

pub(in crate::io) fn unsupported(what: String) -> FileProblem {
    FileProblem::Unsupported {
        what,
        advice: "write it as one piece, uncompressed or compressed with zlib or LZ4",
    }
}
