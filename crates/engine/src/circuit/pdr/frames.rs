//! Frames: what is known to be unreachable within so many steps, as cubes.

use crate::circuit::cube::Cube;
use bolide_model::circuit::Node;
use bolide_sat::search::Handle;

/// A cube without states that are reachable within as many steps as the number of its frame.
pub struct Lemma {
    pub cube: Cube,
    pub handle: Option<Handle>,
    /// Why it could not be pushed to the next frame, once that has been tried.
    pub obstacle: Option<Obstacle>,
}

/// A state of a frame, with inputs, whose successor is in the cube of a lemma: the values of all leaves, by node.
#[derive(Clone)]
pub struct Obstacle(Box<[u64]>);

impl Obstacle {
    /// From the nodes that are true.
    pub fn new(len: usize, nodes: impl Iterator<Item = Node>) -> Obstacle {
        let mut words = vec![0u64; len.div_ceil(64)].into_boxed_slice();
        for node in nodes {
            words[node.index() / 64] |= 1 << (node.index() % 64);
        }
        Obstacle(words)
    }

    /// The value of a leaf.
    pub fn leaf(&self, node: Node) -> bool {
        self.0[node.index() / 64] >> (node.index() % 64) & 1 == 1
    }
}

/// The lemmas of all frames. A lemma is kept in the highest frame for which it is known and holds in all below.
#[derive(Default)]
pub struct Frames {
    lemmas: Vec<Vec<Lemma>>,
}

impl Frames {
    pub fn add_frame(&mut self) {
        self.lemmas.push(Vec::new());
    }

    /// The number of the highest frame.
    pub fn top(&self) -> usize {
        self.lemmas.len() - 1
    }

    pub fn of(&self, frame: usize) -> &[Lemma] {
        &self.lemmas[frame]
    }

    /// Is the cube part of one that the frame is known to exclude?
    pub fn excludes(&self, cube: &Cube, frame: usize) -> bool {
        self.lemmas[frame..].iter().flatten().any(|lemma| lemma.cube.is_part_of(cube))
    }

    /// Adds a lemma and returns the handles of those that it makes superfluous.
    pub fn add(&mut self, lemma: Lemma, frame: usize) -> Vec<Option<Handle>> {
        let mut gone = Vec::new();
        for lemmas in &mut self.lemmas[..=frame] {
            lemmas.retain(|old| {
                let keep = !lemma.cube.is_part_of(&old.cube);
                if !keep {
                    gone.push(old.handle);
                }
                keep
            });
        }
        self.lemmas[frame].push(lemma);
        gone
    }

    /// Takes all lemmas out of a frame, to be put back or replaced.
    pub fn take(&mut self, frame: usize) -> Vec<Lemma> {
        std::mem::take(&mut self.lemmas[frame])
    }

    pub fn put_back(&mut self, lemma: Lemma, frame: usize) {
        self.lemmas[frame].push(lemma);
    }

    /// All lemmas of a frame and above.
    pub fn from(&self, frame: usize) -> impl Iterator<Item = &Lemma> {
        self.lemmas[frame..].iter().flatten()
    }

    pub fn count(&self) -> usize {
        self.lemmas.iter().map(Vec::len).sum()
    }
}
