//! Points as an array of n rows and 3 columns.

use super::push;
use crate::grid::{Sample, SampleType, with_volume};
use crate::io::source::Source;
use crate::io::volume::npy;
use crate::io::volume::read::read_samples;
use crate::io::{AxisOrder, FileProblem, PointsProblem, ReadOptions};

/// Reads the rows of an `.npy` array.
pub(super) fn read(mut source: Source<'_>) -> Result<Vec<[f64; 3]>, FileProblem> {
    let header = npy::header(&mut source)?;
    let &[rows, 3] = &header.shape[..] else {
        return Err(PointsProblem::ArrayShape {
            shape: header.shape,
        }
        .into());
    };
    let is_column_major = header.fortran;
    // The order in which the elements are stored.
    let axes = if header.fortran {
        AxisOrder::Xyz
    } else {
        AxisOrder::Zyx
    };
    let mut opened = npy::opened(source, header, axes, false)?;
    let options = ReadOptions::default();
    opened.check(&options)?;
    if opened.has_wide_integers() {
        opened.layout.values = SampleType::F64;
    }
    let array = read_samples(opened, &options)?;
    with_volume!(&array, array => collect_rows(array.samples(), rows as usize, is_column_major))
}

fn collect_rows<T: Sample>(
    values: &[T],
    rows: usize,
    is_column_major: bool,
) -> Result<Vec<[f64; 3]>, FileProblem> {
    let mut points = Vec::new();
    for row in 0..rows {
        let point = [0, 1, 2].map(|column| {
            if is_column_major {
                values[column * rows + row]
            } else {
                values[3 * row + column]
            }
        });
        push(&mut points, point.map(Sample::to_f64))?;
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let text =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}}}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((text.len() as u16).to_le_bytes());
        file.extend(text.as_bytes());
        file.extend(data);
        file
    }

    fn read_bytes(bytes: &[u8]) -> Result<Vec<[f64; 3]>, String> {
        read(Source::from_bytes(bytes)).map_err(|problem| problem.to_string())
    }

    #[test]
    fn rows_are_points_in_either_storage_order() {
        let rows: Vec<u8> = (0..9i16).flat_map(i16::to_le_bytes).collect();
        let expected = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]];
        let file = npy("<i2", "False", "(3, 3)", &rows);
        assert_eq!(read_bytes(&file).unwrap(), expected);
        let columns: Vec<u8> = [0, 3, 6, 1, 4, 7, 2, 5, 8]
            .into_iter()
            .flat_map(|number| f64::from(number).to_be_bytes())
            .collect();
        let file = npy(">f8", "True", "(3, 3)", &columns);
        assert_eq!(read_bytes(&file).unwrap(), expected);
        assert!(
            read_bytes(&npy("<f4", "False", "(0, 3)", &[]))
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn other_shapes_are_rejected() {
        for shape in ["(6,)", "(2, 4)", "(3, 2)", "(1, 2, 3)", "()"] {
            let problem = read_bytes(&npy("<f4", "False", shape, &[0; 24])).unwrap_err();
            assert!(
                problem.contains("n rows and 3 columns"),
                "{shape}: {problem}"
            );
        }
        let problem = read_bytes(&npy("<f4", "False", "(2, 3)", &[0; 20])).unwrap_err();
        assert!(problem.contains("24 bytes"), "{problem}");
        let nan = f32::NAN.to_le_bytes().repeat(3);
        let problem = read_bytes(&npy("<f4", "False", "(1, 3)", &nan)).unwrap_err();
        assert!(problem.starts_with("point 0 is at"), "{problem}");
    }
}
