//! Reading of a checked range of samples, and reopening of files for earlier ones.

use std::ops::Range;

use super::VolumeReader;
use crate::grid::{Sample, VolumeError};
use crate::io::volume::opened::in_data_file;
use crate::io::volume::samples::{STEP, grow};
use crate::io::volume::transpose::{PlaneBuffer, in_volume_order};
use crate::io::{FileError, FileProblem, SampleProblem, SelectionProblem};

impl VolumeReader<'_> {
    pub(super) fn read_range<T: Sample>(
        &mut self,
        first: usize,
        out: &mut [T],
    ) -> Result<(), FileProblem> {
        if out.is_empty() {
            return Ok(());
        }
        self.go_to(first)?;
        self.planes.read(first, out)?;
        self.planes.retain(first, out)
    }

    pub(super) fn read_growing<T: Sample>(
        &mut self,
        z: Range<usize>,
    ) -> Result<Vec<T>, FileProblem> {
        let samples = self.check::<T>(&z)?;
        let mut out = Vec::new();
        if samples.is_empty() {
            return Ok(out);
        }
        self.go_to(samples.start)?;
        // If the length of the file guarantees that the samples exist, all memory is allocated at
        // once.
        let step = if self.is_random_access() {
            samples.len()
        } else {
            STEP / size_of::<T>()
        };
        while out.len() < samples.len() {
            let start = out.len();
            grow(&mut out, step.min(samples.len() - start))?;
            self.planes.read(samples.start + start, &mut out[start..])?;
        }
        self.planes.retain(samples.start, &out)?;
        Ok(out)
    }

    pub(super) fn fill<T: Sample>(
        &mut self,
        z: Range<usize>,
        out: &mut [T],
    ) -> Result<(), FileProblem> {
        let samples = self.check::<T>(&z)?;
        if out.len() != samples.len() {
            return Err(VolumeError::LengthMismatch {
                dims: [self.dims[0], self.dims[1], z.len()],
                expected: samples.len(),
                found: out.len(),
            }
            .into());
        }
        self.read_range(samples.start, out)
    }

    /// Returns the indices of the samples of these planes.
    pub(super) fn check<T: Sample>(&self, z: &Range<usize>) -> Result<Range<usize>, FileProblem> {
        if T::TYPE != self.sample_type {
            return Err(SampleProblem::TypeMismatch {
                requested: T::TYPE,
                found: self.sample_type,
            }
            .into());
        }
        if z.start > z.end || z.end > self.dims[2] {
            return Err(SelectionProblem::NoSuchPlanes {
                start: z.start,
                end: z.end,
                count: self.dims[2],
            }
            .into());
        }
        // The dims of a grid without planes may have an overflowing product.
        let plane = if z.end == 0 { 0 } else { self.plane_len() };
        Ok(z.start * plane..z.end * plane)
    }

    /// Makes sample `first` the next one, reopening the file if it has been passed.
    fn go_to(&mut self, first: usize) -> Result<(), FileProblem> {
        let Self {
            input,
            options,
            dims,
            header,
            sample_type,
            is_pipe,
            planes,
            ..
        } = self;
        let open = || {
            if *is_pipe {
                return Err(FileProblem::Unsupported {
                    what: "going back in a pipe".to_owned(),
                    advice: "request planes in ascending order, or save the data to a file",
                });
            }
            let mut opened = input.open(options)?;
            opened.layout.values = *sample_type;
            let buffer = PlaneBuffer::Bounded;
            let opened = in_volume_order(opened, input.reopener(options), options, buffer)?;
            if opened.layout.dims != *dims || opened.header != *header {
                return Err(FileProblem::FileChanged);
            }
            Ok(opened)
        };
        planes.go_to(first, options, open)
    }

    pub(super) fn error(&self, problem: FileProblem) -> FileError {
        let is_request_error = matches!(
            problem,
            FileProblem::Selection(SelectionProblem::NoSuchPlanes { .. })
                | FileProblem::Sample(SampleProblem::TypeMismatch { .. })
        );
        let name = self.data_name.as_deref().filter(|_| !is_request_error);
        FileError::new(self.input.name(), in_data_file(name, problem))
    }
}
