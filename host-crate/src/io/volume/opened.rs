//! A volume file after its header has been read.

use crate::grid::Geometry;
use crate::io::source::{Remaining, Source};
use crate::io::volume::data_files::wrap;
use crate::io::volume::layout::Layout;
use crate::io::volume::samples::component::{select_component, select_decimal_component};
use crate::io::volume::samples::text::check_decimal_length;
use crate::io::{ByteCount, FileProblem, HeaderInfo, ReadOptions, StoredType};

/// Encoding of the samples after decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Binary.
    Binary,
    /// Decimal numbers as text.
    Decimal,
}

/// A volume file, positioned at the first sample of its first volume.
pub(crate) struct OpenedVolume<'a> {
    pub source: Source<'a>,
    pub layout: Layout,
    pub encoding: Encoding,
    pub geometry: Geometry,
    pub header: HeaderInfo,
    /// Index of the selected volume, in storage order.
    pub volume: u64,
    /// Name of the data file, as the header states it.
    pub data_name: Option<String>,
    /// `true` if the samples should be counted before memory is allocated for them.
    pub needs_count: bool,
}

impl<'a> OpenedVolume<'a> {
    /// Creates the description of a file with binary samples.
    pub fn new(
        source: Source<'a>,
        mut layout: Layout,
        geometry: Geometry,
        header: HeaderInfo,
    ) -> Self {
        if let Some(scaling) = header.scaling {
            layout.values = scaling.value_type(layout.stored);
        }
        Self {
            source,
            layout,
            encoding: Encoding::Binary,
            geometry,
            header,
            volume: 0,
            data_name: None,
            needs_count: false,
        }
    }

    /// Returns `true` if integers may exceed `i32` and the file can be read twice to find out.
    pub fn has_wide_integers(&self) -> bool {
        let is_wide = matches!(
            self.layout.stored,
            StoredType::U32 | StoredType::U64 | StoredType::I64
        );
        is_wide && self.header.scaling.is_none() && self.source.remaining() != Remaining::Unknown
    }

    /// Selects the volume and the component, and compares the sizes with the length of the source
    /// before any memory is allocated.
    pub fn check(&mut self, options: &ReadOptions) -> Result<(), FileProblem> {
        self.select_and_check(options)
            .map_err(|problem| in_data_file(self.data_name.as_deref(), problem))
    }

    fn select_and_check(&mut self, options: &ReadOptions) -> Result<(), FileProblem> {
        self.header.sizes.clone_from(&self.layout.sizes);
        (self.header.volumes, self.header.components) = self.layout.counts();
        let selection = self.layout.select(options)?;
        self.header.volume = options.volume.unwrap_or(0);
        self.header.component = options.component.unwrap_or(0);
        self.volume = selection.volume;
        match self.encoding {
            Encoding::Binary => check_length(self.source.remaining(), &self.layout, options)?,
            Encoding::Decimal => check_decimal_length(self.source.remaining(), &self.layout)?,
        }
        self.needs_count = self.source.needs_count(self.layout.total_bytes);
        if self.layout.components > 1 {
            let source = std::mem::replace(&mut self.source, Source::from_bytes(&[]));
            self.source = match self.encoding {
                Encoding::Binary => select_component(source, &self.layout, selection.component),
                Encoding::Decimal => {
                    select_decimal_component(source, self.layout.components, selection.component)
                }
            };
            self.layout = self.layout.single_component();
        }
        Ok(())
    }
}

/// Attributes a problem to the data file `name`, if there is one.
pub(crate) fn in_data_file(name: Option<&str>, problem: FileProblem) -> FileProblem {
    match name {
        Some(name) => wrap(name, problem),
        None => problem,
    }
}

fn check_length(
    left: Remaining,
    layout: &Layout,
    options: &ReadOptions,
) -> Result<(), FileProblem> {
    let expected = layout.total_bytes;
    if let Some(found) = left.fewer_than(expected) {
        return Err(layout.too_short(found));
    }
    match left {
        Remaining::Exactly(found) if found > expected && !options.allow_trailing_bytes => {
            Err(layout.too_long(ByteCount::Exactly(found)))
        }
        _ => Ok(()),
    }
}
