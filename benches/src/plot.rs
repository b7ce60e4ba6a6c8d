//! The board's figures as a bar chart, the sweep's as curves.

use serde_json::Value as Json;
use std::fmt::Write;

/// What the sweep's curves show.
const SWEEP: &str = "our time by ndarray's, against the number of elements:";

const LINE: usize = 18;
const NAMES: usize = 190;
const PANEL: usize = 330;
const GAP: usize = 70;
const TOP: usize = 66;

/// One workload of the chart.
struct Bar {
    name: String,
    of_roofline: Option<f64>,
    best_peer: Option<(String, f64)>,
}

/// An SVG of the JSON that the board writes: for each workload, how near it is to the roofline and
/// how many times our time the best peer takes. Or of the JSON that the sweep writes: for each
/// operation, our time by `ndarray`'s against the number of elements.
///
/// # Errors
/// If the JSON is of neither.
pub fn svg(figures: &Json) -> Result<String, String> {
    if let Some(points) = figures["sweep"].as_array() {
        let points = points.iter().map(point).collect::<Option<Vec<Point>>>();
        let title = figures["title"].as_str().unwrap_or(SWEEP);
        let limit = figures["limit"].as_f64().unwrap_or(crate::sweep::LIMIT);
        return Ok(draw_sweep(&points.ok_or("a point lacks its ratio")?, title, limit));
    }
    let workloads = figures["workloads"].as_array().ok_or("there is no list of workloads")?;
    let bars = workloads
        .iter()
        .map(bar)
        .collect::<Option<Vec<Bar>>>()
        .ok_or("a workload lacks its times")?;
    Ok(draw(&bars))
}

fn bar(workload: &Json) -> Option<Bar> {
    let ours = workload["ours_ms"].as_f64()?;
    let peers = workload["peers"].as_object()?;
    let times = peers.iter().filter_map(|(name, time)| Some((name.clone(), time.as_f64()? / ours)));
    Some(Bar {
        name: workload["name"].as_str()?.to_owned(),
        of_roofline: workload["roofline_ms"].as_f64().map(|time| time / ours),
        best_peer: times.min_by(|a, b| a.1.total_cmp(&b.1)),
    })
}

/// One of the two halves: where it begins, and where a ratio lies in it.
struct Panel {
    left: usize,
    place: fn(f64) -> f64,
    marks: &'static [f64],
    goal: f64,
}

impl Panel {
    fn x(&self, ratio: f64) -> f64 {
        self.left as f64 + PANEL as f64 * (self.place)(ratio).clamp(0.0, 1.0)
    }
}

fn draw(bars: &[Bar]) -> String {
    // Linear to 1.2; logarithmic from an eighth to 64 times.
    let roofline =
        Panel { left: NAMES, place: |x| x / 1.2, marks: &[0.0, 0.25, 0.5, 0.75, 1.0], goal: 0.9 };
    let peers = Panel {
        left: NAMES + PANEL + GAP,
        place: |x| (x.log2() + 3.0) / 9.0,
        marks: &[0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0],
        goal: 1.0,
    };
    let (width, bottom) = (peers.left + PANEL + 120, TOP + bars.len() * LINE);
    let height = bottom + 12;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (panel, title) in
        [(&roofline, "of the roofline"), (&peers, "best peer's time by ours (logarithmic)")]
    {
        text(&mut svg, panel.left as f64, 24.0, "font-size=\"14\"", title);
        for &mark in panel.marks {
            let x = panel.x(mark);
            line(&mut svg, x, bottom, "#ddd");
            text(
                &mut svg,
                x,
                TOP as f64 - 10.0,
                "text-anchor=\"middle\" fill=\"#666\"",
                &format!("{mark}"),
            );
        }
    }
    for (position, bar) in bars.iter().enumerate() {
        let y = TOP + position * LINE;
        text(&mut svg, NAMES as f64 - 8.0, y as f64 + 13.0, "text-anchor=\"end\"", &bar.name);
        if let Some(ratio) = bar.of_roofline {
            draw_bar(&mut svg, &roofline, y, ratio, "");
        }
        if let Some((name, ratio)) = &bar.best_peer {
            draw_bar(&mut svg, &peers, y, *ratio, name);
        }
    }
    for panel in [&roofline, &peers] {
        line(&mut svg, panel.x(panel.goal), bottom, "#222");
    }
    svg + "</svg>\n"
}

/// A bar from the panel's left edge, with its figure; what misses the panel's goal has another
/// colour.
fn draw_bar(svg: &mut String, panel: &Panel, y: usize, ratio: f64, note: &str) {
    let (left, end) = (panel.left as f64, panel.x(ratio));
    let colour = if ratio >= panel.goal { "#3b7dbd" } else { "#d9822b" };
    let (top, high, wide) = (y + 3, LINE - 6, end - left);
    writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{wide:.1}\" height=\"{high}\" fill=\"{colour}\"/>"
    )
    .expect("strings take all");
    let label = format!("{ratio:.2} {note}");
    text(svg, end + 4.0, y as f64 + 13.0, "fill=\"#444\"", label.trim_end());
}

/// One point of the sweep's curves.
struct Point {
    operation: String,
    threads: String,
    elements: f64,
    ratio: f64,
}

fn point(point: &Json) -> Option<Point> {
    Some(Point {
        operation: point["operation"].as_str()?.to_owned(),
        threads: point["threads"].as_str()?.to_owned(),
        elements: point["elements"].as_f64()?,
        ratio: point["ratio"].as_f64()?,
    })
}

/// A small chart for each operation, with a curve for each way to run.
fn draw_sweep(points: &[Point], title: &str, limit: f64) -> String {
    const COLUMNS: usize = 4;
    const WIDTH: f64 = 230.0;
    const HEIGHT: f64 = 150.0;
    const MARGIN: [f64; 2] = [50.0, 40.0];
    const COLOURS: [&str; 2] = ["#3b7dbd", "#d9822b"];
    let mut operations: Vec<&str> = Vec::new();
    let mut threads: Vec<&str> = Vec::new();
    for point in points {
        for (names, name) in [(&mut operations, &point.operation), (&mut threads, &point.threads)] {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    let most = points.iter().map(|point| point.elements).fold(10.0, f64::max);
    let rows = operations.len().div_ceil(COLUMNS);
    let width = COLUMNS as f64 * (WIDTH + MARGIN[0]) + 20.0;
    let height = rows as f64 * (HEIGHT + MARGIN[1]) + 60.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text(&mut svg, MARGIN[0], 24.0, "font-size=\"14\"", title);
    for (i, name) in threads.iter().enumerate() {
        let style = format!("font-size=\"14\" fill=\"{}\"", COLOURS[i % 2]);
        text(&mut svg, 440.0 + 70.0 * i as f64, 24.0, &style, name);
    }
    for (position, operation) in operations.iter().enumerate() {
        let (row, column) = ((position / COLUMNS) as f64, (position % COLUMNS) as f64);
        let left = MARGIN[0] + column * (WIDTH + MARGIN[0]);
        let top = 60.0 + row * (HEIGHT + MARGIN[1]);
        // Logarithmic both, from a sixteenth to 256 times.
        let x = |elements: f64| left + WIDTH * elements.log10() / most.log10();
        let y = |ratio: f64| top + HEIGHT * (8.0 - ratio.log2()).clamp(0.0, 12.0) / 12.0;
        text(&mut svg, left, top - 6.0, "font-weight=\"bold\"", operation);
        let marks = [(0.0625, "1/16"), (0.25, "1/4"), (1.0, "1"), (4.0, "4"), (16.0, "16")];
        for (ratio, name) in marks.into_iter().chain([(64.0, "64"), (256.0, "256")]) {
            segment(&mut svg, [left, y(ratio)], [left + WIDTH, y(ratio)], "#ddd");
            let style = "text-anchor=\"end\" fill=\"#666\"";
            text(&mut svg, left - 4.0, y(ratio) + 4.0, style, name);
        }
        for power in 0..=most.log10() as i32 {
            let at = x(10f64.powi(power));
            segment(&mut svg, [at, top], [at, top + HEIGHT], "#eee");
            let style = "text-anchor=\"middle\" fill=\"#666\"";
            text(&mut svg, at, top + HEIGHT + 13.0, style, &format!("1e{power}"));
        }
        let limit = y(limit);
        segment(&mut svg, [left, limit], [left + WIDTH, limit], "#222");
        for (i, name) in threads.iter().enumerate() {
            let mine = points.iter().filter(|at| at.operation == *operation && at.threads == *name);
            let places: Vec<String> =
                mine.map(|at| format!("{:.1},{:.1}", x(at.elements), y(at.ratio))).collect();
            let (colour, places) = (COLOURS[i % 2], places.join(" "));
            let style = "fill=\"none\" stroke-width=\"1.5\"";
            writeln!(svg, "<polyline points=\"{places}\" stroke=\"{colour}\" {style}/>")
                .expect("strings take all");
        }
    }
    svg + "</svg>\n"
}

fn segment(svg: &mut String, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], colour: &str) {
    let ends = format!("x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"");
    writeln!(svg, "<line {ends} stroke=\"{colour}\"/>").expect("strings take all");
}

fn line(svg: &mut String, x: f64, bottom: usize, colour: &str) {
    segment(svg, [x, TOP as f64 - 4.0], [x, bottom as f64], colour);
}

fn text(svg: &mut String, x: f64, y: f64, style: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{content}</text>")
        .expect("strings take all");
}

#[cfg(test)]
mod tests {
    use super::svg;
    use serde_json::json;

    #[test]
    fn each_workload_has_its_bars() {
        let workload = |name: &str| json!({ "name": name, "ours_ms": 2.0, "roofline_ms": 1.0, "peers": { "p": 4.0, "q": 3.0 } });
        let drawn =
            svg(&json!({ "workloads": [workload("first"), workload("a<b")] })).expect("complete");
        assert_eq!(drawn.matches("<rect").count(), 1 + 2 * 2);
        assert!(drawn.contains("0.50<") && drawn.contains("1.50 q<") && drawn.contains("a&lt;b"));
        assert!(svg(&json!({})).is_err());
        assert!(svg(&json!({ "workloads": [{ "name": "no times" }] })).is_err());
    }
    #[test]
    fn each_operation_has_its_curves() {
        let point = |operation: &str, threads: &str, elements: usize| {
            let ratio = if elements == 1 { 2000.0 } else { 1.0 };
            json!({ "operation": operation, "threads": threads, "elements": elements, "ratio": ratio })
        };
        let both = |operation| {
            let of = |threads| [1, 10].map(|elements| point(operation, threads, elements));
            [of("serial"), of("default")].concat()
        };
        let points = [both("add"), both("sum")].concat();
        let drawn = svg(&json!({ "sweep": points })).expect("complete");
        assert_eq!(drawn.matches("<polyline").count(), 4);
        // What is above the chart stays at its upper edge.
        assert!(drawn.contains("points=\"50.0,60.0 280.0,160.0\""), "{drawn}");
        assert!(svg(&json!({ "sweep": [{ "operation": "add" }] })).is_err());
    }
}
