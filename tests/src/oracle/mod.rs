//! Whether a skeleton is right, found out from the object and the graph alone: nothing here is
//! shared with the library's own certificate.
//!
//! | property | how it is tested |
//! | --- | --- |
//! | homotopy | pieces, cycles and the rank of the cycles' classes in the first homology of each component, over the field of two elements: [`homotopy`] |
//! | cover | each voxel's centre against balls about the skeleton's points: [`cover`] |
//! | inside | the cells that each segment goes through, in integers: [`inside`] |
//! | thin | distances between segments, lengths of edges beside shortest ways of the same class: [`thin`] |
//! | centred | distances from axes that are known: [`centred`] |
//!
//! Classes come from [`collapse`], which takes objects of any size. [`matrix`] finds them for small
//! ones by reducing the matrix of borders, so that tests can hold one to the other.
//!
//! [`trilinear`] is an oracle of its own: for the surface in one cell of a volume.
//!
//! ```
//! use ferrovox::graph::Skeleton;
//! use ferrovox_tests::{known::{Grid, simple}, oracle::{Object, Rules, check}};
//!
//! let rod = simple::rod([1.0, 0.0, 0.0], 3.0, 30.0, Grid::unit());
//! let object = Object::of(&rod.voxels);
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
#[cfg(test)]
mod tests;
pub mod thin;
pub mod trilinear;
pub mod ways;

pub use object::Object;

use crate::known::{Axis, Betti};
use cells::Complex;
use collapse::Collapse;
use curve::Steps;
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::fmt;

/// What is demanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A voxel is covered within `scale` times the radius of a skeleton point, and `reach`.
    pub scale: f64,
    /// In world units; by default 4 times the smallest spacing.
    pub reach: Option<f64>,
    /// By how many voxels a curve may leave the object's cubes. 0 is exact.
    pub tolerance: f64,
    /// Two places of curves are one if they are no farther apart than this, in the smallest
    /// spacing.
    pub near: f64,
    /// No more states than that are looked at for the shortest way of an edge's class.
    pub states: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            scale: 1.5,
            reach: None,
            tolerance: 0.0,
            near: 0.1,
            states: 4_000_000,
        }
    }
}

/// Where a property does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub what: String,
    /// Where, in voxels of the volume.
    pub place: Point3<f64>,
    /// In which component, if in one.
    pub component: Option<usize>,
}

/// One property.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Property {
    /// In how many places it does not hold.
    pub faults: u64,
    /// The first of them.
    pub first: Option<Fault>,
    /// How many things could not be decided.
    pub undecided: u64,
}

impl Property {
    /// Whether it holds wherever that was decided.
    pub fn holds(&self) -> bool {
        self.faults == 0
    }

    /// One more fault.
    pub fn fault(
        &mut self,
        component: Option<usize>,
        place: Point3<f64>,
        what: impl FnOnce() -> String,
    ) {
        self.faults += 1;
        self.first.get_or_insert_with(|| Fault {
            what: what(),
            place,
            component,
        });
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The object's Betti numbers, by component.
    pub betti: Vec<Betti>,
    /// Pieces of the skeleton.
    pub pieces: usize,
    /// Its independent cycles.
    pub cycles: usize,
    /// How many of the object's tunnels the cycles account for: the rank of their classes, as far
    /// as they are known.
    pub tunnels: usize,
    /// Nodes with one edge.
    pub ends: usize,
    /// The length of all curves in the world.
    pub length: f64,
    /// As many pieces as components, cycles that are a basis of the tunnels.
    pub homotopy: Property,
    /// All voxels near enough to the skeleton.
    pub cover: Property,
    /// All curves in the object's closed cubes.
    pub inside: Property,
    /// No place passed twice, no edge much longer than it must be.
    pub thin: Property,
    /// Curves in the middle, where that is known.
    pub centred: Property,
    /// The share of the voxels that is covered.
    pub covered: f64,
    /// The share of the curves' length that is inside.
    pub inside_share: f64,
    /// How far curves are from the axes that are known.
    pub deviation: Option<centred::Deviation>,
}

impl Verdict {
    /// The properties with their names.
    pub fn properties(&self) -> [(&'static str, &Property); 5] {
        [
            ("homotopy", &self.homotopy),
            ("cover", &self.cover),
            ("inside", &self.inside),
            ("thin", &self.thin),
            ("centred", &self.centred),
        ]
    }

    /// Whether all of them hold.
    pub fn holds(&self) -> bool {
        self.properties()
            .iter()
            .all(|(_, property)| property.holds())
    }

    /// The object's Betti numbers.
    pub fn object(&self) -> Betti {
        betti::total(&self.betti)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = self.object();
        writeln!(
            to,
            "{} pieces of {}, {} cycles of {}, {} ends, length {:.2}, covered {:.4}, inside {:.4}",
            self.pieces,
            object.pieces,
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
                "from the axes: mean {:.3}, most {:.3}",
                deviation.mean, deviation.most
            )?;
        }
        for (name, property) in self.properties() {
            match &property.first {
                None => write!(to, "{name}: holds")?,
                Some(fault) => write!(
                    to,
                    "{name}: fails in {} places, first at {:.3?} of component {:?}: {}",
                    property.faults,
                    fault.place.coords.as_slice(),
                    fault.component,
                    fault.what
                )?,
            }
            match property.undecided {
                0 => writeln!(to)?,
                count => writeln!(to, "; {count} not decided")?,
            }
        }
        Ok(())
    }
}

/// Holds a skeleton to everything that is demanded. `axes` are those of the object where they are
/// known.
///
/// Linear in the object's voxels but for cover, which is in the voxels times the skeleton's points
/// near them, and ways around tunnels, whose search is given up at [`Rules::states`].
pub fn check(object: &Object, skeleton: &Skeleton, rules: &Rules, axes: &[Axis]) -> Verdict {
    let complex = Complex::of(object);
    let steps = Steps::new(object.first, object.dims, rules.tolerance);
    let mut verdict = Verdict {
        betti: betti::betti_numbers(object),
        ..Verdict::default()
    };
    let traced = inside::trace(object, &complex, &steps, skeleton);
    let collapse = Collapse::of(object, &complex);
    homotopy::check(&mut verdict, object, &collapse, skeleton, &traced);
    inside::check(&mut verdict, object, &traced);
    let squares = distance::squared_distances(object);
    cover::check(&mut verdict, object, skeleton, &traced, rules, &squares);
    thin::check(&mut verdict, object, skeleton, &traced, rules);
    let ways = ways::Ways {
        object,
        complex: &complex,
        collapse: &collapse,
        skeleton,
        traced: &traced,
        squares: &squares,
        most_states: rules.states,
    };
    ways.check(&mut verdict.thin);
    centred::check(&mut verdict, object, skeleton, axes);
    verdict
}
