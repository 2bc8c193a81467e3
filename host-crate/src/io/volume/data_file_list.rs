//! Samples that are distributed over several consecutive files.

use std::io::{self, Read};

use crate::io::source::{Remaining, Source};
use crate::io::volume::data_files::{DataFiles, Opener, wrap};
use crate::io::volume::layout::Layout;
use crate::io::{ByteCount, FileProblem, ReadOptions};

/// Largest number of data files that is accepted.
pub(crate) const MAX_FILES: usize = 1 << 16;
/// Largest width of a number in a file name pattern, in digits.
const MAX_DIGITS: usize = 32;
/// Largest total length of the names of a pattern, in bytes.
const MAX_NAME_BYTES: i128 = 16 << 20;

/// Names of the data files, and the number of axes per file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataFileList {
    pub names: Vec<String>,
    /// Number of leading axes that each file covers, if stated; otherwise all but the last.
    pub axes: Option<usize>,
}

/// Parses a pattern such as `slice%03d.raw 1 20 1`, optionally followed by a number of axes. The
/// error describes the mistake.
pub(crate) fn parse_pattern(text: &str) -> Result<DataFileList, String> {
    let invalid = || {
        let text: String = text.chars().take(100).collect();
        format!(
            "{text:?} is not a file name pattern; a pattern is a name with %d, the first number, the last number and the step"
        )
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let (format, numbers) = words.split_first().ok_or_else(invalid)?;
    let number = |word: &&str| word.parse::<i64>().map_err(|_| invalid());
    let numbers: Vec<i64> = numbers.iter().map(number).collect::<Result<_, _>>()?;
    let (&[first, last, step], axes) = match numbers.len() {
        3 => (numbers.first_chunk().ok_or_else(invalid)?, None),
        4 => (numbers.first_chunk().ok_or_else(invalid)?, Some(numbers[3])),
        _ => return Err(invalid()),
    };
    let axes = axes.map(|axes| usize::try_from(axes).map_err(|_| invalid()));
    let span = i128::from(last) - i128::from(first);
    let count = match step {
        0 => None,
        step => Some(span / i128::from(step) + 1).filter(|_| span == 0 || (span > 0) == (step > 0)),
    };
    let is_possible = |count: &i128| {
        (1..=MAX_FILES as i128).contains(count)
            && *count * (format.len() + MAX_DIGITS) as i128 <= MAX_NAME_BYTES
    };
    let count = count.filter(is_possible).ok_or_else(|| {
        let shown: String = text.chars().take(100).collect();
        format!("{shown:?} names no files, or too many")
    })?;
    let numbers = (0..count as i64).map(|index| first + index * step);
    Ok(DataFileList {
        names: numbers
            .map(|number| format_name(format, number).ok_or_else(invalid))
            .collect::<Result<_, _>>()?,
        axes: axes.transpose()?,
    })
}

/// Inserts a number for `%d`, `%4d`, `%04d`, … like C's `printf`.
fn format_name(format: &str, number: i64) -> Option<String> {
    let mut name = String::new();
    let mut remaining = format;
    let mut numbers = 0;
    while let Some((before, after)) = remaining.split_once('%') {
        name += before;
        if let Some(after) = after.strip_prefix('%') {
            name.push('%');
            remaining = after;
            continue;
        }
        let digits = after.len()
            - after
                .trim_start_matches(|it: char| it.is_ascii_digit())
                .len();
        let (width, after) = after.split_at(digits);
        remaining = after.strip_prefix(['d', 'i', 'u'])?;
        let min_width = match width {
            "" => 0,
            width => width
                .parse::<usize>()
                .ok()
                .filter(|&digits| digits <= MAX_DIGITS)?,
        };
        name += &if width.starts_with('0') {
            format!("{number:0min_width$}")
        } else {
            format!("{number:min_width$}")
        };
        numbers += 1;
    }
    name += remaining;
    (numbers == 1).then_some(name)
}

impl DataFileList {
    /// Opens the samples of all files as one source. `axes` are the sizes of the axes that the
    /// header counts, fastest first, of elements of `values` stored values each. `open` moves to
    /// the first sample of a file and decodes it; it receives the layout of one file. All files are
    /// opened once in advance, so that a missing or truncated one is found before anything is read.
    pub fn open<'a>(
        &self,
        data_files: &dyn DataFiles<'a>,
        layout: &Layout,
        (axes, values): (&[u64], u64),
        options: &ReadOptions,
        open: impl Fn(Source<'a>, &Layout) -> Result<Source<'a>, FileProblem> + Send + 'a,
    ) -> Result<Source<'a>, FileProblem> {
        let part = self.single_file_layout(layout, axes, values)?;
        let opener = data_files.opener();
        let open_part: Opener<'a> = {
            let part = part.clone();
            Box::new(move |name| {
                open(opener(name)?, &part).map_err(|problem| wrap_once(name, problem))
            })
        };
        let mut exact = true;
        for name in &self.names {
            let mut source = open_part(name)?;
            let left = source.remaining();
            if source.needs_count(part.total_bytes) {
                let counted = source.skip(part.total_bytes);
                let found = counted.map_err(|problem| wrap_once(name, problem))?;
                if found < part.total_bytes {
                    return Err(wrap(name, part.too_short(ByteCount::Exactly(found))));
                }
            }
            if let Some(found) = left.fewer_than(part.total_bytes) {
                return Err(wrap(name, part.too_short(found)));
            }
            match left {
                Remaining::Exactly(found) if found > part.total_bytes => {
                    if !options.allow_trailing_bytes {
                        return Err(wrap(name, part.too_long(ByteCount::Exactly(found))));
                    }
                }
                Remaining::Exactly(_) => {}
                Remaining::AtMost(_) | Remaining::Unknown => exact = false,
            }
        }
        let chain = FileChain {
            names: self.names.clone(),
            open: open_part,
            part,
            allow_trailing_bytes: options.allow_trailing_bytes,
            current: None,
            next: 0,
        };
        let left = if exact {
            Remaining::Exactly(layout.total_bytes)
        } else {
            Remaining::AtMost(layout.total_bytes)
        };
        Ok(Source::from_decoder(chain, left))
    }

    /// Returns the layout of the samples of one file.
    fn single_file_layout(
        &self,
        layout: &Layout,
        axes: &[u64],
        values: u64,
    ) -> Result<Layout, FileProblem> {
        let files = self.names.len() as u64;
        let total = layout.value_count();
        let per_file = match self.axes {
            // The total does not overflow, but a partial product may if another size is 0.
            Some(count) if (1..axes.len()).contains(&count) && total > 0 => {
                axes[..count].iter().product::<u64>() * values
            }
            _ if total.is_multiple_of(files.max(1)) => total / files.max(1),
            _ => 0,
        };
        if files == 0 || u128::from(per_file) * u128::from(files) != u128::from(total) {
            return Err(FileProblem::UnevenDataFiles {
                files,
                sizes: axes.to_vec(),
            });
        }
        Layout::new(&[per_file], layout.stored, layout.order)
    }
}

/// Attributes a problem to a data file, unless it is attributed already.
fn wrap_once(name: &str, problem: FileProblem) -> FileProblem {
    match problem {
        FileProblem::DataFile { .. } => problem,
        problem => wrap(name, problem),
    }
}

/// Concatenated samples of all files. Files are opened when they are reached.
struct FileChain<'a> {
    names: Vec<String>,
    open: Opener<'a>,
    part: Layout,
    allow_trailing_bytes: bool,
    /// Open file, and the number of its bytes that remain.
    current: Option<(Source<'a>, u64)>,
    /// Index of the next file.
    next: usize,
}

impl FileChain<'_> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, FileProblem> {
        loop {
            let Some((source, left)) = &mut self.current else {
                let Some(name) = self.names.get(self.next) else {
                    return Ok(0);
                };
                self.current = Some(((self.open)(name)?, self.part.total_bytes));
                self.next += 1;
                continue;
            };
            let name = &self.names[self.next - 1];
            let count = buffer
                .len()
                .min(usize::try_from(*left).unwrap_or(usize::MAX));
            let wrapped = |problem| wrap_once(name, problem);
            let found = source.fill(&mut buffer[..count]).map_err(wrapped)?;
            *left -= found as u64;
            if found < count {
                let found = ByteCount::Exactly(self.part.total_bytes - *left);
                return Err(wrap(name, self.part.too_short(found)));
            }
            if *left == 0 {
                // Reading past the last sample also makes a decompressor verify its checksum.
                let has_more = source.skip(1).map_err(wrapped)? > 0;
                if has_more && !self.allow_trailing_bytes {
                    let found = ByteCount::AtLeast(self.part.total_bytes + 1);
                    return Err(wrap(name, self.part.too_long(found)));
                }
                self.current = None;
            }
            if found > 0 {
                return Ok(found);
            }
        }
    }
}

impl Read for FileChain<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.fill(buffer).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ByteOrder, StoredType};

    #[test]
    fn sizes_with_an_overflowing_partial_product_are_accepted_if_empty() {
        let parts = DataFileList {
            names: vec!["a".to_owned(), "b".to_owned()],
            axes: Some(2),
        };
        // There are no samples, so the sizes are valid.
        let sizes = [1 << 60, 1 << 60, 0];
        let layout = Layout::new(&sizes, StoredType::U8, ByteOrder::Little).unwrap();
        assert_eq!(
            parts
                .single_file_layout(&layout, &sizes, 1)
                .unwrap()
                .samples,
            0
        );
    }

    #[test]
    fn short_patterns_do_not_expand_to_long_lists() {
        let long = "x".repeat(5000);
        let error = parse_pattern(&format!("{long}%d 1 60000 1")).unwrap_err();
        assert!(error.contains("names no files, or too many"), "{error}");
        assert!(error.len() < 300, "{error}");
        assert!(parse_pattern("a%99999d 1 2 1").is_err());
        assert_eq!(
            parse_pattern("a%05d.raw 1 60000 1").unwrap().names.len(),
            60_000
        );
    }

    #[test]
    fn patterns_expand_like_printf() {
        let names = |text: &str| parse_pattern(text).map(|parts| parts.names);
        assert_eq!(
            names("a%d.raw 9 11 1").unwrap(),
            ["a9.raw", "a10.raw", "a11.raw"]
        );
        assert_eq!(names("%03d 10 1 -4 2").unwrap(), ["010", "006", "002"]);
        assert_eq!(names("50%%_%2i.gz 7 7 1").unwrap(), ["50%_ 7.gz"]);
        assert_eq!(parse_pattern("a%d 1 2 1 3").unwrap().axes, Some(3));
        for wrong in [
            "",
            "a.raw",
            "a.raw 1 2 1",
            "a%d%d 1 2 1",
            "a%s 1 2 1",
            "a%d 1 2",
            "a%d 1 2 0",
            "a%d 2 1 1",
            "a%d 1 9999999999 1",
            "a%d 1 2 1 -1",
            "a%d 1 2 1 1 1",
            "a%999999999999d 1 2 1",
        ] {
            assert!(parse_pattern(wrong).is_err(), "{wrong}");
        }
        let ends = format!("a%d {} {} 1", i64::MIN, i64::MAX);
        assert!(parse_pattern(&ends).is_err());
    }
}
