//! Oracle for skeletons: checks a skeleton against the object alone, without any code of the
//! library's own certificate.
//!
//! | property | test |
//! | --- | --- |
//! | [`homotopy`] | components, cycles and the rank of the cycles' homology classes |
//! | [`cover`] | each voxel's centre is within the coverage radius of the skeleton |
//! | [`inside`] | the cells that each segment passes through, in integer arithmetic |
//! | [`thin`] | distances between segments; edge lengths compared with shortest paths |
//! | [`centred`] | distances from reference axes |
//!
//! Homology classes (over the field of two elements) come from [`collapse`], which handles objects
//! of any size. [`matrix`] computes them for small objects by reducing the boundary matrix, so that
//! tests can compare the two.
//!
//! [`trilinear`] is a separate oracle for the isosurface in one cell of a volume.
//!
//! ```
//! use ferrovox::graph::Skeleton;
//! use ferrovox_tests::{reference_objects::{Grid, simple}, oracle::{Object, Rules, check}};
//!
//! let rod = simple::rod([1.0, 0.0, 0.0], 3.0, 30.0, Grid::unit());
//! let object = Object::new(&rod.voxels);
//! let verdict = check(&object, &Skeleton::default(), &Rules::default(), &rod.axes);
//! assert!(!verdict.holds());
//! assert!(verdict.to_string().contains("homotopy: fails"));
//! ```

pub mod betti;
pub mod cells;
pub mod centred;
pub mod collapse;
pub mod cover;
pub mod curve;
pub mod distance;
pub mod gf2;
pub mod homotopy;
pub mod inside;
pub mod matrix;
mod object;
mod ranked;
pub mod samples;
pub mod shortest_paths;
#[cfg(test)]
mod tests;
pub mod thin;
pub mod trilinear;

pub use object::Object;

use crate::reference_objects::{Axis, Betti};
use cells::Complex;
use collapse::Collapse;
use curve::PositionGrid;
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::fmt;

/// Requirements on a skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Coverage radius as a multiple of the radius at a skeleton point;
    /// [`constant`](Self::constant) is added.
    pub scale: f64,
    /// Constant part of the coverage radius in world units; default: 4 times the smallest spacing.
    pub constant: Option<f64>,
    /// Distance, in voxels, by which a curve may leave the object's cubes; 0 is exact.
    pub tolerance: f64,
    /// Distance, in units of the smallest spacing, up to which two positions on curves count as
    /// one.
    pub near: f64,
    /// Maximum number of states examined in the search for the shortest path of an edge's homology
    /// class.
    pub states: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            scale: 1.5,
            constant: None,
            tolerance: 0.0,
            near: 0.1,
            states: 4_000_000,
        }
    }
}

/// Violation of a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Description.
    pub what: String,
    /// Position in voxel coordinates of the volume.
    pub position: Point3<f64>,
    /// Component, if the position is in one.
    pub component: Option<usize>,
}

/// Result for one property.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Property {
    /// Number of violations.
    pub faults: u64,
    /// First violation.
    pub first: Option<Fault>,
    /// Number of cases that could not be decided.
    pub undecided: u64,
}

impl Property {
    /// Returns `true` if no violation was found.
    pub fn holds(&self) -> bool {
        self.faults == 0
    }

    /// Adds a violation.
    pub fn add_fault(
        &mut self,
        component: Option<usize>,
        position: Point3<f64>,
        what: impl FnOnce() -> String,
    ) {
        self.faults += 1;
        self.first.get_or_insert_with(|| Fault {
            what: what(),
            position,
            component,
        });
    }
}

/// Result of the check.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Betti numbers of the object, by component.
    pub betti: Vec<Betti>,
    /// Number of connected components of the skeleton.
    pub components: usize,
    /// Number of independent cycles of the skeleton.
    pub cycles: usize,
    /// Number of the object's tunnels that the cycles account for: the rank of their homology
    /// classes, as far as known.
    pub tunnels: usize,
    /// Number of nodes with one edge.
    pub ends: usize,
    /// Total length of the curves, in world units.
    pub length: f64,
    /// One connected skeleton per component, and cycles that form a basis of the tunnels.
    pub homotopy: Property,
    /// All voxels are within the coverage radius of the skeleton.
    pub cover: Property,
    /// All curves are in the object's closed cubes.
    pub inside: Property,
    /// No position is passed twice, and no edge is much longer than necessary.
    pub thin: Property,
    /// Curves are close to the reference axes, if known.
    pub centred: Property,
    /// Share of the voxels that are covered.
    pub covered: f64,
    /// Share of the curves' length that is inside.
    pub inside_share: f64,
    /// Distance of curves from the reference axes, if known.
    pub deviation: Option<centred::Deviation>,
}

impl Verdict {
    /// Returns the properties with their names.
    pub fn properties(&self) -> [(&'static str, &Property); 5] {
        [
            ("homotopy", &self.homotopy),
            ("cover", &self.cover),
            ("inside", &self.inside),
            ("thin", &self.thin),
            ("centred", &self.centred),
        ]
    }

    /// Returns `true` if all properties hold.
    pub fn holds(&self) -> bool {
        self.properties()
            .iter()
            .all(|(_, property)| property.holds())
    }

    /// Returns the Betti numbers of the whole object.
    pub fn object(&self) -> Betti {
        betti::total(&self.betti)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = self.object();
        writeln!(
            to,
            "{} parts for {} components, {} cycles for {} tunnels, {} ends, length {:.2}, covered {:.4}, inside {:.4}",
            self.components,
            object.components,
            self.cycles,
            object.tunnels,
            self.ends,
            self.length,
            self.covered,
            self.inside_share
        )?;
        if let Some(deviation) = &self.deviation {
            writeln!(
                to,
                "from the axes: mean {:.3}, max {:.3}",
                deviation.mean, deviation.max
            )?;
        }
        for (name, property) in self.properties() {
            match &property.first {
                None => write!(to, "{name}: holds")?,
                Some(fault) => write!(
                    to,
                    "{name}: fails at {} positions, first at {:.3?} of component {:?}: {}",
                    property.faults,
                    fault.position.coords.as_slice(),
                    fault.component,
                    fault.what
                )?,
            }
            match property.undecided {
                0 => writeln!(to)?,
                count => writeln!(to, "; {count} undecided")?,
            }
        }
        Ok(())
    }
}

/// Checks a skeleton against all requirements. `axes` are the reference axes of the object, or
/// empty.
///
/// Linear in the number of voxels, except for coverage, which depends on the number of skeleton
/// points near each voxel, and shortest paths, whose search is limited by [`Rules::states`].
pub fn check(object: &Object, skeleton: &Skeleton, rules: &Rules, axes: &[Axis]) -> Verdict {
    let complex = Complex::new(object);
    let steps = PositionGrid::new(object.first, object.dims, rules.tolerance);
    let mut verdict = Verdict {
        betti: betti::betti_numbers(object),
        ..Verdict::default()
    };
    let traced = inside::trace(object, &complex, &steps, skeleton);
    let collapse = Collapse::new(object, &complex);
    homotopy::check(&mut verdict, object, &collapse, skeleton, &traced);
    inside::check(&mut verdict, object, &traced);
    let squared_distances = distance::squared_distances(object);
    cover::check(
        &mut verdict,
        object,
        skeleton,
        &traced,
        rules,
        &squared_distances,
    );
    thin::check(&mut verdict, object, skeleton, &traced, rules);
    let paths = shortest_paths::ShortestPaths {
        object,
        complex: &complex,
        collapse: &collapse,
        skeleton,
        traced: &traced,
        squared_distances: &squared_distances,
        max_states: rules.states,
    };
    paths.check(&mut verdict.thin);
    centred::check(&mut verdict, object, skeleton, axes);
    verdict
}
