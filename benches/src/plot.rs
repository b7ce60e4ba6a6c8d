//! The board's figures as a bar chart.

use serde_json::Value as Json;
use std::fmt::Write;

const LINE: usize = 18;
const NAMES: usize = 190;
const PANEL: usize = 330;
const GAP: usize = 70;
const TOP: usize = 66;

/// One workload of the chart.
struct Bar {
    name: String,
    of_roofline: f64,
    best_peer: Option<(String, f64)>,
}

/// An SVG of the JSON that the board writes: for each workload, how near it is to the roofline and how many times our time the best peer
/// takes.
///
/// # Errors
/// If the JSON is not the board's.
pub fn svg(board: &Json) -> Result<String, String> {
    let workloads = board["workloads"].as_array().ok_or("there is no list of workloads")?;
    let bars = workloads.iter().map(bar).collect::<Option<Vec<Bar>>>().ok_or("a workload lacks its times")?;
    Ok(draw(&bars))
}

fn bar(workload: &Json) -> Option<Bar> {
    let ours = workload["ours_ms"].as_f64()?;
    let peers = workload["peers"].as_object()?;
    let times = peers.iter().filter_map(|(name, time)| Some((name.clone(), time.as_f64()? / ours)));
    Some(Bar {
        name: workload["name"].as_str()?.to_owned(),
        of_roofline: workload["roofline_ms"].as_f64()? / ours,
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
    let roofline = Panel { left: NAMES, place: |x| x / 1.2, marks: &[0.0, 0.25, 0.5, 0.75, 1.0], goal: 0.9 };
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
    for (panel, title) in [(&roofline, "of the roofline"), (&peers, "best peer's time by ours (logarithmic)")] {
        text(&mut svg, panel.left as f64, 24.0, "font-size=\"14\"", title);
        for &mark in panel.marks {
            let x = panel.x(mark);
            line(&mut svg, x, bottom, "#ddd");
            text(&mut svg, x, TOP as f64 - 10.0, "text-anchor=\"middle\" fill=\"#666\"", &format!("{mark}"));
        }
    }
    for (position, bar) in bars.iter().enumerate() {
        let y = TOP + position * LINE;
        text(&mut svg, NAMES as f64 - 8.0, y as f64 + 13.0, "text-anchor=\"end\"", &bar.name);
        draw_bar(&mut svg, &roofline, y, bar.of_roofline, "");
        if let Some((name, ratio)) = &bar.best_peer {
            draw_bar(&mut svg, &peers, y, *ratio, name);
        }
    }
    for panel in [&roofline, &peers] {
        line(&mut svg, panel.x(panel.goal), bottom, "#222");
    }
    svg + "</svg>\n"
}

/// A bar from the panel's left edge, with its figure; what misses the panel's goal has another colour.
fn draw_bar(svg: &mut String, panel: &Panel, y: usize, ratio: f64, note: &str) {
    let (left, end) = (panel.left as f64, panel.x(ratio));
    let colour = if ratio >= panel.goal { "#3b7dbd" } else { "#d9822b" };
    let (top, high, wide) = (y + 3, LINE - 6, end - left);
    writeln!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{wide:.1}\" height=\"{high}\" fill=\"{colour}\"/>")
        .expect("strings take all");
    let label = format!("{ratio:.2} {note}");
    text(svg, end + 4.0, y as f64 + 13.0, "fill=\"#444\"", label.trim_end());
}

fn line(svg: &mut String, x: f64, bottom: usize, colour: &str) {
    let top = TOP - 4;
    writeln!(svg, "<line x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"{colour}\"/>")
        .expect("strings take all");
}

fn text(svg: &mut String, x: f64, y: f64, style: &str, content: &str) {
    let content = content.replace('&', "&amp;").replace('<', "&lt;");
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{content}</text>").expect("strings take all");
}

#[cfg(test)]
mod tests {
    use super::svg;
    use serde_json::json;

    #[test]
    fn each_workload_has_its_bars() {
        let workload =
            |name: &str| json!({ "name": name, "ours_ms": 2.0, "roofline_ms": 1.0, "peers": { "p": 4.0, "q": 3.0 } });
        let drawn = svg(&json!({ "workloads": [workload("first"), workload("a<b")] })).expect("complete");
        assert_eq!(drawn.matches("<rect").count(), 1 + 2 * 2);
        assert!(drawn.contains("0.50<") && drawn.contains("1.50 q<") && drawn.contains("a&lt;b"));
        assert!(svg(&json!({})).is_err());
        assert!(svg(&json!({ "workloads": [{ "name": "no times" }] })).is_err());
    }
}
