//! Options of `ferrovox skeleton` that edit the graph after the extraction.

use crate::numbers::parse_distance;
use clap::Args;
use ferrovox::graph::Prune;

/// Pruning, joining and merging of curves.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Curves")]
pub struct EditArgs {
    /// Remove leaf branches shorter than LENGTH, in world units
    ///
    /// Voxels that only these branches covered become uncovered, so a pruned skeleton is not
    /// certified.
    #[arg(long, value_name = "LENGTH", value_parser = parse_distance, allow_hyphen_values = true)]
    pub prune: Option<f64>,
    /// Remove leaf branches shorter than RATIO times the radius at their root
    #[arg(long, value_name = "RATIO", value_parser = parse_distance, allow_hyphen_values = true)]
    #[arg(hide_short_help = true, conflicts_with = "prune")]
    pub prune_by_radius: Option<f64>,
    /// Remove leaf branches of a significance below K
    ///
    /// The length beyond the inscribed ball of the root, less two voxels, divided by the median
    /// radius of the branch.
    #[arg(long, value_name = "K", value_parser = parse_distance, allow_hyphen_values = true)]
    #[arg(hide_short_help = true, conflicts_with_all = ["prune", "prune_by_radius"])]
    pub prune_significance: Option<f64>,
    /// Join components whose curves are at most DISTANCE apart, in world units
    ///
    /// Straight edges connect the nearest points, shortest gaps first, before pruning. They leave
    /// the object, so a joined skeleton is not certified.
    #[arg(long, value_name = "DISTANCE", value_parser = parse_distance, allow_hyphen_values = true)]
    #[arg(hide_short_help = true)]
    pub join: Option<f64>,
    /// Merge pairs of edges that meet at a node of degree two
    #[arg(long, hide_short_help = true)]
    pub merge: bool,
}

impl EditArgs {
    /// Returns the criterion for branches to remove.
    pub fn prune_criterion(&self) -> Option<Prune> {
        let length = self.prune.map(Prune::Length);
        let by_radius = || self.prune_by_radius.map(Prune::LengthByRadius);
        let by_significance = || self.prune_significance.map(Prune::Significance);
        length.or_else(by_radius).or_else(by_significance)
    }
}
