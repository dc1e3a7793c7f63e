//! The circumstances of a region of the program that is walked: which text it is, through what it runs, what is looked at.

use std::sync::Arc;

use crate::model::{Span, Value};

/// Circumstances that hold for a region of the program.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The text that spans refer to.
    pub(super) source: Arc<str>,
    /// Stands for every span, when the text is not the evaluated one.
    pub(super) span: Option<Span>,
    pub(super) depth: usize,
    pub(crate) host: Option<String>,
    /// The host is a container that is made here and holds nothing of ours.
    pub(super) fresh: bool,
    pub(crate) privileged: bool,
    pub(crate) via: Vec<String>,
    /// Standard output is looked at.
    pub(crate) capture: bool,
    /// A later stage of a pipeline: what stands before it runs at the same time.
    pub(crate) piped: bool,
    /// `set -e` does not act here.
    pub(super) checked: bool,
    /// Aliases being expanded.
    pub(crate) aliases: Vec<String>,
    /// Operator is asked before each act.
    pub(crate) asks: bool,
    /// In a function of the person's own: what cannot be told there is their business.
    pub(super) own: bool,
    /// Words of another program that may be a command: nobody knows whether they are run at all.
    pub(super) guessed: bool,
    /// The file that is followed: its name, and its text once that is read. Its words are not said again.
    pub(super) followed: Option<(Arc<str>, Option<Arc<str>>)>,
}

impl Scope {
    pub(super) fn top(source: Arc<str>) -> Self {
        Self {
            source,
            span: None,
            depth: 0,
            host: None,
            fresh: false,
            privileged: false,
            via: Vec::new(),
            capture: false,
            piped: false,
            checked: false,
            aliases: Vec::new(),
            asks: false,
            own: false,
            guessed: false,
            followed: None,
        }
    }

    /// For the text of a file that is followed.
    pub(super) fn following(&self, file: &Value) -> Self {
        Self { followed: Some((Arc::from(file.display().as_str()), None)), ..self.clone() }
    }

    /// The line of the followed file at which a local span begins.
    pub(super) fn line(&self, span: Span) -> Option<usize> {
        let (_, Some(text)) = self.followed.as_ref()? else { return None };
        let before = Arc::ptr_eq(text, &self.source).then(|| text.get(..span.start))??;
        Some(before.matches('\n').count() + 1)
    }

    /// The span as the evaluated text has it.
    pub(super) fn place(&self, span: Span) -> Span {
        self.span.unwrap_or(span)
    }

    /// The text under a local span.
    pub(super) fn text(&self, span: Span) -> &str {
        self.source.get(span.start..span.end).unwrap_or("")
    }

    /// For text that comes out of a word at `span` (already placed).
    pub(super) fn inside(&self, source: &str, span: Span) -> Self {
        let source: Arc<str> = Arc::from(source);
        let mut inner =
            Self { source: Arc::clone(&source), span: Some(span), depth: self.depth + 1, ..self.clone() };
        if let Some((_, text @ None)) = &mut inner.followed {
            *text = Some(source);
        }
        inner
    }

    pub(crate) fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }

    pub(super) fn capturing(&self) -> Self {
        Self { capture: true, depth: self.depth + 1, ..self.clone() }
    }

    pub(super) fn tested(&self) -> Self {
        Self { checked: true, ..self.clone() }
    }

    pub(crate) fn through(&self, wrapper: &str) -> Self {
        let mut scope = self.deeper();
        scope.via.push(wrapper.to_owned());
        scope
    }

    /// For words that may be a command among those of `program`.
    pub(super) fn guess(&self, program: &str) -> Self {
        Self { guessed: true, ..self.through(program) }
    }
}
