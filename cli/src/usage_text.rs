//! Errors of the command line as clap prints them, with advice.

use crate::{
    args::{Cli, commands_with},
    usage::UsageError,
};
use clap::{
    CommandFactory,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::ffi::OsString;

/// Converts an error to one of clap, for printing.
pub fn to_clap(error: &UsageError) -> clap::Error {
    Cli::command().error(ErrorKind::ArgumentConflict, &error.0)
}

/// Replaces the advice to pass an unknown option as a value: the commands that have the option are
/// named, if there are any. `words` is the command line without the program.
pub fn with_advice(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(unknown))) => unknown.clone(),
        _ => return error,
    };
    let advises_value = |advice: &StyledStr| advice.to_string().contains("as a value");
    let Some(ContextValue::StyledStrs(mut advice)) = error.remove(ContextKind::Suggested) else {
        return error;
    };
    advice.retain(|text| !advises_value(text));
    let command = words.first().map(|word| word.to_string_lossy());
    if let (Some(option), Some(command)) = (unknown.strip_prefix("--"), command)
        && error.get(ContextKind::SuggestedArg).is_none()
    {
        let others = commands_with(option).join(", ");
        advice.push(StyledStr::from(if others.is_empty() {
            format!("`ferrovox {command} -h` lists the options")
        } else {
            format!("{unknown} is an option of {others}, not of {command}")
        }));
    }
    if !advice.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
    }
    error
}
