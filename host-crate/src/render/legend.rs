//! Legends that explain the colours of curves and surfaces.

use super::{
    ColourBy, Picture,
    annotations::ValueRange,
    curve_colours::{Colour, ColourMap},
    text::{Font, TEXT, format_number},
    values::value_colour,
};
use crate::memory::CollectOrUnwind;

/// Smallest side of a picture with a legend, in pixels.
const MIN_SIDE: u32 = 160;
/// Largest number of classes that are listed; more are only counted.
const MAX_CLASSES: usize = 24;

/// Legend at the right edge or at the bottom of a picture.
pub struct Legend {
    font: Font,
    size: [u32; 2],
    /// Margins at the right and at the bottom that others occupy, in pixels.
    occupied: [u32; 2],
    content: Content,
}

/// Contents of a legend.
enum Content {
    /// Colour bar with its smallest and its largest value.
    Bar {
        /// Quantity, and its unit in parentheses.
        title: [String; 2],
        colours: Vec<Colour>,
        min: String,
        max: String,
        is_below: bool,
    },
    /// Title, and a colour with a name for each class.
    List(&'static str, Vec<(Colour, String)>),
    /// Number of classes, as text.
    Count(String),
}

/// Number of colours of a bar.
const STEPS: usize = 256;
/// Largest number of letters of a title that stay in one line beside a picture.
const MAX_TITLE: usize = 10;

/// Returns a unit in parentheses.
fn in_parentheses(unit: &str) -> String {
    if unit.is_empty() {
        "(world units)".to_owned()
    } else {
        format!("({unit})")
    }
}

impl Legend {
    /// Creates the legend of curves in a picture of `size` pixels, with lengths in `unit`; `None`
    /// if there is no room or nothing to explain.
    pub fn for_curves(colour_map: &ColourMap, unit: &str, size: [u32; 2]) -> Option<Self> {
        let what = match colour_map.by {
            ColourBy::Radius => {
                let range = colour_map.radii?;
                let title = ["radius".to_owned(), in_parentheses(unit)];
                return Self::with_bar(title, range, |radius| colour_map.radius(radius), size);
            }
            ColourBy::Label => "label",
            ColourBy::Level => "level",
            ColourBy::Component => "component",
        };
        let font = font(size)?;
        let classes = &colour_map.classes;
        let rows = (size[1] / font.line()).saturating_sub(3) as usize;
        let content = match classes.len() {
            0 => return None,
            count if count > MAX_CLASSES.min(rows) => Content::Count(format!("{count} {what}s")),
            _ => {
                let entry = |&class: &i64| (colour_map.class(class), class.to_string());
                Content::List(what, classes.iter().map(entry).collect_or_unwind())
            }
        };
        Some(Self {
            font,
            size,
            occupied: [0; 2],
            content,
        })
    }

    /// Creates the legend of surfaces that are coloured by values; `None` if there is no room.
    pub fn for_values(values: &ValueRange, size: [u32; 2]) -> Option<Self> {
        let ValueRange { title, unit, range } = values;
        let unit = if unit.is_empty() {
            String::new()
        } else {
            in_parentheses(unit)
        };
        let colour = |value| value_colour(value, *range);
        Self::with_bar([title.clone(), unit], *range, colour, size)
    }

    /// Creates a colour bar.
    fn with_bar(
        title: [String; 2],
        [min, max]: [f64; 2],
        colour: impl Fn(f64) -> Colour,
        size: [u32; 2],
    ) -> Option<Self> {
        let at = |step: usize| min + (max - min) * step as f64 / (STEPS - 1) as f64;
        let content = Content::Bar {
            title,
            colours: (0..STEPS).map(|step| colour(at(step))).collect_or_unwind(),
            min: format_number(min),
            max: format_number(max),
            is_below: size[1] > size[0],
        };
        Some(Self {
            font: font(size)?,
            size,
            occupied: [0; 2],
            content,
        })
    }

    /// Places the legend inside of margins that others occupy.
    pub fn within(self, occupied: [u32; 2]) -> Self {
        Self { occupied, ..self }
    }

    /// Returns half the height of a line, in pixels.
    fn gap(&self) -> u32 {
        self.font.line() / 2
    }

    /// Returns the margins at the right and at the bottom that the legend needs, in pixels.
    pub fn margin(&self) -> [u32; 2] {
        let line = self.font.line();
        match &self.content {
            Content::Bar { is_below: true, .. } => [0, 2 * line + 2 * self.gap()],
            Content::Count(_) => [0, line + self.gap()],
            _ => [self.width() + self.gap(), 0],
        }
    }

    /// Returns the width of a legend at the right edge, in pixels.
    fn width(&self) -> u32 {
        let font = &self.font;
        let (swatch, gap) = (font.line(), self.gap());
        match &self.content {
            Content::Bar {
                title, min, max, ..
            } => {
                let lines = title_lines(title);
                let title = lines.iter().map(|line| font.width(line)).max();
                let numbers = font.width(min).max(font.width(max));
                title.unwrap_or(0).max(swatch + gap / 2 + numbers)
            }
            Content::List(title, entries) => {
                let names = entries.iter().map(|(_, name)| font.width(name));
                let entry = swatch + gap / 2 + names.max().unwrap_or(0);
                entry.max(font.width(title))
            }
            Content::Count(text) => font.width(text),
        }
    }

    /// Draws the legend.
    pub fn draw(&self, picture: &mut Picture) {
        match &self.content {
            Content::Bar { is_below: true, .. } => self.draw_bar_below(picture),
            Content::Bar { .. } => self.draw_bar(picture),
            Content::List(title, entries) => self.draw_list(picture, title, entries),
            Content::Count(text) => {
                let left = self.size[0].saturating_sub(self.font.width(text)) / 2;
                self.font.write(picture, [left, self.top()], text, TEXT);
            }
        }
    }

    /// Returns the left end of a legend at the right edge, in pixels.
    fn left(&self) -> u32 {
        let margin = self.width() + self.gap() + self.occupied[0];
        self.size[0].saturating_sub(margin)
    }

    /// Returns the upper end of a legend at the bottom, in pixels.
    fn top(&self) -> u32 {
        self.size[1].saturating_sub(self.margin()[1] + self.occupied[1])
    }

    fn draw_bar(&self, picture: &mut Picture) {
        let Content::Bar {
            title,
            colours,
            min,
            max,
            ..
        } = &self.content
        else {
            return;
        };
        let lines = title_lines(title);
        let (font, line, left) = (&self.font, self.font.line(), self.left());
        let length = (self.size[1] / 3).max(2 * line);
        let title = lines.len() as u32 * line + self.gap();
        let mut top = self.size[1].saturating_sub(title + length) / 2;
        for text in &lines {
            font.write(picture, [left, top], text, TEXT);
            top += line;
        }
        top += self.gap();
        for row in 0..length {
            // The largest radius is at the top.
            let step = (length - 1 - row) as usize * (colours.len() - 1) / (length - 1) as usize;
            picture.blend_rectangle([left, top + row], [line, 1], as_bytes(colours[step]), 1.0);
        }
        let label_left = left + line + self.gap() / 2;
        font.write(picture, [label_left, top], max, TEXT);
        if min != max {
            font.write(picture, [label_left, top + length - line], min, TEXT);
        }
    }

    fn draw_bar_below(&self, picture: &mut Picture) {
        let Content::Bar {
            title,
            colours,
            min,
            max,
            ..
        } = &self.content
        else {
            return;
        };
        let (font, line, gap) = (&self.font, self.font.line(), self.gap());
        let (width, top) = (self.size[0], self.top());
        let title = title.join(" ");
        let title_left = width.saturating_sub(font.width(title.trim())) / 2;
        font.write(picture, [title_left, top], title.trim(), TEXT);
        let length = width / 3;
        let left = (width - length) / 2;
        let top = top + line + gap / 2;
        for column in 0..length {
            let step = column as usize * (colours.len() - 1) / (length - 1).max(1) as usize;
            picture.blend_rectangle(
                [left + column, top],
                [1, line],
                as_bytes(colours[step]),
                1.0,
            );
        }
        let before = left.saturating_sub(font.width(min) + gap);
        font.write(picture, [before, top], min, TEXT);
        if min != max {
            font.write(picture, [left + length + gap, top], max, TEXT);
        }
    }

    fn draw_list(&self, picture: &mut Picture, title: &str, entries: &[(Colour, String)]) {
        let (font, line, left) = (&self.font, self.font.line(), self.left());
        let rows = entries.len() as u32 + 1;
        let mut top = self.size[1].saturating_sub(rows * line) / 2;
        font.write(picture, [left, top], title, TEXT);
        for (colour, name) in entries {
            top += line;
            let inset = line / 5;
            let side = line - 2 * inset;
            let colour = as_bytes(*colour);
            picture.blend_rectangle([left + inset, top + inset], [side; 2], colour, 1.0);
            font.write(picture, [left + line + self.gap() / 2, top], name, TEXT);
        }
    }
}

fn as_bytes(colour: Colour) -> [f32; 3] {
    colour.map(|channel| 255.0 * channel)
}

/// Returns the font of a legend; `None` if the picture is too small.
fn font(size: [u32; 2]) -> Option<Font> {
    let shorter = size[0].min(size[1]);
    (shorter >= MIN_SIDE).then(|| Font::for_picture(shorter))
}

/// Returns the lines above a vertical bar.
fn title_lines(title: &[String; 2]) -> Vec<&str> {
    let is_short = |text: &String| text.chars().count() <= MAX_TITLE;
    let mut lines = Vec::new();
    for text in title {
        if is_short(text) {
            lines.push(text.as_str());
        } else {
            lines.extend(text.split(' '));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour_map(by: ColourBy, classes: i64) -> ColourMap {
        ColourMap {
            by,
            radii: Some([0.5, 4.0]),
            classes: (0..classes).collect(),
        }
    }

    #[test]
    fn legend_is_placed_where_there_is_room() {
        let size = [400, 300];
        let bar = Legend::for_curves(&colour_map(ColourBy::Radius, 0), "", size).unwrap();
        assert!((40..100).contains(&bar.margin()[0]) && bar.margin()[1] == 0);
        let below = Legend::for_curves(&colour_map(ColourBy::Radius, 0), "", [300, 400]).unwrap();
        assert!(below.margin()[0] == 0 && (20..60).contains(&below.margin()[1]));
        let list = Legend::for_curves(&colour_map(ColourBy::Label, 5), "", size).unwrap();
        assert!(matches!(&list.content, Content::List("label", entries) if entries.len() == 5));
        let many = Legend::for_curves(&colour_map(ColourBy::Component, 116), "", size).unwrap();
        assert!(matches!(&many.content, Content::Count(text) if text == "116 components"));
        assert!(Legend::for_curves(&colour_map(ColourBy::Radius, 0), "", [800, 100]).is_none());
        assert!(Legend::for_curves(&colour_map(ColourBy::Label, 0), "", size).is_none());
    }

    #[test]
    fn colour_bar_has_both_ends_of_the_map() {
        for size in [[400, 300], [300, 400]] {
            let colour_map = colour_map(ColourBy::Radius, 0);
            let legend = Legend::for_curves(&colour_map, "", size).unwrap();
            let mut picture = Picture::filled(size[0], size[1], [1.0; 3]).unwrap();
            legend.draw(&mut picture);
            for radius in [0.5, 4.0] {
                let colour = as_bytes(colour_map.radius(radius)).map(|c| (c + 0.5) as u8);
                let found = picture.rgba().chunks(4).any(|pixel| pixel[..3] == colour);
                assert!(found, "{size:?}: {radius}");
            }
        }
    }
}
