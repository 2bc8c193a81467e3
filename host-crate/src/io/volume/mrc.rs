//! MRC and CCP4 maps (MRC2014, Cheng et al. 2015): electron microscopy, lengths in ångström.

use nalgebra::{Matrix3, Vector3};

use crate::grid::Geometry;
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::half::widen_halves;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::{ByteOrder, FileProblem, HeaderInfo, StoredType, VolumeFormat};

/// Size of the header, in bytes.
const HEADER: usize = 1024;
/// Space group of a stack of volumes.
const VOLUME_STACK: i32 = 401;

/// Header as words of 32 bits.
struct Words<'h> {
    bytes: &'h [u8],
    order: ByteOrder,
}

impl Words<'_> {
    /// Returns word `index`, counted from 0.
    fn integer(&self, index: usize) -> i32 {
        let bytes = [0, 1, 2, 3].map(|byte| self.bytes[4 * index + byte]);
        match self.order {
            ByteOrder::Little => i32::from_le_bytes(bytes),
            ByteOrder::Big => i32::from_be_bytes(bytes),
        }
    }

    fn integers(&self, first: usize) -> [i32; 3] {
        [0, 1, 2].map(|axis| self.integer(first + axis))
    }

    fn floats(&self, first: usize) -> [f64; 3] {
        self.integers(first)
            .map(|bits| f64::from(f32::from_bits(bits as u32)))
    }
}

/// Opens a file and reads its header.
pub(crate) fn open(mut source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let mut bytes = [0; HEADER];
    let found = source.fill(&mut bytes)?;
    if bytes[208..211] != *b"MAP" {
        return Err(FileProblem::WrongMagic {
            format: VolumeFormat::Mrc,
            expected: "\"MAP\" after 208 bytes",
            found: show_bytes(&bytes[208..212.min(found.max(208))]),
        });
    }
    if found < HEADER {
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Mrc,
            expected: HEADER as u64,
            found: found as u64,
        });
    }
    let order = match bytes[212] {
        0x11 => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    let words = Words {
        bytes: &bytes,
        order,
    };
    let mode = words.integer(3);
    let (stored, components) = match mode {
        0 => (StoredType::I8, 1),
        1 => (StoredType::I16, 1),
        2 => (StoredType::F32, 1),
        3 => (StoredType::I16, 2),
        4 => (StoredType::F32, 2),
        6 => (StoredType::U16, 1),
        12 => (StoredType::F32, 1),
        mode => {
            let name = match mode {
                101 => "4-bit integers".to_owned(),
                mode => format!("the mode {mode}"),
            };
            return Err(FileProblem::Unsupported {
                what: format!("MRC with {name}"),
                advice: "convert it to mode 2 (32-bit floats), for example with mrcfile",
            });
        }
    };
    let size = |size: i32| u64::try_from(size).map_err(|_| damaged(format!("a size is {size}")));
    let [nx, ny, nz] = words.integers(0);
    let intervals = words.integers(7);
    let mut sizes = vec![size(nx)?, size(ny)?, size(nz)?];
    if words.integer(22) == VOLUME_STACK && intervals[2] > 0 && nz % intervals[2] == 0 {
        sizes = vec![
            size(nx)?,
            size(ny)?,
            size(intervals[2])?,
            size(nz / intervals[2])?,
        ];
    }
    let is_half = mode == 12;
    let sample_order = if is_half { ByteOrder::Little } else { order };
    let mut layout = Layout::new(&sizes, stored, sample_order)?;
    if components > 1 {
        layout = layout.with_components(components)?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Mrc, stored, order);
    let geometry = geometry(&words, &mut header)?;
    let extended = words.integer(23);
    let extended = u64::try_from(extended)
        .map_err(|_| damaged(format!("the extended header has {extended} bytes")))?;
    let skipped = source.skip(extended)?;
    if skipped < extended {
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Mrc,
            expected: HEADER as u64 + extended,
            found: HEADER as u64 + skipped,
        });
    }
    let source = if is_half {
        widen_halves(source, order)
    } else {
        source
    };
    Ok(OpenedVolume::new(source, layout, geometry, header))
}

/// Returns the grid: columns, rows and sections along the world axes that the header names.
fn geometry(words: &Words<'_>, header: &mut HeaderInfo) -> Result<Geometry, FileProblem> {
    let (cell, intervals) = (words.floats(10), words.integers(7));
    let has_spacing = cell
        .iter()
        .all(|length| *length > 0.0 && length.is_finite())
        && intervals.iter().all(|count| *count > 0);
    header.has_spacing = has_spacing;
    let spacing: [f64; 3] = if has_spacing {
        [0, 1, 2].map(|axis| cell[axis] / f64::from(intervals[axis]))
    } else {
        header
            .notes
            .push("the file has no cell size; the spacing is taken as 1".to_owned());
        [1.0; 3]
    };
    if has_spacing {
        header
            .notes
            .push("lengths in ångström are used as they are".to_owned());
    }
    let mut map = words.integers(16);
    let mut sorted = map;
    sorted.sort_unstable();
    if sorted != [1, 2, 3] {
        if map != [0; 3] {
            header.notes.push(format!(
                "the axes are {} {} {}; they are taken as 1 2 3",
                map[0], map[1], map[2]
            ));
        }
        map = [1, 2, 3];
    }
    let starts = words.integers(4);
    let mut origin = Vector3::from(words.floats(49));
    let mut axes = Matrix3::zeros();
    let has_origin = origin.iter().any(|x| *x != 0.0) && origin.iter().all(|x| x.is_finite());
    header.has_origin = has_origin || starts != [0; 3];
    if !has_origin {
        origin = Vector3::zeros();
    }
    let edges = edges(words.floats(13), &mut header.notes);
    for (column, axis) in map.iter().enumerate() {
        let axis = (*axis - 1) as usize;
        let step = edges[axis] * spacing[axis];
        axes.set_column(column, &step);
        if !has_origin {
            origin += step * f64::from(starts[column]);
        }
    }
    Ok(Geometry::new(axes, origin)?)
}

/// Returns the directions of the edges of a cell with these angles between the second and the
/// third, the first and the third, and the first and the second, in degrees: the first along x, the
/// second in the plane of x and y.
fn edges(angles: [f64; 3], notes: &mut Vec<String>) -> [Vector3<f64>; 3] {
    let orthogonal = [Vector3::x(), Vector3::y(), Vector3::z()];
    // Other programs leave them out, or round them.
    if angles.contains(&0.0) || angles.iter().all(|it| (it - 90.0).abs() < 1e-3) {
        return orthogonal;
    }
    let [cos_bc, cos_ac, cos_ab] = angles.map(|angle| angle.to_radians().cos());
    let sin_ab = angles[2].to_radians().sin();
    let second = Vector3::new(cos_ab, sin_ab, 0.0);
    let y = (cos_bc - cos_ac * cos_ab) / sin_ab;
    let height = 1.0 - cos_ac * cos_ac - y * y;
    let is_valid = angles.iter().all(|angle| (1.0..=179.0).contains(angle));
    if !is_valid || height.is_nan() || height < 1e-6 {
        notes.push(format!(
            "the angles of the cell are {} {} {}; they are taken as 90",
            angles[0], angles[1], angles[2]
        ));
        return orthogonal;
    }
    [Vector3::x(), second, Vector3::new(cos_ac, y, height.sqrt())]
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Mrc,
        problem,
    }
}
