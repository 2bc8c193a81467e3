//! Description of a volume file.

use crate::{
    grid::{Geometry, LabelMeasure, SampleSummary, SampleType},
    io::{Cell, HeaderInfo, Table},
    pipeline::Warning,
};

/// Distribution of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleDistribution {
    /// Percentages, and the samples that as many percent do not exceed.
    pub percentiles: Vec<[f64; 2]>,
    /// Otsu's threshold, if there are different samples.
    pub otsu: Option<f64>,
    /// Smallest and largest sample.
    pub ends: [f64; 2],
    /// Number of samples in equal intervals between the ends.
    pub counts: Vec<u64>,
}

/// Description of a volume file.
#[derive(Clone, Debug, PartialEq)]
pub struct InfoOutcome {
    /// Contents of the header. Its volume index is meaningless unless one [is
    /// chosen](Self::is_chosen).
    pub header: HeaderInfo,
    /// `true` if one volume is described: the only one of the file, or the one that the job
    /// selects.
    pub is_chosen: bool,
    /// `true` if one component of each sample is described: the only one, or the one that the job
    /// selects.
    pub is_component_chosen: bool,
    /// Samples of one volume along x, y and z.
    pub dims: [usize; 3],
    /// Position of the grid in the world.
    pub geometry: Geometry,
    /// Type that the samples are read as, after scaling.
    pub sample_type: SampleType,
    /// Statistics of the samples, if requested.
    pub statistics: Option<SampleSummary>,
    /// Distribution of the samples, if statistics are requested and the file can be read twice.
    pub distribution: Option<SampleDistribution>,
    /// Labels, if statistics are requested and the samples look like a segmentation: integers with
    /// few different values, most of which equal their neighbours.
    pub labels: Option<Vec<LabelMeasure>>,
    /// Measures of the objects, if requested.
    pub objects: Vec<LabelMeasure>,
    /// Isovalue of the object, if it is defined by one.
    pub iso: Option<f64>,
    /// Warnings about the mask.
    pub warnings: Vec<Warning>,
}

impl InfoOutcome {
    /// Returns the number of samples of one volume.
    pub fn samples(&self) -> usize {
        let all = self
            .dims
            .iter()
            .try_fold(1_usize, |all, &n| all.checked_mul(n));
        // a grid without samples may have dims whose product overflows
        all.unwrap_or(0)
    }

    /// Returns the orientation of the axes in a right-anterior-superior world, such as `RAS` or
    /// `LPS`: the letter of the direction closest to each axis.
    pub fn orientation(&self) -> String {
        let axes = self.geometry.axes();
        let mut is_free = [true; 3];
        let mut code = String::new();
        for axis in 0..3 {
            let column = axes.column(axis);
            let free = (0..3).filter(|&world| is_free[world]);
            let closest = free.max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()));
            let world = closest.unwrap_or(axis);
            is_free[world] = false;
            let letters = [['R', 'L'], ['A', 'P'], ['S', 'I']][world];
            code.push(letters[usize::from(column[world] < 0.0)]);
        }
        code
    }

    /// Returns the length of the volume along its axes, in world units.
    pub fn extent(&self) -> [f64; 3] {
        let spacing = self.geometry.spacing();
        [0, 1, 2].map(|axis| self.dims[axis] as f64 * spacing[axis])
    }

    /// Returns a table of the measured objects: voxels, volume, first and end index, and centroid
    /// in world coordinates.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "label",
            "voxels",
            "volume",
            "first_x",
            "first_y",
            "first_z",
            "end_x",
            "end_y",
            "end_z",
            "centroid_x",
            "centroid_y",
            "centroid_z",
        ]);
        for object in &self.objects {
            let numbers = [object.label.into(), object.voxels.into()];
            let box_cells = object.bounds.start.iter().chain(&object.bounds.end);
            let centroid = self.centroid(object);
            table.add(
                numbers
                    .into_iter()
                    .chain([self.volume(object).into()])
                    .chain(box_cells.map(|&index| Cell::from(index)))
                    .chain(centroid.map(Cell::from)),
            );
        }
        table
    }

    /// Returns the volume of an object, in world units.
    pub fn volume(&self, object: &LabelMeasure) -> f64 {
        object.voxels as f64 * self.geometry.determinant().abs()
    }

    /// Returns the centroid of an object, in world coordinates.
    pub fn centroid(&self, object: &LabelMeasure) -> [f64; 3] {
        self.geometry.index_to_world(object.centroid.into()).into()
    }
}
