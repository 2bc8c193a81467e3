//! Plot of a sweep like figure 3 of Zhao et al. (2016): occupancy on one axis, speed on the other.

use crate::{support::Outcome, sweep::Sweep};
use plotters::prelude::*;

/// Size of the plot, in pixels.
const SIZE: (u32, u32) = (900, 460);
/// Colours of occupancy and speed.
const COLOURS: [RGBColor; 2] = [RGBColor(0x2b, 0x6c, 0xb0), RGBColor(0xc0, 0x56, 0x21)];

/// Draws the sweep as SVG; returns `None` if there are too few points for a line.
pub fn svg(sweep: &Sweep) -> Outcome<Option<String>> {
    let mut points: Vec<(f64, Option<f64>, f64)> = sweep
        .measured()
        .map(|(point, ms)| (f64::from(point.value), point.occupancy, ms))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Ok(None);
    };
    let (left, right) = (first.0.min(0.0), last.0.max(first.0 + 1.0));
    // speed is plotted relative to the fastest configuration
    let fastest_ms = points
        .iter()
        .map(|point| point.2)
        .fold(f64::INFINITY, f64::min);
    let occupancy = || {
        points
            .iter()
            .filter_map(|&(at, occupancy, _)| Some((at, 100.0 * occupancy?)))
    };
    let speed = || {
        points
            .iter()
            .map(|&(at, _, ms)| (at, 100.0 * fastest_ms / ms))
    };

    let has_occupancy = occupancy().next().is_some();
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let title = format!("{} on {}", sweep.kernel, sweep.device_name);
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(if has_occupancy { 56 } else { 12 })
            .right_y_label_area_size(56)
            .build_cartesian_2d(left..right, 0.0..105.0)?
            .set_secondary_coord(left..right, 0.0..105.0);
        let no_decimals = |number: &f64| format!("{number:.0}");
        let mut mesh = chart.configure_mesh();
        mesh.light_line_style(TRANSPARENT)
            .x_desc(sweep.over.axis())
            .x_label_formatter(&no_decimals)
            .y_label_formatter(&no_decimals);
        // y axes for the available series
        if has_occupancy {
            mesh.y_desc(format!("occupancy on {} (%)", sweep.input.device));
        } else {
            mesh.y_labels(0);
        }
        mesh.draw()?;
        chart
            .configure_secondary_axes()
            .y_desc(format!("speed (%; 100 is {fastest_ms:.4} ms)"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .draw()?;
        if has_occupancy {
            let line = LineSeries::new(occupancy(), COLOURS[0].stroke_width(2));
            let legend =
                |(x, y)| PathElement::new([(x, y), (x + 18, y)], COLOURS[0].stroke_width(2));
            chart.draw_series(line)?.label("occupancy").legend(legend);
        }
        chart
            .draw_secondary_series(LineSeries::new(speed(), COLOURS[1].stroke_width(2)))?
            .label("speed")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], COLOURS[1].stroke_width(2)));
        // draw single points if they are sparse enough to be distinguished
        if points.len() <= 64 {
            chart
                .draw_secondary_series(speed().map(|at| Circle::new(at, 3, COLOURS[1].filled())))?;
            chart.draw_series(occupancy().map(|at| Circle::new(at, 3, COLOURS[0].filled())))?;
        }
        if let Some((default, ms)) = sweep.default_point() {
            let point = (f64::from(default.value), 100.0 * fastest_ms / ms);
            chart.draw_secondary_series([Circle::new(point, 7, BLACK.stroke_width(2))])?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
    }
    Ok(Some(text))
}
