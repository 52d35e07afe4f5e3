//! Colours, on terminals whose users want them.

use std::io::IsTerminal;

/// What a piece of text stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Broken.
    Bad,
    /// Undecided.
    Open,
}

impl Tone {
    /// The tone of a verdict.
    pub fn of(verdict: &str) -> Tone {
        match verdict {
            "safe" => Tone::Good,
            "unsafe" | "error" => Tone::Bad,
            _ => Tone::Open,
        }
    }

    fn style(self) -> anstyle::Style {
        let colour = |c: anstyle::AnsiColor| anstyle::Style::new().fg_color(Some(c.into()));
        match self {
            Tone::Good => colour(anstyle::AnsiColor::Green).bold(),
            Tone::Bad => colour(anstyle::AnsiColor::Red).bold(),
            Tone::Open => colour(anstyle::AnsiColor::Yellow).bold(),
        }
    }
}

/// May what goes to this stream be coloured? <https://no-color.org>
pub fn is_colourful(stream: &impl IsTerminal) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

/// The text in a tone, for standard output.
pub fn paint(text: &str, tone: Tone) -> String {
    if !is_colourful(&std::io::stdout()) {
        return text.into();
    }
    let style = tone.style();
    format!("{}{text}{}", style.render(), style.render_reset())
}
