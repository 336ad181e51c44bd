//! Parses callouts incrementally.
//!
//! Every character is examined once. Text is returned immediately unless it may become a header; a
//! callout is buffered until it ends, and its body is parsed once. The buffer is bounded by
//! [`CalloutOptions::with_max_block`].

use std::collections::HashSet;

use super::{
    Callout, CalloutOptions, Chunk, body,
    chunk::{append_chunk, append_text},
    fence::Fence,
    header::Header,
    line::{HeaderKind, LineClassifier},
};
use crate::event::Diagnostic;

/// The maximum length of a reported problem, in characters.
const MAX_PROBLEM_LEN: usize = 200;

/// An incremental parser for callouts. Together, the chunks from all pushes and from the end are
/// equal to those of the whole text, regardless of how the text is split.
#[derive(Debug, Clone)]
pub struct Parser {
    options: CalloutOptions,
    /// The current line.
    line: LineClassifier,
    /// The part of the line that is held back.
    held: String,
    open: Option<OpenCallout>,
    /// The number of callouts so far.
    count: u32,
    /// The ids of the calls so far.
    used_ids: HashSet<String>,
    diagnostics: Vec<Diagnostic>,
}

/// A callout that has begun but not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// The final position among the callouts of the text, starting at 1. The id and the name may
    /// still change.
    pub(crate) ordinal: u32,
    pub(crate) id: String,
    /// True if the id was written in the header and is final.
    pub(crate) has_own_id: bool,
    pub(crate) name: String,
}

impl Pending {
    /// Returns the id from the header, or the default id. The body may still change the id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the tool's name from the header, or the default name. The body may still change the
    /// name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[derive(Debug, Clone)]
struct OpenCallout {
    pending: Pending,
    header: Header,
    source: String,
    /// The fence, if the callout is a code fence.
    fence: Option<Fence>,
    /// True if the current line belongs to the callout.
    in_line: bool,
    /// True if the callout is too long and has become text.
    overflowed: bool,
}

impl Parser {
    /// Creates a parser for a new text.
    #[must_use]
    pub fn new(options: CalloutOptions) -> Self {
        Self {
            options,
            line: LineClassifier::new(None, options.fences),
            held: String::new(),
            open: None,
            count: 0,
            used_ids: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Parses more text and returns the chunks that are final.
    pub fn push(&mut self, delta: &str) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut rest = delta;
        while !rest.is_empty() {
            if self.is_settled() {
                let (run, _) = rest.split_once('\n').unwrap_or((rest, ""));
                self.append_run(run, &mut chunks);
                rest = rest.strip_prefix(run).unwrap_or_default();
            }
            let mut chars = rest.chars();
            match chars.next() {
                Some('\n') => self.end_line(&mut chunks),
                Some(c) => self.push_char(c, &mut chunks),
                None => {}
            }
            rest = chars.as_str();
        }
        chunks
    }

    /// Ends the text, and returns the chunks that were held back.
    #[must_use]
    pub fn finish(mut self) -> Vec<Chunk> {
        self.end()
    }

    /// Ends the text like [`Parser::finish`], and keeps the diagnostics for
    /// [`Parser::take_diagnostics`]. Later pushes begin a new text.
    pub fn end(&mut self) -> Vec<Chunk> {
        let chunks = self.flush();
        let diagnostics = std::mem::take(&mut self.diagnostics);
        *self = Self::new(self.options);
        self.diagnostics = diagnostics;
        chunks
    }

    /// Flushes a text that may continue. Text that is held back is returned as at the end of the
    /// text. If more text follows, the rest of the line or of the callout is text. Fences stay
    /// open, and ordinals continue.
    pub fn pause(&mut self) -> Vec<Chunk> {
        let fence = self.is_in_fence().then(|| self.line.fence_after_line());
        let chunks = self.flush();
        match fence {
            Some(fence) => {
                self.start_line(fence);
                self.line.rule_out_header();
            }
            None => self.line.rule_out_started_header(),
        }
        chunks
    }

    /// Returns everything that is held back, as if the text ended at the current position.
    fn flush(&mut self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        if !self.is_in_fence() {
            let header = self.line.header_kind();
            if header.is_some() || self.line.has_quote_mark() != Some(true) {
                self.close_callout_before_line(&mut chunks);
            }
            match header {
                Some(kind) => drop(self.begin_callout(kind)),
                None => self.accept_held_line(&mut chunks),
            }
        }
        self.close_callout(&mut chunks);
        chunks
    }

    /// Returns the callout that has begun but not ended. If the callout turns out to be invalid,
    /// its source is returned as text. Returns `None` outside of callouts, and for a callout that
    /// is too long.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        let open_callout = self
            .open
            .as_ref()
            .filter(|open_callout| !open_callout.overflowed);
        open_callout.map(|open_callout| &open_callout.pending)
    }

    /// Removes and returns the diagnostics for the author, which report callouts that remained
    /// text, and unknown states.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// Returns true if it is known whether the rest of the line is text or part of a callout.
    fn is_settled(&self) -> bool {
        match &self.open {
            None => self.line.is_settled() && !self.line.may_be_header(),
            Some(open) if open.fence.is_some() => self.line.is_settled(),
            Some(open) => open.in_line,
        }
    }

    /// Adds a piece of a line to the text or callout that received the previous piece.
    fn append_run(&mut self, run: &str, out: &mut Vec<Chunk>) {
        match &mut self.open {
            None => append_text(out, run),
            Some(open) => open.append_source(run, self.options.max_block, out),
        }
    }

    /// Reads a character other than a line break. The character is held back while the line may
    /// become a header.
    fn push_char(&mut self, c: char, out: &mut Vec<Chunk>) {
        self.line.push(c);
        if self.is_in_fence() {
            return self.append_run(c.encode_utf8(&mut [0; 4]), out);
        }
        if self.line.has_quote_mark() == Some(false) {
            self.close_callout_before_line(out);
        }
        self.held.push(c);
        if self.line.may_be_header() && self.held.len() > self.options.max_block {
            self.line.rule_out_header();
        }
        if !self.line.may_be_header() {
            self.accept_held_line(out);
        }
    }

    fn end_line(&mut self, out: &mut Vec<Chunk>) {
        if self.is_in_fence() {
            let fence = self.line.fence_after_line();
            if fence.is_none() {
                self.close_callout(out);
            }
            self.append_run("\n", out);
            return self.start_line(fence);
        }
        if self.line.has_quote_mark() != Some(true) {
            self.close_callout_before_line(out);
        }
        if let Some(kind) = self.line.header_kind() {
            self.close_callout_before_line(out);
            let fence = self.begin_callout(kind);
            if fence.is_some() {
                self.append_run("\n", out);
            }
            return self.start_line(fence);
        }
        self.accept_held_line(out);
        if let Some(open_callout) = &mut self.open {
            // The line break is not added yet, since it belongs to the callout only if the next
            // line does.
            open_callout.in_line = false;
            return self.start_line(None);
        }
        append_text(out, "\n");
        self.start_line(self.line.fence_after_line());
    }

    fn start_line(&mut self, fence: Option<Fence>) {
        self.line = LineClassifier::new(fence, self.options.fences);
    }

    /// Adds the line that was held back, which is not a header, to the text or the callout. The
    /// line break before a line of a callout belongs to the callout.
    fn accept_held_line(&mut self, out: &mut Vec<Chunk>) {
        let limit = self.options.max_block;
        match &mut self.open {
            None => append_text(out, &self.held),
            Some(open) => {
                if !std::mem::replace(&mut open.in_line, true) {
                    open.append_source("\n", limit, out);
                }
                open.append_source(&self.held, limit, out);
            }
        }
        self.held.clear();
    }

    fn is_in_fence(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.fence.is_some())
    }

    /// Begins a callout at a header line. Returns the fence if the callout is a code fence.
    fn begin_callout(&mut self, kind: HeaderKind) -> Option<Fence> {
        self.count = self.count.saturating_add(1);
        let header = Header::parse_line(&self.held, kind);
        let fence = match kind {
            HeaderKind::Quote => None,
            HeaderKind::Fence => self.line.fence_after_line(),
        };
        let id = header.id.clone();
        let name = header.name.clone();
        self.open = Some(OpenCallout {
            pending: Pending {
                ordinal: self.count,
                has_own_id: id.is_some(),
                id: id.unwrap_or_else(|| self.fallback_id()),
                name: name.unwrap_or_else(|| body::DEFAULT_NAME.to_owned()),
            },
            header,
            source: std::mem::take(&mut self.held),
            fence,
            in_line: false,
            overflowed: false,
        });
        fence
    }

    /// Closes the open callout, if any, before the current line, and adds the line break before the
    /// current line to the text.
    fn close_callout_before_line(&mut self, out: &mut Vec<Chunk>) {
        if self.close_callout(out) {
            append_text(out, "\n");
        }
    }

    /// Closes the open callout, which becomes a call or remains text. Returns true if a callout was
    /// open.
    fn close_callout(&mut self, out: &mut Vec<Chunk>) -> bool {
        let Some(callout) = self.open.take() else {
            return false;
        };
        let ordinal = callout.pending.ordinal;
        if callout.overflowed {
            let limit = self.options.max_block;
            let problem = format!("it is longer than {limit} bytes");
            self.report_problem("callout-is-text", ordinal, &problem);
            return true;
        }
        let is_fence = callout.fence.is_some();
        let has_end = is_fence && self.line.fence_after_line().is_none();
        let lines = body::body_lines(&callout.source, is_fence, has_end);
        match body::parse_body(callout.header, &lines, &self.options) {
            Err(problem) => {
                self.report_problem("callout-is-text", ordinal, &problem);
                append_text(out, &callout.source);
            }
            Ok(parsed_body) => {
                if let Some(word) = parsed_body.unknown_state {
                    self.report_problem("unknown-state", ordinal, &format!("no state is '{word}'"));
                }
                let id = Some(parsed_body.call.id).filter(|_| parsed_body.call.has_own_id);
                let call = Callout {
                    ordinal,
                    id: id.unwrap_or_else(|| self.fallback_id()),
                    source: callout.source,
                    ..parsed_body.call
                };
                self.used_ids.insert(call.id.clone());
                append_chunk(out, Chunk::Tool(Box::new(call)));
            }
        }
        true
    }

    /// Returns an id for a callout that contains no id. The id is derived from the ordinal of the
    /// callout and is not used by earlier calls.
    fn fallback_id(&self) -> String {
        let base_id = format!("tool-call-{}", self.count);
        if !self.used_ids.contains(&base_id) {
            return base_id;
        }
        let mut numbered_ids = (2_u64..).map(|count| format!("{base_id}-{count}"));
        let unused_id = numbered_ids.find(|id| !self.used_ids.contains(id));
        unused_id.unwrap_or(base_id)
    }

    fn report_problem(&mut self, code: &'static str, ordinal: u32, problem: &str) {
        let problem: String = problem.chars().take(MAX_PROBLEM_LEN).collect();
        let message = format!("callout {ordinal}: {problem}");
        self.diagnostics.push(Diagnostic::new(code, message));
    }
}

impl OpenCallout {
    /// Appends text to the callout's source. If the source exceeds the limit, the callout becomes
    /// text.
    fn append_source(&mut self, text: &str, limit: usize, out: &mut Vec<Chunk>) {
        if self.overflowed {
            return append_text(out, text);
        }
        self.source.push_str(text);
        if self.source.len() > limit {
            self.overflowed = true;
            append_text(out, &std::mem::take(&mut self.source));
        }
    }
}
