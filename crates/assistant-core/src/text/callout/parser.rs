//! Reads a text that is still being written.
//!
//! Every character is looked at once. Text goes on at once unless it may become a header; a
//! callout is kept until it ends, and its body is read once. What is kept is bounded by
//! [`CalloutOptions::max_block`].

use std::collections::HashSet;

use super::{
    Callout, CalloutOptions, Chunk, body,
    chunk::{append, append_text},
    fence::Fence,
    header::Header,
    line::{Kind, Line},
};
use crate::event::Diagnostic;

/// How many characters of a problem are told.
const LONGEST_PROBLEM: usize = 200;

/// Reads a text that is still being written. The chunks of all pushes and of the end together are
/// those of the whole text, however it was split.
#[derive(Debug, Clone)]
pub struct Parser {
    options: CalloutOptions,
    /// The line that is being read.
    line: Line,
    /// What of it is kept back.
    held: String,
    open: Option<Open>,
    /// How many callouts began.
    count: u32,
    taken: HashSet<String>,
    diagnostics: Vec<Diagnostic>,
}

/// A callout that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its place among the callouts of the text, from 1. It stays; id and name may change.
    pub ordinal: u32,
    /// Its id, unless its body names another.
    pub id: String,
    /// Whether the id was written, so that it stays.
    pub has_own_id: bool,
    /// The tool's name, unless its body names another.
    pub name: String,
}

#[derive(Debug, Clone)]
struct Open {
    pending: Pending,
    header: Header,
    source: String,
    /// The fence that it is, if it is one.
    fence: Option<Fence>,
    /// The line that is being read belongs to it.
    in_line: bool,
    /// It is too long, so it is text.
    overflowed: bool,
}

impl Parser {
    /// Nothing was read yet.
    #[must_use]
    pub fn new(options: CalloutOptions) -> Self {
        Self {
            options,
            line: Line::new(None, options.fences),
            held: String::new(),
            open: None,
            count: 0,
            taken: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Reads on, and gives what is certain now.
    pub fn push(&mut self, delta: &str) -> Vec<Chunk> {
        let mut out = Vec::new();
        let mut rest = delta;
        while !rest.is_empty() {
            if self.is_settled() {
                let (run, _) = rest.split_once('\n').unwrap_or((rest, ""));
                self.pass(run, &mut out);
                rest = rest.strip_prefix(run).unwrap_or_default();
            }
            let mut chars = rest.chars();
            match chars.next() {
                Some('\n') => self.end_line(&mut out),
                Some(c) => self.step(c, &mut out),
                None => {}
            }
            rest = chars.as_str();
        }
        out
    }

    /// The text ends.
    #[must_use]
    pub fn finish(mut self) -> Vec<Chunk> {
        self.end()
    }

    /// The text ends, like [`Parser::finish`]; diagnostics can still be taken. A text that comes
    /// after this one is another.
    pub fn end(&mut self) -> Vec<Chunk> {
        let out = self.flush();
        let diagnostics = std::mem::take(&mut self.diagnostics);
        *self = Self::new(self.options);
        self.diagnostics = diagnostics;
        out
    }

    /// The text pauses, and may go on: what is kept back is given out as at the end. What comes
    /// after it in the same line, or of the same callout, is text; fences stay open and ordinals
    /// count on.
    pub fn pause(&mut self) -> Vec<Chunk> {
        let fence = self.is_in_fence().then(|| self.line.end());
        let out = self.flush();
        match fence {
            Some(fence) => {
                self.start_line(fence);
                self.line.is_no_header();
            }
            None => self.line.interrupt(),
        }
        out
    }

    /// Gives out what is kept back, as if the text ended here.
    fn flush(&mut self) -> Vec<Chunk> {
        let mut out = Vec::new();
        if !self.is_in_fence() {
            let header = self.line.header();
            if header.is_some() || self.line.quoted() != Some(true) {
                self.close_before_line(&mut out);
            }
            match header {
                Some(kind) => drop(self.begin(kind)),
                None => self.take_line(&mut out),
            }
        }
        self.close(&mut out);
        out
    }

    /// The callout that has begun and not ended. If it breaks the rules, it is gone afterwards and
    /// its source comes as text.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        let open = self.open.as_ref().filter(|open| !open.overflowed);
        open.map(|open| &open.pending)
    }

    /// Takes the diagnostics for the author: callouts that stayed text, states that do not exist.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// Whether it is certain where the rest of the line belongs.
    fn is_settled(&self) -> bool {
        match &self.open {
            None => self.line.is_settled() && !self.line.may_be_header(),
            Some(open) if open.fence.is_some() => self.line.is_settled(),
            Some(open) => open.in_line,
        }
    }

    /// A piece of a line that belongs where the last one went.
    fn pass(&mut self, run: &str, out: &mut Vec<Chunk>) {
        match &mut self.open {
            None => append_text(out, run),
            Some(open) => open.keep(run, self.options.max_block, out),
        }
    }

    /// A character that is no line break.
    fn step(&mut self, c: char, out: &mut Vec<Chunk>) {
        self.line.push(c);
        if self.is_in_fence() {
            return self.pass(c.encode_utf8(&mut [0; 4]), out);
        }
        if self.line.quoted() == Some(false) {
            self.close_before_line(out);
        }
        self.held.push(c);
        if self.line.may_be_header() && self.held.len() > self.options.max_block {
            self.line.is_no_header();
        }
        if !self.line.may_be_header() {
            self.take_line(out);
        }
    }

    fn end_line(&mut self, out: &mut Vec<Chunk>) {
        if self.is_in_fence() {
            let fence = self.line.end();
            if fence.is_none() {
                self.close(out);
            }
            self.pass("\n", out);
            return self.start_line(fence);
        }
        if self.line.quoted() != Some(true) {
            self.close_before_line(out);
        }
        if let Some(kind) = self.line.header() {
            self.close_before_line(out);
            let fence = self.begin(kind);
            if fence.is_some() {
                self.pass("\n", out);
            }
            return self.start_line(fence);
        }
        self.take_line(out);
        if let Some(open) = &mut self.open {
            // The line break belongs to the callout if another line of it follows.
            open.in_line = false;
            return self.start_line(None);
        }
        append_text(out, "\n");
        self.start_line(self.line.end());
    }

    fn start_line(&mut self, fence: Option<Fence>) {
        self.line = Line::new(fence, self.options.fences);
    }

    /// The line is no header: what was kept back of it goes where it belongs. The line break
    /// before a line of a callout belongs to the callout.
    fn take_line(&mut self, out: &mut Vec<Chunk>) {
        let limit = self.options.max_block;
        match &mut self.open {
            None => append_text(out, &self.held),
            Some(open) => {
                if !std::mem::replace(&mut open.in_line, true) {
                    open.keep("\n", limit, out);
                }
                open.keep(&self.held, limit, out);
            }
        }
        self.held.clear();
    }

    fn is_in_fence(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.fence.is_some())
    }

    /// The line is a header: a callout begins. The fence that it is, if it is one.
    fn begin(&mut self, kind: Kind) -> Option<Fence> {
        self.count = self.count.saturating_add(1);
        let header = Header::of_line(&self.held, kind);
        let fence = match kind {
            Kind::Quote => None,
            Kind::Fence => self.line.end(),
        };
        let id = header.id.clone();
        let name = header.name.clone();
        self.open = Some(Open {
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

    /// The open callout ends before the line that is being read.
    fn close_before_line(&mut self, out: &mut Vec<Chunk>) {
        if self.close(out) {
            append_text(out, "\n");
        }
    }

    /// The open callout ends: it is a call, or the text that it is. Whether there was one.
    fn close(&mut self, out: &mut Vec<Chunk>) -> bool {
        let Some(open) = self.open.take() else {
            return false;
        };
        let ordinal = open.pending.ordinal;
        if open.overflowed {
            let limit = self.options.max_block;
            let problem = format!("it is longer than {limit} bytes");
            self.complain("callout-is-text", ordinal, &problem);
            return true;
        }
        let is_fence = open.fence.is_some();
        let has_end = is_fence && self.line.end().is_none();
        let lines = body::lines(&open.source, is_fence, has_end);
        match body::read(open.header, &lines, &self.options) {
            Err(problem) => {
                self.complain("callout-is-text", ordinal, &problem);
                append_text(out, &open.source);
            }
            Ok(read) => {
                if let Some(word) = read.unknown_state {
                    self.complain("unknown-state", ordinal, &format!("no state is '{word}'"));
                }
                let id = Some(read.call.id).filter(|_| read.call.has_own_id);
                let call = Callout {
                    ordinal,
                    id: id.unwrap_or_else(|| self.fallback_id()),
                    source: open.source,
                    ..read.call
                };
                self.taken.insert(call.id.clone());
                append(out, Chunk::Tool(Box::new(call)));
            }
        }
        true
    }

    /// The id of a callout that names none: its ordinal makes it, whatever the others are called.
    fn fallback_id(&self) -> String {
        let plain = format!("tool-call-{}", self.count);
        if !self.taken.contains(&plain) {
            return plain;
        }
        let mut others = (2_u64..).map(|count| format!("{plain}-{count}"));
        let free = others.find(|id| !self.taken.contains(id));
        free.unwrap_or(plain)
    }

    fn complain(&mut self, code: &'static str, ordinal: u32, problem: &str) {
        let problem: String = problem.chars().take(LONGEST_PROBLEM).collect();
        let message = format!("callout {ordinal}: {problem}");
        self.diagnostics.push(Diagnostic::new(code, message));
    }
}

impl Open {
    /// More of its source. What is too long is text from then on.
    fn keep(&mut self, text: &str, limit: usize, out: &mut Vec<Chunk>) {
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
