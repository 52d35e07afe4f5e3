use super::*;
use bolide::details::{Edge, Node, SourceText, Wave, Waveform};
use bolide::report::{About, Change, Fact, PropertyReport, TraceStep};
use bolide::{Kind, Verdict};

fn place(line: u32) -> Place {
    Place { file: "x.c".into(), line, column: 1 }
}

const EVIL: &str = "</script><script>alert(1)</script>\"'&\u{1}";

/// A report in which everything is hostile.
fn hostile() -> Report {
    let node = |title: &str| Node { title: title.into(), lines: vec![EVIL.into()], ..Node::default() };
    let drawing = Drawing {
        name: EVIL.into(),
        nodes: vec![node(EVIL), node("b")],
        edges: vec![
            Edge { ends: (0, 1), label: EVIL.into(), ..Edge::default() },
            Edge { ends: (1, 0), is_cover: true, ..Edge::default() },
            Edge { ends: (1, 1), ..Edge::default() },
        ],
        note: Some(EVIL.into()),
    };
    let wave = Wave { name: EVIL.into(), width: 8, values: vec![EVIL.into()] };
    let details = Details {
        sources: vec![SourceText::whole("x.c", EVIL)],
        flows: vec![drawing.clone(), drawing.clone()],
        unwinding: Some(drawing.clone()),
        derivation: Some(drawing),
        waveform: Some(Waveform { signals: vec![wave], steps: vec![0], note: Some(EVIL.into()) }),
        figures: vec![(EVIL.into(), EVIL.into())],
        ..Details::default()
    };
    let mut step = TraceStep::new(place(1), EVIL.into());
    step.change = Some(Change { name: EVIL.into(), value: EVIL.into(), before: None, is_global: false });
    let mut report = Report::unknown(EVIL, Kind::Program, EVIL);
    report.properties =
        vec![PropertyReport { name: EVIL.into(), place: Some(place(1)), verdict: Verdict::unknown(EVIL) }];
    report.invariant = vec![Fact { place: place(1), about: About::Place, formula: EVIL.into() }];
    report.trace = vec![step];
    report.details = Some(Box::new(details));
    report
}

#[test]
fn nothing_from_the_task_is_markup() {
    let page = page(&hostile());
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains("alert(1)</script>") && !page.contains('\u{1}'));
}

#[test]
fn the_page_needs_no_network() {
    let page = page(&hostile());
    for start in ["src=", "@import", "url(", "<link rel=\"stylesheet"] {
        assert!(!page.contains(start), "{start}");
    }
    let links = page.matches("http").count();
    // The name space of SVG, and the policy's header.
    assert_eq!(
        links,
        page.matches("http://www.w3.org/2000/svg").count() + page.matches("http-equiv").count()
    );
}

#[test]
fn tags_are_balanced() {
    let page = page(&hostile());
    for tag in [
        "div", "section", "table", "tbody", "tr", "td", "ol", "li", "ul", "svg", "g", "a", "button",
        "details",
    ] {
        let opened = page.matches(&format!("<{tag} ")).count() + page.matches(&format!("<{tag}>")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn large_sources_are_shown_around_what_is_said() {
    let text: String = (0..70_000).map(|n| format!("line {n};\n")).collect();
    let details = Details { sources: vec![SourceText::whole("x.c", &text)], ..Details::default() };
    let mut report = Report::unknown("x.c", Kind::Program, "timeout");
    report.invariant = vec![Fact { place: place(30_000), about: About::Place, formula: "i <= n".into() }];
    report.details = Some(Box::new(details));
    let page = page(&report);
    assert!(page.contains("id=\"s0l30000\"") && page.contains("i &lt;= n"));
    assert!(!page.contains("id=\"s0l100\""));
    assert!(page.len() < 100_000, "{}", page.len());
}
