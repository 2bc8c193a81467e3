//! Reading of a volume plane by plane, for files larger than memory.

mod ranges;

use std::ops::Range;
use std::path::Path;

use crate::grid::{AnyVolume, Geometry, Sample, SampleType, VolumeError};
use crate::io::catch_panic::{catch_panic, read_file};
use crate::io::source::Remaining;
use crate::io::volume::opened::{Encoding, OpenedVolume, in_data_file};
use crate::io::volume::planes::{PlaneSource, RandomAccessPlanes, SequentialPlanes};
use crate::io::volume::read::{VolumeInput, find_integer_type};
use crate::io::volume::transpose::{PlaneBuffer, in_volume_order};
use crate::io::{FileError, FileProblem, HeaderInfo, ReadOptions};

/// Reads any range of planes of a volume file. A plane consists of all samples with the same z.
///
/// The samples equal those of [`read_volume`](crate::io::read_volume): byte order, narrowing and
/// NIfTI's scaling are applied.
///
/// Uncompressed binary samples in a file or in memory are read by random access, in any order and
/// by several threads. Everything else (gzip, zlib, text, pipes) is decoded sequentially: ranges
/// should be requested in ascending order, each starting at most [overlap](Self::set_overlap)
/// planes before the end of the previous one. An earlier range makes the decoder start
/// again at the first sample: the result is the same, but takes longer.
///
/// An `.npy` array with z as the fastest axis (z, y, x in Fortran order, or x, y, z in C order) is
/// read sequentially too, once per 16 MiB of the volume.
///
/// Memory: the requested samples, 4 MiB during conversion, for sequential decoding the overlap and
/// the decoder's buffers, and 16 MiB for such an array.
///
/// ```
/// use ferrovox::io::{ReadOptions, VolumeReader, VolumeWriteOptions, write_volume};
/// use ferrovox::grid::{Geometry, Volume};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ramp.nrrd");
/// let ramp = Volume::from_fn([4, 3, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&path, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let mut reader = VolumeReader::open(&path, &ReadOptions::default())?;
/// assert_eq!(reader.dims(), [4, 3, 10]);
/// let mut slab = vec![0.0_f32; 4 * 3 * 2];
/// for z in 0..9 {
///     reader.read_planes_into(z..z + 2, &mut slab)?;
///     assert_eq!((slab[0], slab[12]), (z as f32, (z + 1) as f32));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VolumeReader<'a> {
    input: VolumeInput<'a>,
    options: ReadOptions,
    dims: [usize; 3],
    geometry: Geometry,
    sample_type: SampleType,
    header: HeaderInfo,
    data_name: Option<String>,
    /// `true` if the data come from a pipe, which cannot be opened again.
    is_pipe: bool,
    planes: PlaneSource<'a>,
}

impl VolumeReader<'static> {
    /// Opens a volume file and reads its header.
    ///
    /// # Errors
    /// The errors of [`read_volume`](crate::io::read_volume) that the header and the length of the
    /// file reveal: a damaged header, a truncated file, trailing bytes. Unsigned 32-bit and 64-bit
    /// integers are scanned until one exceeds `i32`, to determine the [sample
    /// type](Self::sample_type). Errors that only decoding reveals (damaged compressed data,
    /// invalid text, an integer that no sample type represents) are reported when the affected
    /// planes are read; a wrong checksum or trailing bytes, when the last plane is read.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, FileError> {
        Self::from_input(VolumeInput::Path(path.as_ref().to_owned()), options)
    }

    /// Creates a reader of a volume in memory, which was read from `path` and has its header.
    pub(crate) fn from_volume(path: &Path, header: HeaderInfo, volume: AnyVolume) -> Self {
        Self {
            input: VolumeInput::Path(path.to_owned()),
            options: ReadOptions::default(),
            dims: volume.dims(),
            geometry: *volume.geometry(),
            sample_type: volume.sample_type(),
            header,
            data_name: None,
            is_pipe: false,
            planes: PlaneSource::InMemory(volume),
        }
    }
}

impl<'a> VolumeReader<'a> {
    /// Opens a volume file in memory, like [`read_volume_bytes`](crate::io::read_volume_bytes).
    ///
    /// # Errors
    /// The errors of [`open`](VolumeReader::open).
    pub fn from_bytes(
        name: impl AsRef<Path>,
        bytes: &'a [u8],
        options: &ReadOptions,
    ) -> Result<Self, FileError> {
        Self::with_data(name.as_ref(), bytes, None, options)
    }

    /// Opens a header in memory, with `data` as the data file that it names.
    pub(crate) fn with_data(
        name: &Path,
        bytes: &'a [u8],
        data: Option<&'a [u8]>,
        options: &ReadOptions,
    ) -> Result<Self, FileError> {
        let name = name.to_owned();
        Self::from_input(VolumeInput::Bytes { name, bytes, data }, options)
    }

    fn from_input(input: VolumeInput<'a>, options: &ReadOptions) -> Result<Self, FileError> {
        let name = input.name().to_owned();
        read_file(&name, || {
            let opened = input.open_counted(options)?;
            Self::from_opened(input, opened, options)
        })
    }

    /// Creates a reader of an input that has been opened.
    fn from_opened(
        input: VolumeInput<'a>,
        mut opened: OpenedVolume<'a>,
        options: &ReadOptions,
    ) -> Result<Self, FileProblem> {
        if opened.has_wide_integers() {
            opened.layout.values = find_integer_type(&input, options);
        }
        let sample_type = opened.layout.values;
        let data_name = opened.data_name.clone();
        let (dims, geometry, header) = (opened.layout.dims, opened.geometry, opened.header.clone());
        let is_pipe = opened.source.remaining() == Remaining::Unknown;
        let planes = in_volume_order(
            opened,
            input.reopener(options),
            options,
            PlaneBuffer::Bounded,
        )
        .and_then(|opened| plane_source(opened, options))
        .map_err(|problem| in_data_file(data_name.as_deref(), problem))?;
        Ok(Self {
            options: options.clone(),
            dims,
            geometry,
            sample_type,
            header,
            data_name,
            is_pipe,
            planes,
            input,
        })
    }

    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the number of samples of a plane.
    pub fn plane_len(&self) -> usize {
        // The dims of a grid without planes may have an overflowing product.
        self.dims[0].saturating_mul(self.dims[1])
    }

    /// Returns the spacing, origin and axis directions of the grid.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the sample type after scaling.
    pub fn sample_type(&self) -> SampleType {
        self.sample_type
    }

    /// Returns the contents of the header.
    pub fn header(&self) -> &HeaderInfo {
        &self.header
    }

    /// Returns the path as it was given.
    pub fn path(&self) -> &Path {
        self.input.name()
    }

    /// Returns `true` if planes can be read in any order at the same cost: uncompressed binary
    /// samples in a file or in memory.
    pub fn is_random_access(&self) -> bool {
        matches!(
            self.planes,
            PlaneSource::RandomAccess(_) | PlaneSource::InMemory(_)
        )
    }

    /// Returns access for several threads at once to uncompressed binary samples in a file or in
    /// memory; `None` for other sources.
    pub(crate) fn shared(&self) -> Option<SharedReader<'_>> {
        match &self.planes {
            PlaneSource::RandomAccess(planes) if planes.is_plain() => Some(SharedReader {
                planes,
                path: self.path(),
                data_name: self.data_name.as_deref(),
            }),
            _ => None,
        }
    }

    /// Sets the number of most recent planes that are retained, so that the next range may start
    /// with them; 4 by default. No effect with [random access](Self::is_random_access).
    pub fn set_overlap(&mut self, planes: usize) {
        if let PlaneSource::Sequential(forward) = &mut self.planes {
            forward.set_overlap(planes);
        }
    }

    /// Reads the samples of the planes `z.start..z.end`, x fastest.
    ///
    /// # Errors
    /// [`SelectionProblem::NoSuchPlanes`](crate::io::SelectionProblem) for planes that the volume
    /// does not have, [`SampleProblem::TypeMismatch`](crate::io::SampleProblem) unless `T` is the
    /// [sample type](Self::sample_type), and errors of the file's samples.
    pub fn read_planes<T: Sample>(&mut self, z: Range<usize>) -> Result<Vec<T>, FileError> {
        let read = catch_panic(|| self.read_growing(z));
        read.map_err(|problem| self.error(problem))
    }

    /// Fills `out` with the samples of the planes `z.start..z.end`, x fastest, without allocating.
    ///
    /// # Errors
    /// The errors of [`read_planes`](Self::read_planes), and [`VolumeError::LengthMismatch`] unless
    /// `out` has as many samples as the planes. After an error the contents of `out` are
    /// unspecified.
    pub fn read_planes_into<T: Sample>(
        &mut self,
        z: Range<usize>,
        out: &mut [T],
    ) -> Result<(), FileError> {
        let read = catch_panic(|| self.fill(z, out));
        read.map_err(|problem| self.error(problem))
    }

    /// Fills `out` with the samples from index `first` on, x fastest, independent of planes: for
    /// planes larger than memory. With sequential decoding, `first` must lie after all samples read
    /// before, or less than the overlap before their end.
    ///
    /// # Errors
    /// The errors of [`read_planes_into`](Self::read_planes_into).
    pub(crate) fn read_samples_into<T: Sample>(
        &mut self,
        first: usize,
        out: &mut [T],
    ) -> Result<(), FileError> {
        let samples = self.check::<T>(&(0..self.dims[2]));
        samples
            .and_then(|all| {
                let end = first.saturating_add(out.len());
                if end > all.end {
                    return Err(VolumeError::LengthMismatch {
                        dims: self.dims,
                        expected: all.end,
                        found: end,
                    }
                    .into());
                }
                catch_panic(|| self.read_range(first, out))
            })
            .map_err(|problem| self.error(problem))
    }
}

/// Access to the samples of a [`VolumeReader`] for several threads at once.
pub(crate) struct SharedReader<'r> {
    planes: &'r RandomAccessPlanes<'r>,
    path: &'r Path,
    data_name: Option<&'r str>,
}

impl SharedReader<'_> {
    /// Fills `out` with the samples from index `first` on, x fastest. `T` must be the
    /// [sample type](VolumeReader::sample_type), and the volume must have these samples.
    pub fn read<T: Sample>(&self, first: usize, out: &mut [T]) -> Result<(), FileError> {
        let read = catch_panic(|| self.planes.read(first, out));
        read.map_err(|problem| FileError::new(self.path, in_data_file(self.data_name, problem)))
    }
}

/// Chooses random access or sequential decoding for an opened file.
fn plane_source<'a>(
    opened: OpenedVolume<'a>,
    options: &ReadOptions,
) -> Result<PlaneSource<'a>, FileProblem> {
    match (opened.encoding, opened.source.positioned()) {
        (Encoding::Binary, Some(bytes)) => Ok(PlaneSource::RandomAccess(RandomAccessPlanes::new(
            bytes, opened,
        ))),
        _ => Ok(PlaneSource::Sequential(SequentialPlanes::start(
            opened, options,
        )?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::source::Source;
    use crate::io::source::decoded::{DecodePlanes, DecodedPlanes};
    use crate::io::volume::layout::Layout;
    use crate::io::{ByteOrder, StoredType, VolumeFormat};

    /// A decoder with a defect that the third plane reveals.
    struct Panicking;

    impl DecodePlanes for Panicking {
        fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
            assert!(planes.end < 4, "the third plane has a length of 7");
            out.fill(5);
            Ok(())
        }

        fn window_end(&self, first: u64, _: u64) -> u64 {
            first + 1
        }
    }

    #[test]
    fn panic_of_a_decoder_is_an_error_of_its_file() {
        let input = VolumeInput::Bytes {
            name: "scan.dcm".into(),
            bytes: &[],
            data: None,
        };
        let stored = StoredType::U8;
        let layout = Layout::new(&[2, 3, 6], stored, ByteOrder::Little).unwrap();
        let source = Source::from_planes(DecodedPlanes::new(Panicking, 6, 6), true);
        let header = HeaderInfo::new(VolumeFormat::Dicom, stored, ByteOrder::Little);
        let opened = OpenedVolume::new(source, layout, Geometry::default(), header);
        let reader = VolumeReader::from_opened(input, opened, &ReadOptions::default());
        let mut reader = reader.unwrap();
        assert_eq!(reader.read_planes::<u8>(0..2).unwrap(), [5; 12]);
        for _ in 0..2 {
            let error = reader.read_planes::<u8>(2..5).unwrap_err().to_string();
            assert!(
                error.starts_with("scan.dcm: the reader failed unexpectedly")
                    && error.contains("the third plane has a length of 7"),
                "{error}"
            );
        }
        // other planes can be read
        assert_eq!(reader.read_planes::<u8>(1..3).unwrap(), [5; 12]);
        let mut slab = [0_u8; 12];
        assert!(reader.read_planes_into(3..5, &mut slab).is_err());
        assert!(reader.read_samples_into(24, &mut slab).is_err());
    }
}
