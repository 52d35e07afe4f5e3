//! Cactus and scatter plots as SVG, with logarithmic axes of time; they follow the reader's colour scheme.

use super::compare::pairs;
use super::record::Record;
use std::fmt::Write;

/// The size of the area of data, and the space around it.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 24.0;
/// The shortest time that is told apart.
const SHORTEST: f64 = 0.01;
/// The colours of lines and points.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
const STYLE: &str = "text{font:12px sans-serif;fill:#222}.axis{stroke:#222}.grid{stroke:#ccc}.hint{stroke:#999}\
                     svg{background:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}.axis{stroke:#ddd}\
                     .grid{stroke:#444}.hint{stroke:#777}svg{background:#161616}}";

/// A logarithmic axis of seconds up to a limit.
struct Times {
    limit: f64,
}

impl Times {
    /// Where a time is, from 0 to 1.
    fn part(&self, seconds: f64) -> f64 {
        let top = self.limit.max(10.0 * SHORTEST);
        (seconds.clamp(SHORTEST, top) / SHORTEST).ln() / (top / SHORTEST).ln()
    }

    /// Powers of ten.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let limit = self.limit;
        (-2..9).map(|n| 10f64.powi(n)).take_while(move |&t| t <= limit * 1.000_001)
    }
}

fn x(part: f64) -> f64 {
    LEFT + part * WIDTH
}

fn y(part: f64) -> f64 {
    TOP + (1.0 - part) * HEIGHT
}

fn open(title: &str) -> String {
    let (w, h) = (LEFT + WIDTH + 24.0, TOP + HEIGHT + 48.0);
    let mut out =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" role=\"img\">\n");
    let _ = writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escaped(title));
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn line(out: &mut String, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn label(out: &mut String, anchor: &str, (x, y): (f64, f64), text: &str) {
    let _ =
        writeln!(out, "<text text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
}

/// A line of the legend, in the colour of that number.
fn legend(out: &mut String, n: usize, text: &str) {
    let (at, colour) = (TOP + 16.0 + 18.0 * n as f64, COLOURS[n % COLOURS.len()]);
    let (x, y) = (LEFT + 12.0, at - 6.0);
    let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"4\" fill=\"{colour}\"/>");
    label(out, "start", (LEFT + 32.0, at), text);
}

/// The axis of time at the left, and the frame.
fn left_axis(out: &mut String, times: &Times, name: &str) {
    for t in times.ticks() {
        let at = y(times.part(t));
        line(out, "grid", (x(0.0), at), (x(1.0), at));
        label(out, "end", (LEFT - 8.0, at + 4.0), &format!("{t} s"));
    }
    line(out, "axis", (x(0.0), y(0.0)), (x(1.0), y(0.0)));
    line(out, "axis", (x(0.0), y(0.0)), (x(0.0), y(1.0)));
    label(out, "start", (4.0, TOP - 8.0), name);
}

/// How many tasks each run solves within how much time for each.
pub fn cactus(runs: &[(&str, &[Record])], limit: f64) -> String {
    let times = Times { limit };
    let mut out = open("tasks solved within a time");
    left_axis(&mut out, &times, "time for one task");
    let most = runs.iter().map(|(_, records)| records.len()).max().unwrap_or(0).max(1) as f64;
    let step = (most / 8.0).ceil().max(1.0);
    let mut tick = 0.0;
    while tick <= most {
        label(&mut out, "middle", (x(tick / most), y(0.0) + 18.0), &tick.to_string());
        tick += step;
    }
    label(&mut out, "end", (x(1.0), y(0.0) + 38.0), "tasks solved");
    for (n, (name, records)) in runs.iter().enumerate() {
        let colour = COLOURS[n % COLOURS.len()];
        let mut solved: Vec<f64> = records.iter().filter(|r| r.is_solved()).map(|r| r.seconds).collect();
        solved.sort_by(f64::total_cmp);
        let points: Vec<String> = solved
            .iter()
            .enumerate()
            .map(|(n, &t)| format!("{:.1},{:.1}", x((n + 1) as f64 / most), y(times.part(t))))
            .collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        );
        legend(&mut out, n, &format!("{name}: {} solved", solved.len()));
    }
    out + "</svg>\n"
}

/// The time for each task in one run against that in another; what is not solved is at the border.
pub fn scatter(old: &[Record], new: &[Record], limit: f64) -> String {
    let times = Times { limit };
    let mut out = open("time for each task in two runs");
    left_axis(&mut out, &times, "this run");
    for t in times.ticks() {
        let at = x(times.part(t));
        line(&mut out, "grid", (at, y(0.0)), (at, y(1.0)));
        label(&mut out, "middle", (at, y(0.0) + 18.0), &format!("{t} s"));
    }
    label(&mut out, "end", (x(1.0), y(0.0) + 38.0), "the other run");
    line(&mut out, "hint", (x(0.0), y(0.0)), (x(1.0), y(1.0)));
    legend(&mut out, 0, "safe");
    legend(&mut out, 1, "unsafe");
    for (o, n) in pairs(old, new) {
        let time = |r: &Record| if r.is_solved() { r.seconds } else { f64::INFINITY };
        if !o.is_solved() && !n.is_solved() {
            continue;
        }
        let colour = if n.expected == "unsafe" || n.verdict == "unsafe" { COLOURS[1] } else { COLOURS[0] };
        let name = format!("{}: {} {:.2} s, {} {:.2} s", n.path, o.verdict, o.seconds, n.verdict, n.seconds);
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\"0.7\"><title>{}</title></circle>",
            x(times.part(time(o))),
            y(times.part(time(n))),
            escaped(&name)
        );
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_within_the_plot() {
        let times = Times { limit: 100.0 };
        assert_eq!(times.part(0.0), 0.0);
        assert!((times.part(1.0) - 0.5).abs() < 1e-9);
        assert_eq!(times.part(f64::INFINITY), 1.0);
        assert_eq!(times.ticks().count(), 5);
    }

    #[test]
    fn plots_are_well_formed() {
        let record = |path: &str, verdict: &str, seconds| Record {
            path: path.into(),
            verdict: verdict.into(),
            seconds,
            ..Record::default()
        };
        let old = [record("a<b", "safe", 2.0), record("c", "unknown", 9.0)];
        let new = [record("a<b", "safe", 0.001), record("c", "unsafe", 3.0)];
        let cactus = cactus(&[("this run", &new), ("the other run", &old)], 10.0);
        assert_eq!(cactus.matches("<polyline").count(), 2);
        assert!(cactus.contains("this run: 2 solved"));
        let scatter = scatter(&old, &new, 10.0);
        assert_eq!(scatter.matches("<circle").count(), 2);
        assert!(scatter.contains("a&lt;b") && scatter.ends_with("</svg>\n"));
    }
}
