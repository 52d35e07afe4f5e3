//! Graphs as SVG, with the same content as a table for those who cannot see it.

use super::layout::{Layout, Point, Size, layered};
use super::{Text, line_link};
use bolide::details::{Drawing, Edge, Node};
use std::fmt::Write;

/// The size of letters in graphs; they are all equally wide.
const LETTER: f64 = 7.25;
const LINE: f64 = 16.0;
const PADDING: f64 = 9.0;
/// Room around the graph, so that arcs and loops have theirs.
const MARGIN: f64 = 24.0;
/// Longer lines are cut; the whole is in the table.
const LONGEST: usize = 46;
/// More lines are cut.
const MOST_LINES: usize = 8;

/// Writes a drawing: a figure with buttons for its size, and a table.
pub fn write(out: &mut String, drawing: &Drawing, what: &str) {
    let boxes: Vec<Vec<String>> = drawing.nodes.iter().map(shown).collect();
    let sizes: Vec<Size> = boxes.iter().map(|lines| size(lines)).collect();
    let ends: Vec<(usize, usize)> = drawing.edges.iter().filter(|e| !e.is_cover).map(|e| e.ends).collect();
    let layout = layered(&sizes, &ends);
    let (width, height) = (layout.size.width + 2.0 * MARGIN, layout.size.height + 2.0 * MARGIN);
    if let Some(note) = &drawing.note {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", Text(note));
    }
    let _ = writeln!(
        out,
        "<div class=\"zoom\" role=\"group\" aria-label=\"Size of the drawing\"><button type=\"button\" data-zoom=\"in\" \
         aria-label=\"Larger\">+</button><button type=\"button\" data-zoom=\"out\" \
         aria-label=\"Smaller\">−</button><button type=\"button\" data-zoom=\"fit\">Fit</button></div>\n\
         <div class=\"graph\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" data-width=\"{width:.0}\">",
        Text(what)
    );
    let mut routes = layout.routes.iter();
    for edge in &drawing.edges {
        if edge.is_cover {
            cover(out, edge, &layout, &sizes);
        } else if let Some(route) = routes.next() {
            arrow(out, edge, route, &layout, &sizes);
        }
    }
    for ((node, lines), (centre, size)) in
        drawing.nodes.iter().zip(&boxes).zip(layout.nodes.iter().zip(&sizes))
    {
        vertex(out, node, lines, *centre, *size);
    }
    out.push_str("</svg></div>\n");
    table(out, drawing);
}

/// The lines in the box of a node.
fn shown(node: &Node) -> Vec<String> {
    let mut lines = vec![cut(&node.title)];
    lines.extend(node.lines.iter().take(MOST_LINES).map(|l| cut(l)));
    if node.lines.len() > MOST_LINES {
        lines.push(format!("… {} more", node.lines.len() - MOST_LINES));
    }
    lines
}

fn cut(line: &str) -> String {
    if line.chars().count() <= LONGEST {
        return line.into();
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn size(lines: &[String]) -> Size {
    let letters = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    Size {
        width: letters as f64 * LETTER + 2.0 * PADDING,
        height: lines.len() as f64 * LINE + 2.0 * PADDING - 4.0,
    }
}

fn vertex(out: &mut String, node: &Node, lines: &[String], centre: Point, size: Size) {
    let (x, y) = (centre.x - size.width / 2.0 + MARGIN, centre.y - size.height / 2.0 + MARGIN);
    if let Some(place) = node.place {
        let _ = write!(out, "<a href=\"#{}\">", line_link(place));
    }
    let _ = write!(
        out,
        "<g class=\"node {}\"><title>{}",
        node.look.class(),
        Text(&std::iter::once(&node.title).chain(&node.lines).cloned().collect::<Vec<_>>().join("\n"))
    );
    let _ = write!(
        out,
        "</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
        size.width, size.height
    );
    for (n, line) in lines.iter().enumerate() {
        let class = if n == 0 { " class=\"title\"" } else { "" };
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\"{class}>{}</text>",
            x + PADDING,
            y + PADDING + 10.0 + n as f64 * LINE,
            Text(line)
        );
    }
    out.push_str("</g>");
    if node.place.is_some() {
        out.push_str("</a>");
    }
    out.push('\n');
}

/// An edge along its route, with vertical ends; a loop at the side of its node if there is no route.
fn arrow(out: &mut String, edge: &Edge, route: &[Point], layout: &Layout, sizes: &[Size]) {
    let node = edge.ends.0;
    out.push_str("<g class=\"edge\">");
    let label = match route {
        [_, .., last] => {
            curve(out, route);
            let step = if route[route.len() - 2].y < last.y { -1.0 } else { 1.0 };
            head(out, Point { x: last.x, y: last.y + step }, *last);
            beside(route[0], route[1])
        }
        _ => {
            let right = Point { x: layout.nodes[node].x + sizes[node].width / 2.0, y: layout.nodes[node].y };
            let (x, y) = (right.x + MARGIN, right.y + MARGIN);
            let _ = write!(out, "<path d=\"M{x:.1} {:.1}c22 -14 22 26 0 12\"/>", y - 6.0);
            let end = Point { x: right.x, y: right.y + 6.0 };
            head(out, Point { x: end.x + 1.0, y: end.y + 0.4 }, end);
            Point { x: right.x + 22.0, y: right.y - 10.0 }
        }
    };
    if !edge.label.is_empty() {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            label.x + MARGIN,
            label.y + MARGIN,
            Text(&cut(&edge.label))
        );
    }
    out.push_str("</g>\n");
}

fn curve(out: &mut String, route: &[Point]) {
    let _ = write!(out, "<path d=\"M{:.1} {:.1}", route[0].x + MARGIN, route[0].y + MARGIN);
    for pair in route.windows(2) {
        let bend = (pair[1].y - pair[0].y) / 2.0;
        let _ = write!(
            out,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            pair[0].x + MARGIN,
            pair[0].y + bend + MARGIN,
            pair[1].x + MARGIN,
            pair[1].y - bend + MARGIN,
            pair[1].x + MARGIN,
            pair[1].y + MARGIN
        );
    }
    out.push_str("\"/>");
}

/// Where the label of an edge is: on the curve, past its first third, where edges have parted.
fn beside(from: Point, to: Point) -> Point {
    let t: f64 = 0.42;
    // The curve has its control points above and below its ends, at half of the height.
    let along = 3.0 * t * t * (1.0 - t) + t * t * t;
    let down = 1.5 * t * (1.0 - t) * (1.0 - t) + 1.5 * t * t * (1.0 - t) + t * t * t;
    Point { x: from.x + (to.x - from.x) * along, y: from.y + (to.y - from.y) * down + 4.0 }
}

/// A dotted arc from a covered vertex to the one that covers it.
fn cover(out: &mut String, edge: &Edge, layout: &Layout, sizes: &[Size]) {
    let (a, b) = (layout.nodes[edge.ends.0], layout.nodes[edge.ends.1]);
    let (from, to) = (sizes[edge.ends.0], sizes[edge.ends.1]);
    // Arcs that lead straight up go round the boxes between.
    let is_above = (a.x - b.x).abs() < (from.width + to.width) / 2.0;
    let side = if is_above || b.x > a.x { 1.0 } else { -1.0 };
    let entry = if is_above { 1.0 } else { -side };
    let start = Point { x: a.x + side * from.width / 2.0, y: a.y };
    let end = Point { x: b.x + entry * to.width / 2.0, y: b.y };
    let reach = if is_above { 24.0 + (a.y - b.y).abs() / 8.0 } else { 30.0 };
    let _ = write!(
        out,
        "<g class=\"edge cover\"><title>covered</title><path d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
        start.x + MARGIN,
        start.y + MARGIN,
        start.x + side * reach + MARGIN,
        start.y + MARGIN,
        end.x + entry * reach + MARGIN,
        end.y + MARGIN,
        end.x + MARGIN,
        end.y + MARGIN
    );
    head(out, Point { x: end.x + entry, y: end.y }, end);
    out.push_str("</g>\n");
}

/// The head of an arrow at `end` that comes from `before`.
fn head(out: &mut String, before: Point, end: Point) {
    let (dx, dy) = (end.x - before.x, end.y - before.y);
    let length = dx.hypot(dy).max(1e-9);
    let (dx, dy) = (dx / length, dy / length);
    let (x, y) = (end.x + MARGIN, end.y + MARGIN);
    let _ = write!(
        out,
        "<path class=\"head\" d=\"M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        x - 8.0 * dx - 3.5 * dy,
        y - 8.0 * dy + 3.5 * dx,
        x - 8.0 * dx + 3.5 * dy,
        y - 8.0 * dy - 3.5 * dx
    );
}

fn table(out: &mut String, drawing: &Drawing) {
    out.push_str("<details class=\"as-table\"><summary>The same as a table</summary><div class=\"scroll\"><table><thead><tr>\
                  <th scope=\"col\">Node</th><th scope=\"col\">What</th><th scope=\"col\">Leads to</th></tr></thead><tbody>\n");
    let mut leads: Vec<Vec<String>> = vec![Vec::new(); drawing.nodes.len()];
    for e in &drawing.edges {
        let to = &drawing.nodes[e.ends.1].title;
        leads[e.ends.0].push(match (e.is_cover, e.label.as_str()) {
            (true, _) => format!("covered by {to}"),
            (false, "") => to.clone(),
            (false, label) => format!("{to} ({label})"),
        });
    }
    for (node, leads) in drawing.nodes.iter().zip(leads) {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td>{}</td></tr>",
            Text(&node.title),
            Text(&node.lines.join("\n")),
            Text(&leads.join(", "))
        );
    }
    out.push_str("</tbody></table></div></details>\n");
}
