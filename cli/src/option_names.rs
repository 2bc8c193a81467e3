//! Translation of parameters in messages of the library into command-line options.

/// Wordings of library messages, and their replacements with options of the command.
const OPTIONS: [(&str, &str); 47] = [
    ("a memory limit", "--memory"),
    ("change the maximum distance", "change --max-distance"),
    (
        "components; select one from",
        "components; select one with --component from",
    ),
    (
        "volumes; select one from",
        "volumes; select one with --volume-index from",
    ),
    (
        "give its dims and sample type",
        "give its --dims and --type",
    ),
    (
        "select the object by a threshold or a range instead",
        "select the object by --iso or --label instead of --labels",
    ),
    (
        "or fill the gaps",
        "or give --resample iso, which interpolates them",
    ),
    ("give a higher threshold", "give a higher --iso"),
    ("give a lower threshold", "give a lower --iso"),
    ("give another label", "give another --label"),
    ("give the level", "give --iso"),
    ("give the threshold", "give --iso"),
    ("give an isovalue", "give --iso a number"),
    (
        "leave the check out, or allow more memory",
        "leave --check out, or allow more --memory",
    ),
    (
        "leave the simplification out, or allow more memory",
        "leave --simplify out, or allow more --memory",
    ),
    (
        "leave the filter of components out, or allow more memory",
        "leave --largest and --min-voxels out, or allow more --memory",
    ),
    (
        "leave the smoothing out, or allow more memory",
        "leave --smooth out, or allow more --memory",
    ),
    ("name one device", "name one --device"),
    (
        "allow more memory, resample to a larger spacing",
        "allow more --memory, --resample to a larger spacing",
    ),
    (
        "resample to a larger spacing, or crop",
        "--resample to a larger spacing, or --crop",
    ),
    (
        "select the object by an isovalue, or smooth its surface",
        "select the object by --iso, or smooth the surface with mesh --smooth",
    ),
    (
        "the standard deviation of the smoothing is",
        "--smooth-volume is",
    ),
    ("the spacing to resample to is", "--resample is"),
    ("no comparison", "no --compare"),
    ("omit the strict check", "omit --strict"),
    ("or decide by winding numbers", "or give --open winding"),
    (
        "or local or voxel coordinates",
        "or give --coordinates local or voxel",
    ),
    ("or round the samples", "or give --round-samples"),
    (
        "the check needs the whole mesh",
        "--check needs the whole mesh",
    ),
    ("the coverage constant is", "--const is"),
    ("the coverage scale is", "--scale is"),
    ("the file of nearest sites requires", "--nearest requires"),
    ("the significance is", "--significance is"),
    ("the length of protrusions is", "--min-protrusion is"),
    ("the detail is", "--detail is"),
    ("the map of labels requires", "--labels requires"),
    ("the map's grid is", "--grid is"),
    ("the memory limit", "--memory"),
    (
        "the sample type u16 or u32 requires",
        "--dtype u16 or u32 requires",
    ),
    (
        "the square of the maximum distance",
        "the square of --max-distance",
    ),
    ("there is no plane", "--slice"),
    ("where it can be closed", "where --close closes it"),
    ("without the check", "without --check"),
    (
        "truncate it at a distance up to",
        "truncate it at --max-distance up to",
    ),
    (
        "use a level instead of labels",
        "use --iso instead of --labels",
    ),
    ("with spacing 1", "with --spacing 1"),
    ("write the map as", "write --dtype"),
];

/// Replaces parameters in a message of the library by options.
pub fn with_options(message: &str) -> String {
    OPTIONS
        .iter()
        .fold(message.to_owned(), |text, (parameter, option)| {
            text.replace(parameter, option)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrovox::pipeline::distance::DistanceJobError;

    #[test]
    fn parameters_are_replaced_by_options() {
        let no_voxels = DistanceJobError::EmptyGrid { dims: [4, 0, 2] };
        assert_eq!(
            with_options(&no_voxels.to_string()),
            "--grid is 4 x 0 x 2, which has no voxels; give three numbers from 1"
        );
        let slabs = DistanceJobError::SlabsUnsupported {
            output: "the map of labels",
        };
        assert_eq!(
            with_options(&slabs.to_string()),
            "--labels requires the map in core, but --memory or several devices divide it into slabs; \
             name one --device and omit --memory"
        );
    }
}
