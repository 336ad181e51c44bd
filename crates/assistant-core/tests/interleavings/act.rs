//! The steps of a schedule, as printed for a failure.
//!
//! Numbers select among the existing items when the step is taken, so that a shrunken schedule
//! remains meaningful.

use std::fmt;

use proptest::{collection::vec, prelude::*, sample::select};

use super::rewrite::{Rewrite, rewrite};

/// The arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Args {
    Empty,
    Object,
    X,
    Other,
    List,
    Bad,
}

impl Args {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Object => "{}",
            Self::X => "{\"x\":1}",
            Self::Other => "{\"x\": 7, \"to\": \"me\"}",
            Self::List => "[1]",
            Self::Bad => "{bad",
        }
    }
}

pub(super) fn args() -> impl Strategy<Value = Args> {
    prop_oneof![
        6 => select(vec![Args::Object, Args::X, Args::Other]),
        1 => select(vec![Args::Empty, Args::List, Args::Bad]),
    ]
}

/// The message that a call names as its parent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Parent {
    None,
    /// The message of the run.
    Run,
    /// The newest message of an assistant, of any run.
    Newest,
    /// A message that does not exist yet.
    Late,
}

/// A failing end of a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum BadEnd {
    RunError,
    Cancelled,
    /// The connection is lost after the last event.
    NetworkAfterEnd,
    Network,
    Protocol,
    Truncated,
}

/// A user's decision about a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Choice {
    Approve,
    Deny,
    Edit,
}

/// The end of a handler.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ends {
    Value(u8),
    Error,
    StopLoop,
}

/// An intervention of a user or a page.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shake {
    Stop,
    Retry,
    Continue,
    NewThread,
    /// Copies the session; from here on both receive the same inputs.
    Copy,
    Reload,
}

/// A user's change to the tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tree {
    Select { message: u8, exact: bool },
    Switch { message: u8, next: bool },
    Edit(u8),
    Regenerate(u8),
    Interject,
    Withdraw(u8),
    Delete(u8),
    Reparent(u8, u8),
    Restore,
    ShowRun,
}

/// The form of an agent's question about a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerFormat {
    /// A card: approve or deny.
    Card,
    /// A card with editable arguments.
    Editable,
    /// A form without a card.
    Form,
    /// The older dialect.
    Legacy,
}

/// A step of a schedule.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// A message of the user; the host's approval rule returns this from now on.
    Send {
        rule: Option<bool>,
    },
    /// A complete call.
    Call {
        call: Id,
        name: u8,
        args: Args,
        parent: Parent,
    },
    Start {
        call: Id,
        name: u8,
        parent: Parent,
    },
    More {
        call: Id,
        args: Args,
    },
    End {
        call: Id,
    },
    Result {
        call: Id,
    },
    Text {
        message: u8,
    },
    /// The run finishes, and the next begins if the session opens one.
    Finish,
    EndBadly(BadEnd),
    /// The run ends with interrupts about these calls.
    Interrupt {
        format: AnswerFormat,
        calls: Vec<Id>,
    },
    Snapshot(Vec<Rewrite>),
    Commit {
        pick: u8,
        ok: bool,
    },
    Handler {
        pick: u8,
        ends: Ends,
        twice: bool,
    },
    /// `late` decides for the version that an older card showed.
    Decide {
        pick: u8,
        choice: Choice,
        twice: bool,
        late: bool,
    },
    Answer {
        pick: u8,
        approved: bool,
        cancel: bool,
    },
    GiveUp,
    Rule {
        pick: u8,
        ask: bool,
    },
    Timer(u8),
    /// A component registers, unregisters, or changes the rules of its action.
    Registry {
        name: u8,
        rules: u8,
    },
    Shake(Shake),
    Tree(Tree),
    /// The next regular steps of user, agent and handlers.
    Proceed(u8),
}

/// The agent's id of a call: the run, counted back, and its number in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Id {
    pub(super) back: u8,
    pub(super) slot: u8,
}

fn id() -> impl Strategy<Value = Id> {
    let back = prop_oneof![8 => Just(0_u8), 2 => Just(1), 1 => Just(2)];
    (back, 0..4_u8).prop_map(|(back, slot)| Id { back, slot })
}

fn parent() -> impl Strategy<Value = Parent> {
    select(vec![
        Parent::None,
        Parent::Run,
        Parent::Run,
        Parent::Newest,
        Parent::Late,
    ])
}

fn n() -> impl Strategy<Value = u8> {
    any::<u8>()
}

fn tree() -> impl Strategy<Value = Tree> {
    prop_oneof![
        2 => (n(), any::<bool>()).prop_map(|(message, exact)| Tree::Select { message, exact }),
        1 => (n(), any::<bool>()).prop_map(|(message, next)| Tree::Switch { message, next }),
        2 => n().prop_map(Tree::Edit),
        2 => n().prop_map(Tree::Regenerate),
        2 => Just(Tree::Interject),
        1 => n().prop_map(Tree::Withdraw),
        1 => n().prop_map(Tree::Delete),
        1 => (n(), n()).prop_map(|(a, b)| Tree::Reparent(a, b)),
        2 => Just(Tree::Restore),
        1 => Just(Tree::ShowRun),
    ]
}

fn agent() -> impl Strategy<Value = Act> {
    let bad = select(vec![
        BadEnd::RunError,
        BadEnd::Cancelled,
        BadEnd::NetworkAfterEnd,
        BadEnd::Network,
        BadEnd::Protocol,
        BadEnd::Truncated,
    ]);
    let format = select(vec![
        AnswerFormat::Card,
        AnswerFormat::Card,
        AnswerFormat::Editable,
        AnswerFormat::Form,
        AnswerFormat::Legacy,
    ]);
    prop_oneof![
        8 => (id(), n(), args(), parent())
            .prop_map(|(call, name, args, parent)| Act::Call { call, name, args, parent }),
        1 => (id(), n(), parent()).prop_map(|(call, name, parent)| Act::Start { call, name, parent }),
        1 => (id(), args()).prop_map(|(call, args)| Act::More { call, args }),
        1 => id().prop_map(|call| Act::End { call }),
        1 => id().prop_map(|call| Act::Result { call }),
        1 => n().prop_map(|message| Act::Text { message }),
        3 => Just(Act::Finish),
        1 => bad.prop_map(Act::EndBadly),
        2 => (format, vec(id(), 1..3)).prop_map(|(format, calls)| Act::Interrupt { format, calls }),
        6 => vec(rewrite(), 0..4).prop_map(Act::Snapshot),
    ]
}

fn person() -> impl Strategy<Value = Act> {
    let choice = select(vec![
        Choice::Approve,
        Choice::Approve,
        Choice::Deny,
        Choice::Edit,
    ]);
    let flags = || (any::<bool>(), any::<bool>());
    let shake = select(vec![
        Shake::Stop,
        Shake::Retry,
        Shake::Retry,
        Shake::Continue,
        Shake::NewThread,
        Shake::Copy,
        Shake::Reload,
        Shake::Reload,
    ]);
    prop_oneof![
        2 => any::<Option<bool>>().prop_map(|rule| Act::Send { rule }),
        5 => (n(), choice, flags())
            .prop_map(|(pick, choice, (twice, late))| Act::Decide { pick, choice, twice, late }),
        2 => (n(), flags())
            .prop_map(|(pick, (approved, cancel))| Act::Answer { pick, approved, cancel }),
        1 => Just(Act::GiveUp),
        3 => shake.prop_map(Act::Shake),
        4 => tree().prop_map(Act::Tree),
    ]
}

fn page() -> impl Strategy<Value = Act> {
    let ends = prop_oneof![
        4 => n().prop_map(Ends::Value),
        1 => Just(Ends::Error),
        1 => Just(Ends::StopLoop),
    ];
    prop_oneof![
        3 => (n(), prop::bool::weighted(0.9)).prop_map(|(pick, ok)| Act::Commit { pick, ok }),
        3 => (n(), ends, any::<bool>())
            .prop_map(|(pick, ends, twice)| Act::Handler { pick, ends, twice }),
        1 => (n(), any::<bool>()).prop_map(|(pick, ask)| Act::Rule { pick, ask }),
        1 => n().prop_map(Act::Timer),
        2 => (n(), n()).prop_map(|(name, rules)| Act::Registry { name, rules }),
    ]
}

/// Steps, printed one per line.
#[derive(Clone)]
pub(super) struct Schedule(pub(super) Vec<Act>);

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|act| write!(f, "\n    {act:?}"))
    }
}

/// Any schedule.
pub(super) fn schedule() -> impl Strategy<Value = Schedule> {
    vec(act(), 1..60).prop_map(Schedule)
}

/// Any step.
fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => agent(),
        5 => person(),
        3 => page(),
        6 => n().prop_map(Act::Proceed),
    ]
}
