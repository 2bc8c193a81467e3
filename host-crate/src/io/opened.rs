//! A volume file whose header has been read: what is known before the first sample is.

use super::component::{one_component, one_number};
use super::data_files::wrap;
use super::layout::Layout;
use super::source::{Left, Source};
use super::text::check_decimal_length;
use super::{Amount, FileProblem, HeaderInfo, ReadOptions, StoredType};
use crate::grid::Geometry;

/// How samples are written, compression undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As bytes.
    Binary,
    /// As decimal numbers.
    Decimal,
}

/// A file that stands at the first sample of its first volume.
pub(crate) struct Opened<'a> {
    pub source: Source<'a>,
    pub layout: Layout,
    pub encoding: Encoding,
    pub geometry: Geometry,
    pub header: HeaderInfo,
    /// The volume that was chosen, counted as they are stored.
    pub volume: u64,
    /// The data file as the header names it.
    pub data_name: Option<String>,
}

impl<'a> Opened<'a> {
    /// A file of binary samples.
    pub fn new(source: Source<'a>, layout: Layout, geometry: Geometry, header: HeaderInfo) -> Self {
        Self {
            source,
            layout,
            encoding: Encoding::Binary,
            geometry,
            header,
            volume: 0,
            data_name: None,
        }
    }

    /// Whether integers may need f64, and the file can be read again to find out.
    pub fn may_need_wide_indices(&self) -> bool {
        let is_wide = matches!(
            self.layout.stored,
            StoredType::U32 | StoredType::U64 | StoredType::I64
        );
        is_wide && self.header.scaling.is_none() && self.source.left() != Left::Unknown
    }

    /// Chooses the volume, and compares the sizes with what is known of the source's length, before
    /// memory is asked for.
    pub fn check(&mut self, options: &ReadOptions) -> Result<(), FileProblem> {
        self.choose_and_check(options)
            .map_err(|problem| in_data_file(self.data_name.as_deref(), problem))
    }

    fn choose_and_check(&mut self, options: &ReadOptions) -> Result<(), FileProblem> {
        self.header.sizes.clone_from(&self.layout.sizes);
        (self.header.volumes, self.header.components) = self.layout.counts();
        let chosen = self.layout.choose(options)?;
        self.header.volume = options.volume.unwrap_or(0);
        self.header.component = options.component.unwrap_or(0);
        self.volume = chosen.volume;
        match self.encoding {
            Encoding::Binary => check_length(self.source.left(), &self.layout, options)?,
            Encoding::Decimal => check_decimal_length(self.source.left(), &self.layout)?,
        }
        if self.layout.components > 1 {
            let source = std::mem::replace(&mut self.source, Source::from_bytes(&[]));
            self.source = match self.encoding {
                Encoding::Binary => one_component(source, &self.layout, chosen.component),
                Encoding::Decimal => one_number(source, self.layout.components, chosen.component),
            };
            self.layout = self.layout.of_component();
        }
        Ok(())
    }
}

/// Says that a problem is the data file's, where there is one.
pub(crate) fn in_data_file(name: Option<&str>, problem: FileProblem) -> FileProblem {
    match name {
        Some(name) => wrap(name, problem),
        None => problem,
    }
}

fn check_length(left: Left, layout: &Layout, options: &ReadOptions) -> Result<(), FileProblem> {
    let expected = layout.total_bytes;
    if let Some(found) = left.fewer_than(expected) {
        return Err(layout.too_short(found));
    }
    match left {
        Left::Exactly(found) if found > expected && !options.allow_trailing_bytes => {
            Err(layout.too_long(Amount::Exactly(found)))
        }
        _ => Ok(()),
    }
}
