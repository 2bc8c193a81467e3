//! Spatial axes and the voxel-to-world affine.

use nalgebra::Vector3;

use super::damaged;
use super::header::Header;
use crate::grid::Geometry;
use crate::io::FileProblem;
use crate::io::volume::axes::complete_axes;

/// Axes by their meaning.
pub(super) struct Axes {
    /// Sizes of the spatial axes, padded to three, followed by those of the other axes.
    pub sizes: Vec<u64>,
    /// Indices of the spatial axes in the file, fastest first; at most three.
    pub spatial: Vec<usize>,
    /// Number of components per sample: the product of the axes before the spatial ones.
    pub components: u64,
    /// `true` if the components are a list or a time series, so that each is a volume of its own.
    pub components_are_volumes: bool,
}

/// Axis kinds of positions, as opposed to components of a sample.
const DOMAIN: [&str; 4] = ["domain", "space", "???", "none"];

/// Axis kinds whose entries are independent values.
const LISTS: [&str; 2] = ["list", "time"];

/// Classifies the axes. Non-spatial axes of size 1 are dropped; longer ones before the spatial axes
/// are the components of a sample, and those after them count volumes.
pub(super) fn spatial_axes(header: &Header) -> Result<Axes, FileProblem> {
    let is_spatial = |axis: usize| {
        let directed = header
            .directions
            .as_ref()
            .is_none_or(|all| all[axis].is_some());
        let domain = header
            .kinds
            .as_ref()
            .is_none_or(|all| DOMAIN.contains(&all[axis].as_str()));
        directed && domain
    };
    let mut spatial = Vec::new();
    let mut others = Vec::new();
    let mut before = Vec::new();
    for (axis, &size) in header.sizes.iter().enumerate() {
        if is_spatial(axis) && spatial.len() < 3 {
            if let Some(&(components_axis, _)) = others.first() {
                return Err(components(header, components_axis));
            }
            spatial.push(axis);
        } else if size != 1 && spatial.is_empty() {
            before.push((axis, size));
        } else if size != 1 {
            others.push((axis, size));
        }
    }
    if spatial.is_empty() {
        return Err(damaged("no axis is spatial".to_owned()));
    }
    let mut sizes: Vec<u64> = spatial.iter().map(|&axis| header.sizes[axis]).collect();
    sizes.resize(3, 1);
    sizes.extend(others.iter().map(|(_, size)| size));
    let components = before
        .iter()
        .try_fold(1_u64, |product, &(_, size)| product.checked_mul(size))
        .filter(|&components| components > 0);
    let Some(components) = components else {
        let sizes = header.sizes.clone();
        return Err(FileProblem::TooLarge { sizes });
    };
    let is_list = |axis: usize| {
        let kind = header.kinds.as_ref().map(|kinds| kinds[axis].as_str());
        kind.is_some_and(|kind| LISTS.contains(&kind))
    };
    Ok(Axes {
        sizes,
        spatial,
        components,
        components_are_volumes: !before.is_empty() && before.iter().all(|&(axis, _)| is_list(axis)),
    })
}

/// Returns the error for a non-spatial axis between two spatial ones.
fn components(header: &Header, axis: usize) -> FileProblem {
    let kind = header
        .kinds
        .as_ref()
        .map_or("not space", |kinds| kinds[axis].as_str());
    FileProblem::Unsupported {
        what: format!(
            "axis {axis} (kind {kind:?}, size {}) between two spatial axes",
            header.sizes[axis]
        ),
        advice: "move that axis to the front or to the end",
    }
}

/// Returns the voxel-to-world affine, in RAS if the space is anatomical.
pub(super) fn geometry(
    header: &Header,
    axes: &Axes,
    notes: &mut Vec<String>,
) -> Result<Geometry, FileProblem> {
    let to_ras = to_ras(header, notes)?;
    let origin = match &header.origin {
        Some(_) if !has_origin(header) => {
            notes.push(
                "space origin is nan, which stands for an unknown one: it is taken as 0".to_owned(),
            );
            Vector3::zeros()
        }
        Some(origin) => vector("space origin", origin)?.component_mul(&to_ras),
        None => Vector3::zeros(),
    };
    let mut steps = Vec::new();
    for &axis in &axes.spatial {
        steps.push(match &header.directions {
            Some(directions) => {
                let direction = directions[axis].as_deref().unwrap_or_default();
                vector("space directions", direction)?.component_mul(&to_ras)
            }
            None => Vector3::ith(steps.len(), spacing(header, axis, notes)?).component_mul(&to_ras),
        });
    }
    if header.axis_mins && header.origin.is_none() {
        notes.push("axis mins are not used: the origin is 0".to_owned());
    }
    Ok(Geometry::new(complete_axes(&steps), origin)?)
}

/// Returns `true` if the file states the position of its first sample.
pub(super) fn has_origin(header: &Header) -> bool {
    let is_known = |origin: &Vec<f64>| !origin.iter().all(|number| number.is_nan());
    header.origin.as_ref().is_some_and(is_known)
}

/// Returns `true` if the file states directions, or the spacing of a spatial axis.
pub(super) fn has_spacing(header: &Header, axes: &Axes) -> bool {
    let known = |spacings: &Vec<f64>| axes.spatial.iter().any(|&axis| !spacings[axis].is_nan());
    header.directions.is_some() || header.spacings.as_ref().is_some_and(known)
}

/// Returns the spacing of an axis without a direction; 1 if the file does not state it.
fn spacing(header: &Header, axis: usize, notes: &mut Vec<String>) -> Result<f64, FileProblem> {
    let Some(spacings) = &header.spacings else {
        return Ok(1.0);
    };
    match spacings[axis] {
        unknown if unknown.is_nan() => {
            notes.push(format!(
                "spacings has nan for axis {axis}, which stands for an unknown one: it is taken as 1"
            ));
            Ok(1.0)
        }
        step if step < 0.0 && step.is_finite() => {
            notes.push(format!(
                "spacings has {step} for axis {axis}: the axis is taken to run the other way"
            ));
            Ok(step)
        }
        step if step > 0.0 && step.is_finite() => Ok(step),
        step => Err(damaged(format!(
            "the spacing of axis {axis} is {step}; it must be a finite number other than 0"
        ))),
    }
}

fn vector(name: &str, numbers: &[f64]) -> Result<Vector3<f64>, FileProblem> {
    match *numbers {
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        [x, y] => Ok(Vector3::new(x, y, 0.0)),
        _ => Err(damaged(format!(
            "{name} has a vector of {} numbers instead of 3",
            numbers.len()
        ))),
    }
}

/// Returns the signs that convert the header's space to RAS.
fn to_ras(header: &Header, notes: &mut Vec<String>) -> Result<Vector3<f64>, FileProblem> {
    let signs = match header.space.as_deref() {
        Some("right-anterior-superior" | "ras") => Some([1.0, 1.0, 1.0]),
        Some("left-anterior-superior" | "las") => Some([-1.0, 1.0, 1.0]),
        Some("left-posterior-superior" | "lps") => Some([-1.0, -1.0, 1.0]),
        Some(timed) if timed.ends_with("-time") || matches!(timed, "rast" | "last" | "lpst") => {
            return Err(FileProblem::Unsupported {
                what: format!("NRRD space {timed:?}"),
                advice: "convert the file to a space of three dimensions",
            });
        }
        other => {
            if header.directions.is_some() {
                notes.push(match other {
                    Some(space) => format!(
                        "space {space:?} is not anatomical: coordinates are taken as they stand"
                    ),
                    None => "no space is named: coordinates are taken as they stand".to_owned(),
                });
            }
            None
        }
    };
    if let (Some(space), Some(_), None) = (&header.space, signs, &header.directions) {
        notes.push(format!(
            "there are no space directions: the axes are taken to run along those of the space {space:?}"
        ));
    }
    Ok(Vector3::from(signs.unwrap_or([1.0; 3])))
}
