//! Reading a volume plane by plane, for files larger than memory.

use std::ops::Range;
use std::path::Path;

use super::opened::{Encoding, Opened, in_data_file};
use super::planes::{Forward, Planes, Random};
use super::read::{Origin, needs_f64};
use super::samples::{STEP, grow, value_type};
use super::source::Left;
use super::{FileError, FileProblem, HeaderInfo, ReadOptions};
use crate::grid::{Geometry, Sample, SampleType, VolumeError};

/// Reads the planes of a volume file, those of any range at a time.
///
/// The samples are those of [`read_volume`](super::read_volume), value for value: byte order,
/// narrowing and NIfTI's scaling are applied. A plane is all samples of one z.
///
/// Uncompressed binary samples in a file are read at their place, in any order and by several
/// threads. Everything else (gzip, zlib, text, pipes) is decoded from the front: planes may be
/// asked for in ascending order, each range going back by no more than the
/// [overlap](Self::set_overlap) behind the last. A range from before that makes the decoder start
/// again, which gives the same samples and takes the time.
///
/// Memory: the samples that are asked for, a step of 4 MiB while they are converted, and for what
/// is decoded the planes of the overlap and the decoder's buffers.
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
    origin: Origin<'a>,
    options: ReadOptions,
    dims: [usize; 3],
    geometry: Geometry,
    sample_type: SampleType,
    /// The type before scaling.
    values: SampleType,
    header: HeaderInfo,
    data_name: Option<String>,
    /// The data come once and cannot be opened again.
    pipe: bool,
    planes: Planes<'a>,
}

impl VolumeReader<'static> {
    /// Opens a volume file and reads its header.
    ///
    /// # Errors
    /// Those of [`read_volume`](super::read_volume) that show in the header and the file's length:
    /// a damaged header, a truncated file, trailing bytes. Integers of 64 bits, and of 32 without a
    /// sign, are looked through once, until one is found that i32 does not hold, for the
    /// [type](Self::sample_type) of the samples. What only decoding shows (a damaged compressed
    /// stream, text that is no number, an integer that no sample type holds) is an error of the
    /// planes that it concerns; a checksum, and bytes behind the last sample, one of the last
    /// plane.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, FileError> {
        Self::from_origin(Origin::Path(path.as_ref().to_owned()), options)
    }
}

impl<'a> VolumeReader<'a> {
    /// Opens a volume file that lies in memory, as [`read_volume_bytes`](super::read_volume_bytes)
    /// does.
    ///
    /// # Errors
    /// Those of [`open`](VolumeReader::open).
    pub fn from_bytes(
        name: impl AsRef<Path>,
        bytes: &'a [u8],
        options: &ReadOptions,
    ) -> Result<Self, FileError> {
        Self::with_data(name.as_ref(), bytes, None, options)
    }

    /// Opens a header, and where it names a data file, `data` in its place.
    pub(crate) fn with_data(
        name: &Path,
        bytes: &'a [u8],
        data: Option<&'a [u8]>,
        options: &ReadOptions,
    ) -> Result<Self, FileError> {
        let name = name.to_owned();
        Self::from_origin(Origin::Bytes { name, bytes, data }, options)
    }

    fn from_origin(origin: Origin<'a>, options: &ReadOptions) -> Result<Self, FileError> {
        let at_path = |problem| FileError::new(origin.name(), problem);
        let mut opened = origin.open(options).map_err(at_path)?;
        if opened.may_need_wide_indices() && needs_f64(&origin, options) {
            opened.layout.values = SampleType::F64;
        }
        let values = opened.layout.values;
        let data_name = opened.data_name.clone();
        let (dims, geometry, header) = (opened.layout.dims, opened.geometry, opened.header.clone());
        let sample_type = value_type(&opened.layout, header.scaling);
        let pipe = opened.source.left() == Left::Unknown;
        let planes = choose(opened, options)
            .map_err(|problem| at_path(in_data_file(data_name.as_deref(), problem)))?;
        Ok(Self {
            options: options.clone(),
            dims,
            geometry,
            sample_type,
            values,
            header,
            data_name,
            pipe,
            planes,
            origin,
        })
    }

    /// Samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Samples of one plane.
    pub fn plane_len(&self) -> usize {
        // A grid without planes may have dims whose product does not fit.
        self.dims[0].saturating_mul(self.dims[1])
    }

    /// Where the grid lies in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The type of the samples, scaling applied.
    pub fn sample_type(&self) -> SampleType {
        self.sample_type
    }

    /// The content of the header.
    pub fn header(&self) -> &HeaderInfo {
        &self.header
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        self.origin.name()
    }

    /// True when planes can be read in any order at the same cost: binary samples, not compressed,
    /// in a file or in memory.
    pub fn is_random_access(&self) -> bool {
        matches!(self.planes, Planes::Random(_))
    }

    /// How many planes of what was read are kept, so that a later range may start with them: 4 by
    /// default. Without effect where [access is random](Self::is_random_access).
    pub fn set_overlap(&mut self, planes: usize) {
        if let Planes::Forward(forward) = &mut self.planes {
            forward.set_overlap(planes);
        }
    }

    /// The samples of the planes `z.start` to `z.end` (excluded), x fastest.
    ///
    /// # Errors
    /// [`FileProblem::NoSuchPlanes`] for planes that the volume does not have,
    /// [`FileProblem::OtherType`] unless `T` is the [sample type](Self::sample_type), and what is
    /// found wrong with the file's samples.
    pub fn read_planes<T: Sample>(&mut self, z: Range<usize>) -> Result<Vec<T>, FileError> {
        self.read_growing(z).map_err(|problem| self.error(problem))
    }

    /// Fills `out` with the samples of the planes `z.start` to `z.end` (excluded), x fastest: as
    /// [`read_planes`](Self::read_planes) without asking for memory.
    ///
    /// # Errors
    /// Those of [`read_planes`](Self::read_planes), and [`VolumeError::LengthMismatch`] unless
    /// `out` has as many samples as these planes. After an error the content of `out` is
    /// unspecified.
    pub fn read_planes_into<T: Sample>(
        &mut self,
        z: Range<usize>,
        out: &mut [T],
    ) -> Result<(), FileError> {
        self.fill(z, out).map_err(|problem| self.error(problem))
    }

    /// Fills `out` with the samples from index `first` on, x fastest, wherever planes begin: for
    /// planes that are more than memory. Where samples are decoded, `first` is behind all that was
    /// read before, or less than the overlap before it.
    ///
    /// # Errors
    /// Those of [`read_planes_into`](Self::read_planes_into).
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
                self.take(first, out)
            })
            .map_err(|problem| self.error(problem))
    }

    fn take<T: Sample>(&mut self, first: usize, out: &mut [T]) -> Result<(), FileProblem> {
        if out.is_empty() {
            return Ok(());
        }
        self.go_to(first)?;
        self.planes.take(first, out)?;
        self.planes.keep(first, out)
    }

    fn read_growing<T: Sample>(&mut self, z: Range<usize>) -> Result<Vec<T>, FileProblem> {
        let samples = self.check::<T>(&z)?;
        let mut out = Vec::new();
        if samples.is_empty() {
            return Ok(out);
        }
        self.go_to(samples.start)?;
        // Where the file's length shows that the samples are there, memory is asked for once.
        let step = if self.is_random_access() {
            samples.len()
        } else {
            STEP / size_of::<T>()
        };
        while out.len() < samples.len() {
            let start = out.len();
            grow(&mut out, step.min(samples.len() - start))?;
            self.planes.take(samples.start + start, &mut out[start..])?;
        }
        self.planes.keep(samples.start, &out)?;
        Ok(out)
    }

    fn fill<T: Sample>(&mut self, z: Range<usize>, out: &mut [T]) -> Result<(), FileProblem> {
        let samples = self.check::<T>(&z)?;
        if out.len() != samples.len() {
            return Err(VolumeError::LengthMismatch {
                dims: [self.dims[0], self.dims[1], z.len()],
                expected: samples.len(),
                found: out.len(),
            }
            .into());
        }
        self.take(samples.start, out)
    }

    /// The indices of these planes' samples.
    fn check<T: Sample>(&self, z: &Range<usize>) -> Result<Range<usize>, FileProblem> {
        if T::TYPE != self.sample_type {
            return Err(FileProblem::OtherType {
                asked: T::TYPE,
                found: self.sample_type,
            });
        }
        if z.start > z.end || z.end > self.dims[2] {
            return Err(FileProblem::NoSuchPlanes {
                start: z.start,
                end: z.end,
                count: self.dims[2],
            });
        }
        // A grid without planes may have dims whose product does not fit.
        let plane = if z.end == 0 { 0 } else { self.plane_len() };
        Ok(z.start * plane..z.end * plane)
    }

    /// Makes the sample of that index the next to come; opens the file anew where it has passed.
    fn go_to(&mut self, first: usize) -> Result<(), FileProblem> {
        let Self {
            origin,
            options,
            dims,
            header,
            values,
            pipe,
            planes,
            ..
        } = self;
        let open = || {
            if *pipe {
                return Err(FileProblem::Unsupported {
                    what: "going back in a pipe".to_owned(),
                    advice: "ask for planes in ascending order, or save the data to a file",
                });
            }
            let mut opened = origin.open(options)?;
            opened.layout.values = *values;
            if opened.layout.dims != *dims || opened.header != *header {
                return Err(FileProblem::Changed);
            }
            Ok(opened)
        };
        planes.go_to(first, options, open)
    }

    fn error(&self, problem: FileProblem) -> FileError {
        let own = matches!(
            problem,
            FileProblem::NoSuchPlanes { .. } | FileProblem::OtherType { .. }
        );
        let name = self.data_name.as_deref().filter(|_| !own);
        FileError::new(self.origin.name(), in_data_file(name, problem))
    }
}

/// How the planes of an opened file are read.
fn choose<'a>(opened: Opened<'a>, options: &ReadOptions) -> Result<Planes<'a>, FileProblem> {
    match (opened.encoding, opened.source.positioned()) {
        (Encoding::Binary, Some(bytes)) => Ok(Planes::Random(Random::new(bytes, opened))),
        _ => Ok(Planes::Forward(Forward::start(opened, options)?)),
    }
}
