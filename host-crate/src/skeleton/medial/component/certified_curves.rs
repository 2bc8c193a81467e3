//! Curves of a component that meet the verified properties.

use super::ends::ComponentEnds;
use crate::{
    monitor::{Cancelled, Stopwatch},
    skeleton::medial::{
        certificate::{Certificate, Certifier},
        curves::{
            centring::centre_curves,
            endpoints::{extend_ends, trim_ends},
            intermediate_graph::IntermediateGraph,
            repair::repair_coverage,
            resample::resample,
            shared_stems::merge_shared_stems,
            taut_lines::{pull_lines_taut, restore_edges},
            trace::{Branches, InitialCurves, PathsFromRoot, trace_curves},
        },
        params::Params,
        topology::cocycle::Cocycle,
    },
};

/// Graph of a component with the result of its verification.
type CertifiedGraph = (IntermediateGraph, Certificate);

/// Traces, centres and verifies the curves; the last element of the result is `true` if they are
/// centred.
///
/// Centring is attempted with ends extended to the surface, then with ends as traced. If both
/// results violate a property, the curves stay at voxel centres.
pub fn trace_and_certify(
    certifier: &Certifier<'_>,
    cocycle: &mut Cocycle,
    paths: PathsFromRoot,
    ends: &ComponentEnds,
    params: &Params,
    watch: &mut Stopwatch,
) -> Result<(IntermediateGraph, Certificate, bool), Cancelled> {
    let context = certifier.context;
    let branches = Branches {
        coverage: ends.rule,
        tips: &ends.tips,
    };
    let initial_curves = InitialCurves::new(context, cocycle, paths, branches)?;
    watch.lap("curves");
    let trace = |cocycle: &mut Cocycle, extends_ends: bool, watch: &mut Stopwatch| {
        let links = trace_curves(context, cocycle, &initial_curves, branches, extends_ends)?;
        let graph = IntermediateGraph::from_links(context.object, &links);
        watch.lap("curves");
        Ok::<_, Cancelled>(graph)
    };
    if params.centre {
        for extends_ends in [true, false] {
            let graph = trace(cocycle, extends_ends, watch)?;
            let centred = centre_graph(certifier, graph, cocycle, extends_ends, watch)?;
            if let Some((graph, certificate)) = centred {
                return Ok((graph, certificate, true));
            }
        }
    }
    let graph = trace(cocycle, false, watch)?;
    let certificate = certifier.certify(&graph, cocycle)?;
    watch.lap("certificate");
    Ok((graph, certificate, false))
}

/// Centres a graph, with ends extended to the surface if `extends_ends` is `true`. Returns `None`
/// if the result violates a property.
fn centre_graph(
    certifier: &Certifier<'_>,
    mut graph: IntermediateGraph,
    cocycle: &mut Cocycle,
    extends_ends: bool,
    watch: &mut Stopwatch,
) -> Result<Option<CertifiedGraph>, Cancelled> {
    let context = certifier.context;
    resample(context, cocycle, &mut graph);
    let trimmed_ends = if extends_ends {
        trim_ends(context, &mut graph)
    } else {
        Vec::new()
    };
    centre_curves(context, cocycle, &mut graph, &trimmed_ends)?;
    extend_ends(context, cocycle, &mut graph, trimmed_ends);
    merge_shared_stems(context, cocycle, &mut graph)?;
    if let Some(rule) = certifier.rule
        && repair_coverage(context, &mut graph, rule)?
    {
        merge_shared_stems(context, cocycle, &mut graph)?;
    }
    let mut loose_edges = pull_lines_taut(context, &mut graph);
    watch.lap("centring");
    let mut certificate = certifier.certify(&graph, cocycle)?;
    // taut curves can touch each other where loose ones do not
    for is_last in [false, true] {
        if certificate.violations.is_empty() || loose_edges.is_empty() {
            break;
        }
        let is_violated = |edge: usize| {
            let mut violations = certificate.violations.iter();
            violations.any(|violation| violation.edge() == Some(edge))
        };
        let (restored, kept) = loose_edges
            .into_iter()
            .partition(|loose| is_last || is_violated(loose.edge));
        loose_edges = kept;
        restore_edges(&mut graph, restored);
        certificate = certifier.certify(&graph, cocycle)?;
    }
    watch.lap("certificate");
    let is_certified = certificate.violations.is_empty();
    Ok(is_certified.then_some((graph, certificate)))
}
