//! Labelled interpolation systems.

use crate::Tree;
use crate::colour::Colour;

/// Which side of a cut a shared literal counts for: from the strongest interpolants to the weakest.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum System {
    /// Shared literals belong to the right: the strongest interpolants.
    #[default]
    McMillan,
    /// Shared literals belong to both.
    Pudlak,
    /// Shared literals belong to the left: the weakest interpolants. Those of two branches of a tree need not
    /// contradict each other where they meet (Gurfinkel, Rollini, Sharygina, *Interpolation Properties and SAT-Based
    /// Model Checking*, 2013), so that problems that are not sequences are interpolated with [`System::Pudlak`].
    Dual,
}

/// The label of a literal at a cut.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Left,
    Right,
    Both,
    /// The literal is an equality with one side on each.
    Mixed,
}

impl System {
    /// The system itself, or the nearest one whose interpolants fit together on this tree.
    pub(crate) fn on(self, tree: &Tree) -> System {
        if self == System::Dual && !tree.is_sequence() { System::Pudlak } else { self }
    }

    pub(crate) fn label(self, colour: Colour) -> Label {
        match (colour, self) {
            (Colour::Left, _) => Label::Left,
            (Colour::Right, _) => Label::Right,
            (Colour::Mixed, _) => Label::Mixed,
            (Colour::Shared, System::McMillan) => Label::Right,
            (Colour::Shared, System::Pudlak) => Label::Both,
            (Colour::Shared, System::Dual) => Label::Left,
        }
    }
}
