//! What a page shows beyond the verdict and its evidence; made only when a page is wanted.

/// Everything that is drawn.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The texts that places speak of, the task's own first.
    pub sources: Vec<SourceText>,
    /// The control flow of the functions.
    pub flows: Vec<Drawing>,
    /// The unwinding that shows the verdict.
    pub unwinding: Option<Drawing>,
    /// The derivation of a contradiction from Horn clauses.
    pub derivation: Option<Drawing>,
    /// The model of Horn clauses: what each predicate means.
    pub definitions: Vec<Definition>,
    /// The run of a circuit.
    pub waveform: Option<Waveform>,
    /// Further facts about the task and its evidence: what, and how much.
    pub figures: Vec<(String, String)>,
}

/// A text with its lines.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    /// The file, as places name it.
    pub file: String,
    /// Numbers, growing, and lines.
    pub lines: Vec<(u32, String)>,
}

impl SourceText {
    /// All lines of a text.
    pub fn whole(file: &str, text: &str) -> SourceText {
        let lines = text.lines().zip(1..).map(|(line, number)| (number, line.to_owned())).collect();
        SourceText { file: file.into(), lines }
    }
}

/// The meaning of a predicate.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The predicate with its parameters.
    pub head: String,
    /// The formula.
    pub formula: String,
}

/// How a node or an edge looks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Like most.
    #[default]
    Plain,
    /// Where it starts.
    Start,
    /// Where an error is.
    Error,
    /// A vertex that another one covers.
    Covered,
    /// What cannot be reached.
    Dead,
}

impl Look {
    /// The class in style sheets.
    pub fn class(self) -> &'static str {
        match self {
            Look::Plain => "plain",
            Look::Start => "start",
            Look::Error => "bad",
            Look::Covered => "covered",
            Look::Dead => "dead",
        }
    }
}

/// A node of a graph.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What it is called.
    pub title: String,
    /// What is written in it.
    pub lines: Vec<String>,
    /// How it looks.
    pub look: Look,
    /// The source it belongs to, as a position in [`Details::sources`] and a line.
    pub place: Option<(usize, u32)>,
}

/// An edge of a graph.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// Where it starts and ends, as positions of nodes.
    pub ends: (usize, usize),
    /// What is written at its start.
    pub label: String,
    /// A dotted arc that does not count for the places of nodes: a covering.
    pub is_cover: bool,
}

/// A graph to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Its name.
    pub name: String,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// What a reader should know, such as that something was left out.
    pub note: Option<String>,
}

/// The values of signals, step by step.
#[derive(Clone, Debug, Default)]
pub struct Waveform {
    /// The signals.
    pub signals: Vec<Wave>,
    /// The numbers of the steps.
    pub steps: Vec<usize>,
    /// What was left out.
    pub note: Option<String>,
}

/// One signal.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Its name.
    pub name: String,
    /// How many bits it has.
    pub width: usize,
    /// Its values: `0` or `1` for a bit, hexadecimal for a word.
    pub values: Vec<String>,
}
