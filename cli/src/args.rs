//! The command line. Doc comments of fields and commands are help texts.

mod applicability;
mod distance;
mod input;
mod labels;
mod mesh;
mod mesh_filters;
mod object;
mod occupancy;
mod render;
mod shared;
mod skeleton;
mod skeleton_edits;
mod skeleton_names;
mod slices;
mod small;
mod view;
mod voxelize;

pub use applicability::commands_with;
pub use distance::{DistanceArgs, SampleName, SignName, TargetName};
pub use input::InputArgs;
pub use labels::LabelArgs;
pub use mesh::{CoordinatesName, MeshArgs, MethodName, NormalsName, SpaceName, TopologyName};
pub use mesh_filters::{MeshFilterArgs, Smoothing};
pub use object::{IsoValue, ObjectArgs};
pub use occupancy::{ModelName, OccupancyArgs, SweptParameter};
pub use render::RenderArgs;
pub use shared::{DeviceArgs, InsideName, ReportArgs, SurfaceArgs};
pub use skeleton::SkeletonArgs;
pub use skeleton_names::{HierarchyName, LevelsName, SkeletonMethodName};
pub use slices::SlicesArgs;
pub use small::{CompletionsArgs, DemoArgs, DevicesArgs, InfoArgs, ManPagesArgs};
pub use view::ViewArgs;
pub use voxelize::{OpenRuleName, VoxelizeArgs};

use clap::{FromArgMatches, Parser, Subcommand, ValueEnum};
use ferrovox::io::is_standard_output;
use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
};

/// Last line of the short help of a command.
pub const MORE: &str = "Run with --help for details and examples.";

/// Extract geometry from volumes (MRI, CT, simulation), on the GPU or the CPU
#[derive(Debug, Parser)]
#[command(
    name = "ferrovox",
    version,
    propagate_version = true,
    max_term_width = 100,
    subcommand_required = true
)]
#[command(after_help = "\
Examples:
  ferrovox demo                                           meshes, pictures and pages to open
  ferrovox info scan.nii.gz                               contents of a volume file
  ferrovox mesh scan.nii.gz --iso 120 -o scan.ply         isosurface at 120
  ferrovox render scan.nii.gz --iso 120 -o scan.png       picture of the isosurface
  ferrovox slices scan.nii.gz --iso 120 -o planes.png     planes with the contour
  ferrovox view scan.nii.gz --iso 120                     page to rotate, cut and measure it
  ferrovox distance scan.nii.gz --iso 120 -o d.nii.gz     distance of each voxel to the object
  ferrovox skeleton scan.nii.gz --iso 120 -o s.swc        centre lines of the object
  ferrovox voxelize part.stl --resolution 256 -o v.nrrd   volume from a mesh
  ferrovox occupancy --device H200 --regs 92              resident blocks of a kernel

  `ferrovox COMMAND -h` lists the options of a command, `ferrovox COMMAND --help` explains them.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices of this machine
    Devices(DevicesArgs),
    /// Print the format, grid and statistics of a volume file
    Info(InfoArgs),
    /// Extract the isosurface of a volume as a triangle mesh
    Mesh(Box<MeshArgs>),
    /// Compute a distance map: the distance from every voxel to the nearest site
    Distance(Box<DistanceArgs>),
    /// Extract the curve skeleton of an object: its centre lines, as a graph
    Skeleton(Box<SkeletonArgs>),
    /// Convert a closed triangle mesh to a volume: 1 inside, 0 outside
    Voxelize(VoxelizeArgs),
    /// Draw surfaces of volumes, labels and meshes, and skeletons as a picture
    Render(Box<RenderArgs>),
    /// Draw planes of a volume with contours and labels as a picture
    Slices(Box<SlicesArgs>),
    /// Show meshes, skeletons and volumes on a page for the browser
    View(Box<ViewArgs>),
    /// Compute the occupancy of a kernel: resident blocks per multiprocessor, and their limits
    Occupancy(Box<OccupancyArgs>),
    /// Make meshes, pictures, a skeleton, a distance map and pages without an input file
    Demo(DemoArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write manual pages for this command and its subcommands
    ManPages(ManPagesArgs),
}

impl Command {
    /// Returns the name of the command, as it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Devices(_) => "devices",
            Self::Info(_) => "info",
            Self::Mesh(_) => "mesh",
            Self::Distance(_) => "distance",
            Self::Skeleton(_) => "skeleton",
            Self::Voxelize(_) => "voxelize",
            Self::Render(_) => "render",
            Self::Slices(_) => "slices",
            Self::View(_) => "view",
            Self::Occupancy(_) => "occupancy",
            Self::Demo(_) => "demo",
            Self::Completions(_) => "completions",
            Self::ManPages(_) => "man-pages",
        }
    }

    /// Returns the options for printing results.
    pub fn report(&self) -> ReportArgs {
        match self {
            Self::Devices(args) => args.report,
            Self::Info(args) => args.report,
            Self::Mesh(args) => args.report,
            Self::Distance(args) => args.report,
            Self::Skeleton(args) => args.report,
            Self::Voxelize(args) => args.report,
            Self::Render(args) => args.report,
            Self::Slices(args) => args.report,
            Self::View(args) => args.report,
            Self::Occupancy(args) => args.report,
            Self::Demo(args) => args.report,
            Self::Completions(_) | Self::ManPages(_) => ReportArgs::default(),
        }
    }
}

impl Command {
    /// Returns `true` if a file is written to standard output.
    pub fn writes_to_standard_output(&self) -> bool {
        let files: Vec<&PathBuf> = match self {
            Self::Info(args) => args.output.iter().collect(),
            Self::Mesh(args) => args.output.iter().collect(),
            Self::Distance(args) => [&args.output, &args.nearest, &args.png]
                .into_iter()
                .flatten()
                .collect(),
            Self::Skeleton(args) => args
                .output
                .iter()
                .chain(&args.field)
                .chain(&args.png)
                .collect(),
            Self::Voxelize(args) => args.output.iter().collect(),
            Self::Render(args) => vec![&args.output],
            Self::Slices(args) => vec![&args.output],
            Self::View(args) => args.output.iter().collect(),
            _ => Vec::new(),
        };
        files.into_iter().any(is_standard_output)
    }
}

/// Parses the command line.
///
/// # Errors
/// Invalid words, missing ones, options that exclude each other or do not apply to the command, and
/// requests for the help or the version.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut matches = applicability::parser().try_get_matches_from(with_joined_values(words))?;
    applicability::check(&matches)?;
    Cli::from_arg_matches_mut(&mut matches)
}

/// Joins an option whose value is optional with the value that follows it, as in
/// `--normals=gradient` and `--labels=all`. Any other word after the option is not its value, but
/// perhaps a file.
fn with_joined_values(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(option)
                if *option == "--normals" && is_normals_value(&word)
                    || *option == "--labels" && is_label_list(&word) =>
            {
                option.push("=");
                option.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn is_normals_value(word: &OsStr) -> bool {
    let word = word.to_str();
    word.is_some_and(|word| NormalsName::from_str(word, false).is_ok())
}

/// Returns `true` for `all`, and for words of digits and the separators of lists, also if the list
/// is invalid.
fn is_label_list(word: &OsStr) -> bool {
    let word = word.to_str().unwrap_or_default();
    let is_separator = |character: char| ",-. ".contains(character);
    word == "all"
        || word.contains(|character: char| character.is_ascii_digit())
            && word
                .chars()
                .all(|it| it.is_ascii_digit() || is_separator(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::LabelList;
    use clap::CommandFactory;

    #[test]
    fn normals_accept_an_optional_value() {
        for (line, expected) in [
            ("mesh a.nii --iso 5 -o a.ply", None),
            (
                "mesh --iso 5 -o a.ply --normals a.nii",
                Some(NormalsName::Gradient),
            ),
            (
                "mesh --iso 5 -o a.ply --normals=trilinear a.nii",
                Some(NormalsName::Trilinear),
            ),
            (
                "mesh --iso 5 -o a.ply --normals trilinear a.nii",
                Some(NormalsName::Trilinear),
            ),
            (
                "mesh a.nii --iso 5 --normals gradient -o a.ply",
                Some(NormalsName::Gradient),
            ),
        ] {
            let words = ["ferrovox"].into_iter().chain(line.split_whitespace());
            match parse(words.map(OsString::from)).map(|cli| cli.command) {
                Ok(Command::Mesh(args)) => assert_eq!(args.normals, expected, "{line}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn command_line_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Every command accepts the spellings of the others for the same quantity.
    #[test]
    fn aliases_are_accepted() {
        for line in [
            "mesh a.nii --isovalue 5 -o a.ply",
            "mesh a.nii --level 5 -o a.ply",
            "render a.nii --threshold 5 -o a.png",
            "distance a.nii --level 5 -o d.nii",
            "distance a.nii --nonzero -o d.nii",
            "skeleton a.nii --threshold 5 --fill -o a.swc",
            "voxelize a.ply --spacing 2 -o a.nii",
        ] {
            let words = ["ferrovox"].into_iter().chain(line.split_whitespace());
            assert!(Cli::try_parse_from(words).is_ok(), "{line}");
        }
    }

    #[test]
    fn labels_accept_an_optional_value() {
        for (line, labels, inputs) in [
            ("mesh --labels a.nii -o a.vtp", Some(LabelList::All), 1),
            ("mesh --labels all a.nii -o a.vtp", Some(LabelList::All), 1),
            (
                "mesh a.nii --labels 3,-2 -o a.vtp",
                Some(LabelList::Listed(vec![3, -2])),
                1,
            ),
            ("mesh a.nii b.nii --iso 5 -o a.vtp", None, 2),
        ] {
            let words = ["ferrovox"].into_iter().chain(line.split_whitespace());
            match parse(words.map(OsString::from)).map(|cli| cli.command) {
                Ok(Command::Mesh(args)) => {
                    assert_eq!(args.input.object.labels, labels, "{line}");
                    assert_eq!(args.input.file.volumes.len(), inputs, "{line}");
                }
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    /// No sentence of a help text is broken by a line end of the source: the terminal's width
    /// decides.
    #[test]
    fn help_texts_are_wrapped_by_the_terminal() {
        for command in Cli::command().get_subcommands_mut() {
            let text = command
                .get_after_long_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            let prose = text.lines().filter(|line| !line.starts_with("  "));
            for line in prose {
                let ends = line.is_empty() || line.ends_with(['.', ':']);
                assert!(ends, "{}: {line:?} is broken", command.get_name());
            }
        }
    }
}
