//! The open documents.

use crate::findings::Findings;
use lsp_types::{Diagnostic, InlayHint};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of an open document.
#[derive(Debug, Default)]
struct Document {
    /// Tells the run that is going on to end.
    stop: Option<Arc<AtomicBool>>,
    /// What the last run about the document found, in whatever files.
    found: Findings,
}

/// The open documents.
#[derive(Debug, Default)]
pub struct Documents {
    open: BTreeMap<PathBuf, Document>,
}

impl Documents {
    /// A run about a document begins, and one that is going on ends. The flag says when the new one should end.
    pub fn begin(&mut self, file: &Path) -> Arc<AtomicBool> {
        let document = self.open.entry(file.into()).or_default();
        let stop = Arc::new(AtomicBool::new(false));
        if let Some(earlier) = document.stop.replace(stop.clone()) {
            earlier.store(true, Ordering::Relaxed);
        }
        stop
    }

    /// A run has come to its end: keeps what it found, and says in which files something may have changed. Nothing if another run has
    /// begun since, or if the document was closed.
    pub fn end(&mut self, file: &Path, run: &Arc<AtomicBool>, found: Findings) -> Option<BTreeSet<PathBuf>> {
        let document = self.open.get_mut(file)?;
        if !document.stop.as_ref().is_some_and(|stop| Arc::ptr_eq(stop, run)) {
            return None;
        }
        document.stop = None;
        let mut changed = shown_in(&document.found);
        document.found = found;
        changed.extend(shown_in(&document.found));
        changed.insert(file.into());
        Some(changed)
    }

    /// A document is closed. In these files something may have changed.
    pub fn close(&mut self, file: &Path) -> BTreeSet<PathBuf> {
        let Some(document) = self.open.remove(file) else { return BTreeSet::new() };
        if let Some(stop) = &document.stop {
            stop.store(true, Ordering::Relaxed);
        }
        shown_in(&document.found)
    }

    /// Ends all runs.
    pub fn stop(&self) {
        self.open
            .values()
            .filter_map(|d| d.stop.as_ref())
            .for_each(|stop| stop.store(true, Ordering::Relaxed));
    }

    /// What was found in a file by the runs about all documents, each thing once.
    pub fn diagnostics(&self, file: &Path) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = Vec::new();
        for diagnostic in self.open.values().flat_map(|d| d.found.diagnostics.get(file).into_iter().flatten())
        {
            if !all.contains(diagnostic) {
                all.push(diagnostic.clone());
            }
        }
        all
    }

    /// The invariants in a file.
    pub fn hints(&self, file: &Path) -> Vec<InlayHint> {
        let hints = self.open.values().filter_map(|d| d.found.hints.get(file));
        hints.flatten().cloned().collect()
    }
}

/// The files in which something is shown.
fn shown_in(found: &Findings) -> BTreeSet<PathBuf> {
    found.diagnostics.keys().chain(found.hints.keys()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(file: &str) -> Findings {
        let one = Diagnostic { message: "m".into(), ..Diagnostic::default() };
        Findings { diagnostics: BTreeMap::from([(file.into(), vec![one])]), ..Findings::default() }
    }

    #[test]
    fn a_later_run_ends_the_one_before() {
        let (mut documents, file) = (Documents::default(), Path::new("a.c"));
        let first = documents.begin(file);
        let second = documents.begin(file);
        assert!(first.load(Ordering::Relaxed) && !second.load(Ordering::Relaxed));
        assert_eq!(documents.end(file, &first, with("a.c")), None);
        assert_eq!(
            documents.end(file, &second, with("b.h")),
            Some(BTreeSet::from(["a.c".into(), "b.h".into()]))
        );
        assert_eq!(documents.diagnostics(Path::new("b.h")).len(), 1);
        let third = documents.begin(file);
        let changed = documents.end(file, &third, Findings::default()).expect("files");
        assert!(changed.contains(Path::new("b.h")));
        assert!(documents.diagnostics(Path::new("b.h")).is_empty());
    }

    #[test]
    fn what_two_documents_show_in_a_header_is_shown_once() {
        let mut documents = Documents::default();
        for file in ["a.c", "b.c"] {
            let run = documents.begin(Path::new(file));
            documents.end(Path::new(file), &run, with("h.h"));
        }
        assert_eq!(documents.diagnostics(Path::new("h.h")).len(), 1);
        documents.close(Path::new("a.c"));
        assert_eq!(documents.diagnostics(Path::new("h.h")).len(), 1);
        assert_eq!(documents.close(Path::new("b.c")), BTreeSet::from(["h.h".into()]));
        assert!(documents.diagnostics(Path::new("h.h")).is_empty());
    }
}
