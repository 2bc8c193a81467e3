//! Options for filters that are applied to a mesh before it is written.

use super::ObjectArgs;
use clap::Args;
use ferrovox::{
    mesh_filter::{ComponentFilter, SimplifyTarget, SmoothParams},
    pipeline::mesh::MeshFilters,
};

#[derive(Clone, Copy, Debug, Args)]
pub struct MeshFilterArgs {
    /// Remove components and cavities with fewer voxels than this
    ///
    /// A cavity that reaches the border of the volume does not count as one. Requires the whole
    /// mesh, so it excludes streaming.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub min_voxels: u64,
    /// Smooth the mesh: taubin:N, taubin:N,BAND or none
    ///
    /// Low-pass filter with N terms that preserves the volume (windowed sinc; Taubin, Zhang and
    /// Golub 1996). BAND, from 0 to 2, is the pass band [default: 0.1]; smaller values smooth more.
    /// Boundary vertices move only along the boundary. Requires the whole mesh, so it excludes
    /// streaming. With --labels, N is the number of steps of Taubin's filter within the cells
    /// [default: 20], without BAND; none leaves the surface unsmoothed.
    #[arg(long, value_name = "FILTER", value_parser = parse_smooth, help_heading = "Output")]
    pub smooth: Option<Smoothing>,
    /// Simplify the mesh: the fraction of triangles to keep (0.25, 25%), or error:DISTANCE
    ///
    /// DISTANCE is the largest error, in world units. Components, holes, tunnels and boundaries are
    /// preserved, so more triangles may remain. Applied after --smooth. Requires the whole mesh, so
    /// it excludes streaming.
    #[arg(long, value_name = "TARGET", value_parser = parse_simplify, help_heading = "Output")]
    pub simplify: Option<SimplifyTarget>,
}

impl MeshFilterArgs {
    /// Returns the parameters of the low-pass filter, if there is one.
    pub fn smooth_params(&self) -> Option<SmoothParams> {
        match self.smooth? {
            Smoothing::Taubin(params) => Some(params),
            Smoothing::None => None,
        }
    }

    /// Returns the filters, with the selection of components in `object`.
    pub fn mesh_filters(&self, object: &ObjectArgs) -> MeshFilters {
        MeshFilters {
            components: ComponentFilter {
                largest: object.largest,
                min_voxels: self.min_voxels,
                fill_cavities: object.fill_cavities,
            },
            smooth: self.smooth_params(),
            simplify: self.simplify,
        }
    }
}

/// Smoothing of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// The surface is not smoothed.
    None,
    /// Low-pass filter.
    Taubin(SmoothParams),
}

/// Parses `taubin:20`, `taubin:20,0.05` or `none`.
fn parse_smooth(text: &str) -> Result<Smoothing, String> {
    if text == "none" {
        return Ok(Smoothing::None);
    }
    let numbers = text
        .strip_prefix("taubin:")
        .map(|numbers| match numbers.split_once(',') {
            Some((terms, band)) => (terms, Some(band)),
            None => (numbers, None),
        });
    let read = |(terms, band): (&str, Option<&str>)| {
        let pass_band = match band {
            Some(band) => band.trim().parse().ok()?,
            None => SmoothParams::default().pass_band,
        };
        Some(SmoothParams {
            iterations: terms.trim().parse().ok()?,
            pass_band,
        })
    };
    let params = numbers.and_then(read);
    let params = params.ok_or("give taubin:N or taubin:N,BAND, such as taubin:20, or none")?;
    params.check().map_err(|error| error.to_string())?;
    Ok(Smoothing::Taubin(params))
}

/// Parses `0.25`, `25%` or `error:0.5`.
fn parse_simplify(text: &str) -> Result<SimplifyTarget, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let target = match (text.strip_prefix("error:"), text.strip_suffix('%')) {
        (Some(distance), _) => number(distance).map(SimplifyTarget::Error),
        (None, Some(percent)) => number(percent).map(|it| SimplifyTarget::Fraction(it / 100.0)),
        (None, None) => number(text).map(SimplifyTarget::Fraction),
    };
    let target = target.ok_or("give a fraction of the triangles to keep, such as 0.25 or 25%, or an error, such as error:0.5")?;
    target.check().map_err(|error| error.to_string())?;
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_parsed() {
        let smooth = |text| match parse_smooth(text)? {
            Smoothing::Taubin(params) => Ok((params.iterations, params.pass_band)),
            Smoothing::None => Err("none".to_owned()),
        };
        assert_eq!(parse_smooth("none"), Ok(Smoothing::None));
        assert_eq!(smooth("taubin:20"), Ok((20, 0.1)));
        assert_eq!(smooth("taubin:7,0.03"), Ok((7, 0.03)));
        for wrong in [
            "taubin",
            "taubin:",
            "20",
            "taubin:0",
            "taubin:20,2",
            "taubin:20,",
            "taubin:1.5",
        ] {
            assert!(smooth(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_simplify("25%"), Ok(SimplifyTarget::Fraction(0.25)));
        assert_eq!(parse_simplify("0.1"), Ok(SimplifyTarget::Fraction(0.1)));
        assert_eq!(parse_simplify("error:0.5"), Ok(SimplifyTarget::Error(0.5)));
        for wrong in [
            "",
            "half",
            "1.5",
            "120%",
            "-0.1",
            "error:",
            "error:-1",
            "error:inf",
            "nan",
        ] {
            assert!(parse_simplify(wrong).is_err(), "{wrong}");
        }
    }
}
