//! Input options that a command does not take, with the reasons, and the table of all of them.

use super::Cli;
use clap::{ArgMatches, CommandFactory, error::ErrorKind, parser::ValueSource};

/// A shared input option that a command does not take.
struct Refusal {
    command: &'static str,
    /// Identifier of the option.
    option: &'static str,
    reason: &'static str,
}

const fn refusal(command: &'static str, option: &'static str, reason: &'static str) -> Refusal {
    Refusal {
        command,
        option,
        reason,
    }
}

const MESH_INPUT: &str = "its input is a mesh, which has no samples";

const PLANES: &str = "planes show all samples; --iso draws a contour";

const REFUSALS: [Refusal; 20] = [
    refusal("voxelize", "mask", MESH_INPUT),
    refusal(
        "info",
        "memory",
        "it reads 16 MiB at a time, however large the file is",
    ),
    refusal(
        "skeleton",
        "memory",
        "the object is kept in memory as a whole; give a part of it to --crop",
    ),
    refusal(
        "render",
        "memory",
        "volumes are drawn as a whole; give a part of it to --crop",
    ),
    refusal(
        "view",
        "memory",
        "a page holds reduced volumes, which are read as a whole; give a part of them to --crop",
    ),
    refusal("slices", "inside", PLANES),
    refusal("slices", "label", PLANES),
    refusal(
        "slices",
        "labels",
        "give the segmentation to --overlay; all of its labels are drawn",
    ),
    refusal("slices", "mask", PLANES),
    refusal("slices", "fill_cavities", PLANES),
    refusal("slices", "largest", PLANES),
    refusal(
        "slices",
        "memory",
        "the volume is read as a whole; give a part of it to --crop",
    ),
    refusal("voxelize", "iso", MESH_INPUT),
    refusal("voxelize", "inside", MESH_INPUT),
    refusal("voxelize", "label", MESH_INPUT),
    refusal("voxelize", "labels", MESH_INPUT),
    refusal("voxelize", "crop", MESH_INPUT),
    refusal("voxelize", "resample", MESH_INPUT),
    refusal("voxelize", "smooth_volume", MESH_INPUT),
    refusal(
        "voxelize",
        "memory",
        "one device holds all voxels; lower --resolution",
    ),
];

/// Builds the parser, without the refused options in the help texts.
pub fn parser() -> clap::Command {
    REFUSALS.iter().fold(Cli::command(), |cli, refusal| {
        cli.mut_subcommand(refusal.command, |command| {
            command.mut_arg(refusal.option, |option| option.hide(true))
        })
    })
}

/// Commands in which `--labels` may select labels of `--overlay`, next to an isovalue.
const WITH_OVERLAY: [&str; 2] = ["render", "view"];

/// Fails if an option is given to a command that does not take it, or with another that excludes
/// it.
pub fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some((name, given)) = matches.subcommand() else {
        return Ok(());
    };
    let is_given = |option: &str| {
        given.try_contains_id(option).is_ok()
            && given.value_source(option) == Some(ValueSource::CommandLine)
    };
    if !WITH_OVERLAY.contains(&name)
        && is_given("labels")
        && let Some(other) = ["iso", "inside"].into_iter().find(|it| is_given(it))
    {
        return Err(Cli::command().error(
            ErrorKind::ArgumentConflict,
            format!("--labels cannot be used with --{other}: every label is an object"),
        ));
    }
    let refused = REFUSALS.iter().find(|refusal| {
        refusal.command == name
            && given.value_source(refusal.option) == Some(ValueSource::CommandLine)
    });
    match refused {
        Some(Refusal { option, reason, .. }) => Err(Cli::command().error(
            ErrorKind::ArgumentConflict,
            format!("{name} does not take {}: {reason}", spelled(option)),
        )),
        None => Ok(()),
    }
}

fn spelled(option: &str) -> String {
    format!("--{}", option.replace('_', "-"))
}

/// Returns the names of the commands that have an option of this spelling.
pub fn commands_with(option: &str) -> Vec<String> {
    let parser = parser();
    let has_option = |command: &&clap::Command| {
        command.get_arguments().any(|argument| {
            !argument.is_hide_set() && argument.get_long().is_some_and(|long| long == option)
        })
    };
    let commands = parser.get_subcommands().filter(has_option);
    commands.map(|it| it.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// Options in the table, by their identifiers.
    const OPTIONS: [&str; 13] = [
        "iso",
        "inside",
        "label",
        "labels",
        "mask",
        "crop",
        "resample",
        "smooth_volume",
        "fill_cavities",
        "largest",
        "volume_index",
        "component",
        "memory",
    ];
    /// Commands in the table.
    const COMMANDS: [&str; 8] = [
        "mesh", "distance", "skeleton", "render", "slices", "view", "info", "voxelize",
    ];

    /// Formats the table of `docs/command-line.md`.
    fn table() -> String {
        let parser = parser();
        let mut text = format!(
            "| option | {} |\n",
            COMMANDS.map(|it| format!("`{it}`")).join(" | ")
        );
        text += &format!("| --- |{}\n", " --- |".repeat(COMMANDS.len()));
        for option in OPTIONS {
            let _ = write!(text, "| `{}` |", spelled(option));
            for name in COMMANDS {
                let command = parser.find_subcommand(name).expect("a command");
                let takes = command
                    .get_arguments()
                    .any(|it| it.get_id() == option && !it.is_hide_set());
                text += if takes { " yes |" } else { " – |" };
            }
            text.push('\n');
        }
        text
    }

    #[test]
    fn table_of_options_is_documented() {
        let document = include_str!("../../../docs/command-line.md");
        let table = table();
        assert!(
            document.contains(&table),
            "docs/command-line.md lacks:\n{table}"
        );
    }

    #[test]
    fn refused_options_exist_and_are_explained() {
        for Refusal {
            command, option, ..
        } in &REFUSALS
        {
            let value = match *option {
                "labels" => "=all",
                "iso" | "label" => "=5",
                "inside" => "=below",
                "crop" => "=mask",
                "mask" | "memory" | "resample" | "smooth_volume" => "=1",
                _ => "",
            };
            let option = format!("{}{value}", spelled(option));
            let mut words = vec!["ferrovox", command, "a.nii", &option, "-o", "a.png"];
            if *command == "info" {
                words.truncate(4);
            }
            if *command == "render" {
                words.push("--iso=5");
            }
            if *command == "voxelize" {
                words.push("--resolution=5");
            }
            // --labels and --iso exclude each other before the reason is looked up
            if !option.starts_with("--labels") {
                let matches = parser().try_get_matches_from(&words);
                let error = check(&matches.expect("a valid line")).unwrap_err();
                assert!(error.to_string().contains("does not take"), "{error}");
            }
        }
    }
}
