//! Samples that are spread over several files, one after the other.

use std::io::{self, Read};

use super::data_files::{DataFiles, Opener, wrap};
use super::layout::Layout;
use super::source::{Left, Source};
use super::{Amount, FileProblem, ReadOptions};

/// More files than this belong to no volume.
pub(crate) const FILES: usize = 1 << 16;
/// Longest number in a name of a pattern, in digits.
const DIGITS: usize = 32;
/// Most bytes of the names of a pattern, which is short itself.
const NAMES: i128 = 16 << 20;

/// The files' names, and how many samples each has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub names: Vec<String>,
    /// Axes that each file has, where that is stated; else all but the last.
    pub axes: Option<usize>,
}

/// The files of a pattern as `slice%03d.raw 1 20 1`, with a number of axes behind it or none; what
/// is wrong with it.
pub(crate) fn pattern(text: &str) -> Result<Parts, String> {
    let wrong = || {
        let text: String = text.chars().take(100).collect();
        format!(
            "{text:?} is no pattern of files, which is a name with %d in it, the first and the last number, and the step"
        )
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let (format, numbers) = words.split_first().ok_or_else(wrong)?;
    let number = |word: &&str| word.parse::<i64>().map_err(|_| wrong());
    let numbers: Vec<i64> = numbers.iter().map(number).collect::<Result<_, _>>()?;
    let (&[first, last, step], axes) = match numbers.len() {
        3 => (numbers.first_chunk().ok_or_else(wrong)?, None),
        4 => (numbers.first_chunk().ok_or_else(wrong)?, Some(numbers[3])),
        _ => return Err(wrong()),
    };
    let axes = axes.map(|axes| usize::try_from(axes).map_err(|_| wrong()));
    let span = i128::from(last) - i128::from(first);
    let count = match step {
        0 => None,
        step => Some(span / i128::from(step) + 1).filter(|_| span == 0 || (span > 0) == (step > 0)),
    };
    let is_possible = |count: &i128| {
        (1..=FILES as i128).contains(count) && *count * (format.len() + DIGITS) as i128 <= NAMES
    };
    let count = count.filter(is_possible).ok_or_else(|| {
        let shown: String = text.chars().take(100).collect();
        format!("{shown:?} has no files, or too many")
    })?;
    let numbers = (0..count as i64).map(|index| first + index * step);
    Ok(Parts {
        names: numbers
            .map(|number| name_of(format, number).ok_or_else(wrong))
            .collect::<Result<_, _>>()?,
        axes: axes.transpose()?,
    })
}

/// A name with a number in the place of `%d`, `%4d`, `%04d`, … as C has them.
fn name_of(format: &str, number: i64) -> Option<String> {
    let mut name = String::new();
    let mut rest = format;
    let mut numbers = 0;
    while let Some((before, after)) = rest.split_once('%') {
        name += before;
        if let Some(after) = after.strip_prefix('%') {
            name.push('%');
            rest = after;
            continue;
        }
        let digits = after.len()
            - after
                .trim_start_matches(|it: char| it.is_ascii_digit())
                .len();
        let (width, after) = after.split_at(digits);
        rest = after.strip_prefix(['d', 'i', 'u'])?;
        let places = match width {
            "" => 0,
            width => width
                .parse::<usize>()
                .ok()
                .filter(|&places| places <= DIGITS)?,
        };
        name += &if width.starts_with('0') {
            format!("{number:0places$}")
        } else {
            format!("{number:places$}")
        };
        numbers += 1;
    }
    name += rest;
    (numbers == 1).then_some(name)
}

impl Parts {
    /// The source of the samples of all files. `open` goes to the first sample of a file, and
    /// undoes its encoding; it is given the layout of one file. All files are opened once
    /// beforehand, so that one that is missing or too short is found before anything is read.
    pub fn open<'a>(
        &self,
        data_files: &dyn DataFiles<'a>,
        layout: &Layout,
        options: &ReadOptions,
        open: impl Fn(Source<'a>, &Layout) -> Result<Source<'a>, FileProblem> + Send + 'a,
    ) -> Result<Source<'a>, FileProblem> {
        let part = self.layout_of_one(layout)?;
        let opener = data_files.opener();
        let open_part: Opener<'a> = {
            let part = part.clone();
            Box::new(move |name| {
                open(opener(name)?, &part).map_err(|problem| wrap_once(name, problem))
            })
        };
        let mut exact = true;
        for name in &self.names {
            let left = open_part(name)?.left();
            if let Some(found) = left.fewer_than(part.total_bytes) {
                return Err(wrap(name, part.too_short(found)));
            }
            match left {
                Left::Exactly(found) if found > part.total_bytes => {
                    if !options.allow_trailing_bytes {
                        return Err(wrap(name, part.too_long(Amount::Exactly(found))));
                    }
                }
                Left::Exactly(_) => {}
                Left::AtMost(_) | Left::Unknown => exact = false,
            }
        }
        let chain = Chain {
            names: self.names.clone(),
            open: open_part,
            part,
            allow_trailing_bytes: options.allow_trailing_bytes,
            now: None,
            next: 0,
        };
        let left = if exact {
            Left::Exactly(layout.total_bytes)
        } else {
            Left::AtMost(layout.total_bytes)
        };
        Ok(Source::from_decoder(chain, left))
    }

    /// The sizes of one file's samples.
    fn layout_of_one(&self, layout: &Layout) -> Result<Layout, FileProblem> {
        let files = self.names.len() as u64;
        let axes = &layout.sizes;
        let total = layout.numbers();
        let of_one = match self.axes {
            // the product of all sizes fits, but that of some need not where another is 0
            Some(count) if (1..axes.len()).contains(&count) && total > 0 => {
                axes[..count].iter().product()
            }
            _ if total.is_multiple_of(files.max(1)) => total / files.max(1),
            _ => 0,
        };
        if files == 0 || u128::from(of_one) * u128::from(files) != u128::from(total) {
            return Err(FileProblem::Parts {
                files,
                sizes: axes.clone(),
            });
        }
        Layout::new(&[of_one], layout.stored, layout.order)
    }
}

/// Says that a problem is the data file's, unless that is said.
fn wrap_once(name: &str, problem: FileProblem) -> FileProblem {
    match problem {
        FileProblem::DataFile { .. } => problem,
        problem => wrap(name, problem),
    }
}

/// The samples of one file after the other; files are opened when their turn comes.
struct Chain<'a> {
    names: Vec<String>,
    open: Opener<'a>,
    part: Layout,
    allow_trailing_bytes: bool,
    /// The file that is read, and how many bytes of it are still to come.
    now: Option<(Source<'a>, u64)>,
    /// The number of the next file.
    next: usize,
}

impl Chain<'_> {
    fn give(&mut self, buffer: &mut [u8]) -> Result<usize, FileProblem> {
        loop {
            let Some((source, left)) = &mut self.now else {
                let Some(name) = self.names.get(self.next) else {
                    return Ok(0);
                };
                self.now = Some(((self.open)(name)?, self.part.total_bytes));
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
                let there = Amount::Exactly(self.part.total_bytes - *left);
                return Err(wrap(name, self.part.too_short(there)));
            }
            if *left == 0 {
                // the byte behind the last sample is also what makes a decompressor compare its
                // checksum
                let more = source.skip(1).map_err(wrapped)? > 0;
                if more && !self.allow_trailing_bytes {
                    let there = Amount::AtLeast(self.part.total_bytes + 1);
                    return Err(wrap(name, self.part.too_long(there)));
                }
                self.now = None;
            }
            if found > 0 {
                return Ok(found);
            }
        }
    }
}

impl Read for Chain<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.give(buffer).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ByteOrder, StoredType};

    #[test]
    fn sizes_whose_product_overflows() {
        let parts = Parts {
            names: vec!["a".to_owned(), "b".to_owned()],
            axes: Some(2),
        };
        // no samples, so that the sizes are fine
        let sizes = [1 << 60, 1 << 60, 0];
        let layout = Layout::new(&sizes, StoredType::U8, ByteOrder::Little).unwrap();
        assert_eq!(parts.layout_of_one(&layout).unwrap().samples, 0);
    }

    #[test]
    fn a_short_header_does_not_make_long_lists() {
        let long = "x".repeat(5000);
        let error = pattern(&format!("{long}%d 1 60000 1")).unwrap_err();
        assert!(error.contains("has no files, or too many"), "{error}");
        assert!(error.len() < 300, "{error}");
        assert!(pattern("a%99999d 1 2 1").is_err());
        assert_eq!(pattern("a%05d.raw 1 60000 1").unwrap().names.len(), 60_000);
    }

    #[test]
    fn names_of_patterns() {
        let names = |text: &str| pattern(text).map(|parts| parts.names);
        assert_eq!(
            names("a%d.raw 9 11 1").unwrap(),
            ["a9.raw", "a10.raw", "a11.raw"]
        );
        assert_eq!(names("%03d 10 1 -4 2").unwrap(), ["010", "006", "002"]);
        assert_eq!(names("50%%_%2i.gz 7 7 1").unwrap(), ["50%_ 7.gz"]);
        assert_eq!(pattern("a%d 1 2 1 3").unwrap().axes, Some(3));
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
            assert!(pattern(wrong).is_err(), "{wrong}");
        }
        let ends = format!("a%d {} {} 1", i64::MIN, i64::MAX);
        assert!(pattern(&ends).is_err());
    }
}
