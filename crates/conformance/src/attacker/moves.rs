//! The moves of the agent, the user and the page, and strategies for them.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A tool that the agent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// The user is always asked.
    Pay,
    /// The user is always asked, and the action is exclusive.
    Erase,
    /// The user is never asked.
    Look,
    /// The user is asked if a rule of the page requires it.
    Maybe,
    /// The user is always asked, with a preview.
    Move,
    /// The user is always asked, and the agent runs it.
    Hand,
    /// The tool is not registered on the page.
    Theirs,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 7] = [
        Self::Pay,
        Self::Erase,
        Self::Look,
        Self::Maybe,
        Self::Move,
        Self::Hand,
        Self::Theirs,
    ];

    /// Returns the tool's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pay => "pay",
            Self::Erase => "erase",
            Self::Look => "look",
            Self::Maybe => "maybe",
            Self::Move => "move",
            Self::Hand => "hand",
            Self::Theirs => "theirs",
        }
    }
}

/// Arguments, as an index into a list of texts. Some texts are equal JSON in different notation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Args(usize);

const TEXTS: [&str; 10] = [
    r#"{"to":"Ann","sum":1}"#,
    r#"{ "sum": 1, "to": "Ann" }"#,
    r#"{"to":"Bob","sum":1}"#,
    r#"{"to":"Ann","sum":1000}"#,
    r#"{"to":"Ann","sum":"1"}"#,
    r#"{"to":"Ann","sum":1,"all":true}"#,
    r#"{"to":"Ann\n\"sum\":1"}"#,
    "{}",
    "",
    r#"{"to":"#,
];

impl Args {
    /// Returns the arguments as the agent writes them.
    #[must_use]
    pub fn text(self) -> &'static str {
        TEXTS.get(self.0).copied().unwrap_or_default()
    }
}

/// The parent message in a call's start event.
#[derive(Debug, Clone, Copy)]
pub enum ParentMessage {
    /// The call names no parent.
    None,
    /// The call names a message that does not exist yet.
    New,
    /// The call names the newest message of the agent.
    Newest,
}

/// A change of the agent's history before it is listed in a snapshot. Numbers select messages and
/// calls.
#[derive(Debug, Clone, Copy)]
pub enum HistoryChange {
    /// Omits a message.
    Drop(u8),
    /// Moves a message.
    Move(u8, u8),
    /// Changes the id of a message.
    Name(u8),
    /// Moves a call to a new message.
    ParentMessage(u8),
    /// Moves a call to another message.
    Into(u8, u8),
    /// Omits a call.
    Forget(u8),
    /// Changes name and arguments of a call.
    Rewrite(u8, Tool, Args),
    /// Lists a call twice.
    Twice(u8),
    /// Adds a call that was never sent.
    Plant(u8, Tool, Args),
    /// Removes the result of a call.
    Unanswer(u8),
    /// Adds a result of a call.
    Answer(u8),
    /// Changes the text of a message.
    Misquote(u8),
}

/// A manual change of a stored conversation. The number selects a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FileChange {
    /// Marks all runs as succeeded.
    RunsSucceeded,
    /// Sets another state of the call.
    State(u8, &'static str),
    /// Sets the stored lifecycle of the call, which may contradict its state.
    Lifecycle(u8, &'static str),
    /// Marks the call as approved by the user.
    Approved(u8),
    /// Marks the call's approval as sent to the agent.
    HandedOff(u8),
    /// Marks the call as approved by the user in answer to the agent.
    InterruptApproved(u8),
    /// Marks the call as permitted by a remembered approval.
    Granted(u8),
    /// Removes the stored state and the decisions of the call, so that it appears new.
    Regenerate(u8),
    /// Replaces the name and arguments of the call.
    Rewrite(u8, Tool, Args),
}

impl FileChange {
    /// Returns the number that selects the call; 0 if the change concerns no call.
    #[must_use]
    pub const fn pick(self) -> u8 {
        match self {
            Self::RunsSucceeded => 0,
            Self::State(pick, _)
            | Self::Lifecycle(pick, _)
            | Self::Approved(pick)
            | Self::HandedOff(pick)
            | Self::InterruptApproved(pick)
            | Self::Granted(pick)
            | Self::Regenerate(pick)
            | Self::Rewrite(pick, ..) => pick,
        }
    }
}

/// The end of a run.
#[derive(Debug, Clone)]
pub enum RunEnd {
    /// Success.
    Well,
    /// Interrupts.
    Interrupted(Vec<Question>),
    /// An error.
    Error,
    /// A lost connection.
    Cut,
}

/// An interrupt at the end of a run.
#[derive(Debug, Clone)]
pub struct Question {
    /// The id, of a small range, so that the agent reuses ids.
    pub id: u8,
    /// The call that the question is about, by position from the newest; `None` for no call.
    pub call: Option<u8>,
    /// The kind of answer that the question accepts.
    pub takes: AnswerFormat,
    /// The number, of a small range, that selects the message and the metadata.
    pub words: u8,
    /// The actions that the question lists.
    pub list: Vec<ListedAction>,
    /// The number that selects the position of the list in the metadata.
    pub at: u8,
}

/// An action that a question lists.
#[derive(Debug, Clone, Copy)]
pub struct ListedAction {
    /// The action.
    pub what: NamedAction,
    /// The accepted kinds of decisions, one bit for each; `None` for the agent's default.
    pub allows: Option<u8>,
}

/// An action by its name and arguments.
#[derive(Debug, Clone, Copy)]
pub enum NamedAction {
    /// Any action.
    Tool(Tool, Args),
    /// A call of the agent's history, by position from the newest.
    Call(u8),
}

/// The user's decision about an action of a list.
#[derive(Debug, Clone, Copy)]
pub enum ActionChoice {
    /// Runs the action.
    Approve,
    /// Runs the action with other arguments.
    Edit(Args),
    /// Does not run the action.
    Reject,
    /// Does not run the action, and sets a text as its result.
    Respond,
}

/// The form of answer that a question accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFormat {
    /// An object with `approved`, and optionally `editedArgs`.
    Approval,
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text,
    /// A decision for each listed action.
    Decisions,
}

/// The user's reply to a question that has no card.
#[derive(Debug, Clone, Copy)]
pub enum Reply {
    /// An approval or, if the question does not take an approval, the text `yes`.
    Approve,
    /// A denial or, if the question does not take an approval, the text `no`.
    Deny,
    /// A cancellation.
    Cancel,
}

/// The user's decision about a card.
#[derive(Debug, Clone, Copy)]
pub enum CardDecision {
    /// Approves.
    Approve,
    /// Denies.
    Deny,
    /// Approves with these arguments.
    Edit(Args),
    /// Approves this call, and similar calls in the future.
    Remember {
        /// True if later calls are approved with any arguments.
        any_args: bool,
        /// The bounds.
        bounds: Bounds,
    },
}

/// The bounds of a remembered approval; `None` for no bound.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The number of calls.
    pub uses: Option<u32>,
    /// The lifetime in milliseconds.
    pub lasts_ms: Option<i64>,
    /// The maximum sum.
    pub sum: Option<u32>,
}

/// An event of the page.
#[derive(Debug, Clone, Copy)]
pub enum PageEvent {
    /// A handler ends.
    Ends(u8),
    /// A reload.
    Reload,
    /// Registers a tool again, with another schema.
    Register(Tool),
    /// Unregisters a tool.
    Unregister(Tool),
    /// Revokes a remembered approval.
    Revoke(u8),
    /// Changes the data on which previews depend.
    World,
    /// Answers a preview request with a preview or, with `fails`, with a failure.
    Previews {
        /// The number of the pending request.
        which: u8,
        /// True if the preview fails.
        fails: bool,
    },
}

/// A step of a history.
#[derive(Debug, Clone)]
pub enum Move {
    /// A call of the agent.
    Call {
        /// The tool.
        tool: Tool,
        /// The arguments.
        args: Args,
        /// The parent.
        home: ParentMessage,
    },
    /// A repetition of a call with changes.
    Again {
        /// The index of the call, counted from the newest; wraps around.
        call: u8,
        /// The new tool.
        tool: Tool,
        /// The new arguments.
        args: Args,
    },
    /// More arguments of a call.
    More {
        /// The index of the call, counted from the newest; wraps around.
        call: u8,
        /// The added text.
        args: Args,
    },
    /// A call written into a text.
    Written {
        /// The tool.
        tool: Tool,
        /// The arguments.
        args: Args,
    },
    /// A result of a call by the agent.
    Result {
        /// The index of the call, counted from the newest; wraps around.
        call: u8,
    },
    /// A snapshot of the agent's history, after changes.
    List(Vec<HistoryChange>),
    /// The end of a run.
    End(RunEnd),
    /// The user updates their view of the screen.
    Look,
    /// The user answers a card as last seen.
    Click {
        /// The card.
        card: u8,
        /// The decision.
        says: CardDecision,
        /// True if the user updates the view first.
        looks: bool,
    },
    /// Answers a question as last seen by the user.
    Reply {
        /// The question.
        question: u8,
        /// The answer.
        reply: Reply,
        /// True if the user updates the view first.
        looks: bool,
    },
    /// Decides about each action of a question as last seen by the user.
    Decide {
        /// The question.
        question: u8,
        /// The decisions, in the order of the list.
        choices: Vec<ActionChoice>,
        /// True if the decisions are repeated until every action has one.
        each: bool,
        /// True if the user updates the view first.
        looks: bool,
    },
    /// Reads the conversation as a file on another page.
    Copy {
        /// True if the session is continued, false if the file is imported.
        restores: bool,
        /// The manual changes of the file.
        changes: Vec<FileChange>,
    },
    /// The user denies everything open.
    DenyAll,
    /// The user shows the questions that were held back.
    ShowHeldBack,
    /// The user sends a message.
    Speak,
    /// The user edits a message.
    Rephrase(u8),
    /// The user regenerates an answer.
    Regenerate(u8),
    /// The user shows another branch.
    Turn(u8),
    /// The user stops everything.
    Stop,
    /// The user retries a failed run.
    Retry,
    /// An event of the page.
    Page(PageEvent),
}

/// A list of moves, printed with one move per line.
#[derive(Clone)]
pub struct Moves(pub Vec<Move>);

impl fmt::Debug for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|step| write!(f, "\n    {step:?}"))
    }
}

/// Generates any tool. The tool with a preview is twice as likely, since its cases require several
/// moves in a certain order.
fn any_tool() -> impl Strategy<Value = Tool> + Clone {
    select([&Tool::ALL[..], &[Tool::Move]].concat())
}

fn any_args() -> impl Strategy<Value = Args> + Clone {
    prop_oneof![5 => 0..6_usize, 1 => 6..TEXTS.len()].prop_map(Args)
}

fn any_index() -> impl Strategy<Value = u8> + Clone {
    any::<u8>()
}

fn any_history_change() -> impl Strategy<Value = HistoryChange> {
    prop_oneof![
        2 => any_index().prop_map(HistoryChange::Drop),
        1 => (any_index(), any_index()).prop_map(|(a, b)| HistoryChange::Move(a, b)),
        1 => any_index().prop_map(HistoryChange::Name),
        3 => any_index().prop_map(HistoryChange::ParentMessage),
        2 => (any_index(), any_index()).prop_map(|(a, b)| HistoryChange::Into(a, b)),
        2 => any_index().prop_map(HistoryChange::Forget),
        4 => (any_index(), any_tool(), any_args()).prop_map(|(a, b, c)| HistoryChange::Rewrite(a, b, c)),
        1 => any_index().prop_map(HistoryChange::Twice),
        2 => (any_index(), any_tool(), any_args()).prop_map(|(a, b, c)| HistoryChange::Plant(a, b, c)),
        1 => any_index().prop_map(HistoryChange::Unanswer),
        1 => any_index().prop_map(HistoryChange::Answer),
        1 => any_index().prop_map(HistoryChange::Misquote),
    ]
}

fn any_question() -> impl Strategy<Value = Question> {
    let call = prop_oneof![3 => any_index().prop_map(Some), 1 => Just(None)];
    let takes = prop_oneof![
        4 => Just(AnswerFormat::Approval),
        1 => Just(AnswerFormat::Boolean),
        1 => Just(AnswerFormat::Text),
    ];
    let plain = (
        takes,
        prop_oneof![4 => Just(Vec::new()), 1 => vec(any_listed_action(), 1..4)],
    );
    let each = (
        Just(AnswerFormat::Decisions),
        vec(any_listed_action(), 1..4),
    );
    let questions = prop_oneof![3 => plain.boxed(), 2 => each.boxed()];
    let all = (0..3_u8, call, questions, 0..2_u8, 0..3_u8);
    all.prop_map(|(id, call, (takes, list), words, at)| Question {
        id,
        call,
        takes,
        words,
        list,
        at,
    })
}

fn any_listed_action() -> impl Strategy<Value = ListedAction> {
    let what = prop_oneof![
        2 => any_index().prop_map(NamedAction::Call),
        2 => (any_tool(), any_args()).prop_map(|(tool, args)| NamedAction::Tool(tool, args)),
    ];
    let allows = prop_oneof![3 => Just(None), 1 => (0..16_u8).prop_map(Some)];
    (what, allows).prop_map(|(what, allows)| ListedAction { what, allows })
}

fn any_action_choice() -> impl Strategy<Value = ActionChoice> {
    prop_oneof![
        4 => Just(ActionChoice::Approve),
        1 => any_args().prop_map(ActionChoice::Edit),
        2 => Just(ActionChoice::Reject),
        1 => Just(ActionChoice::Respond),
    ]
}

fn any_agent_move() -> impl Strategy<Value = Move> {
    let home = select(vec![
        ParentMessage::None,
        ParentMessage::New,
        ParentMessage::Newest,
    ]);
    let end = prop_oneof![
        6 => Just(RunEnd::Well),
        3 => vec(any_question(), 1..3).prop_map(RunEnd::Interrupted),
        1 => Just(RunEnd::Error),
        1 => Just(RunEnd::Cut),
    ];
    prop_oneof![
        5 => (any_tool(), any_args(), home).prop_map(|(tool, args, home)| Move::Call { tool, args, home }),
        2 => (any_index(), any_tool(), any_args()).prop_map(|(call, tool, args)| Move::Again { call, tool, args }),
        1 => (any_index(), any_args()).prop_map(|(call, args)| Move::More { call, args }),
        1 => (any_tool(), any_args()).prop_map(|(tool, args)| Move::Written { tool, args }),
        1 => any_index().prop_map(|call| Move::Result { call }),
        5 => vec(any_history_change(), 0..4).prop_map(Move::List),
        5 => end.prop_map(Move::End),
    ]
}

fn any_bounds() -> impl Strategy<Value = Bounds> {
    use proptest::option::of;
    let all = (of(1_u32..3), of(1_i64..4), of(1_u32..3));
    all.prop_map(|(uses, ms, sum)| Bounds {
        uses,
        lasts_ms: ms.map(|ms| ms * 1_000),
        sum,
    })
}

fn any_file_change() -> impl Strategy<Value = FileChange> {
    const STATES: [&str; 5] = [
        "input-available",
        "approval-requested",
        "approval-responded",
        "running",
        "input-streaming",
    ];
    const WORDS: [&str; 10] = [
        "streaming",
        "open",
        "asked",
        "allowed",
        "denied",
        "remote",
        "handed-off",
        "interrupted",
        "interrupt-approved",
        "interrupt-denied",
    ];
    prop_oneof![
        2 => Just(FileChange::RunsSucceeded),
        2 => (any_index(), select(STATES.as_slice())).prop_map(|(call, state)| FileChange::State(call, state)),
        2 => (any_index(), select(WORDS.as_slice())).prop_map(|(call, word)| FileChange::Lifecycle(call, word)),
        2 => any_index().prop_map(FileChange::Approved),
        1 => any_index().prop_map(FileChange::HandedOff),
        1 => any_index().prop_map(FileChange::InterruptApproved),
        1 => any_index().prop_map(FileChange::Granted),
        3 => any_index().prop_map(FileChange::Regenerate),
        1 => (any_index(), any_tool(), any_args()).prop_map(|(a, b, c)| FileChange::Rewrite(a, b, c)),
    ]
}

fn any_other_move() -> impl Strategy<Value = Move> {
    let says = prop_oneof![
        4 => Just(CardDecision::Approve),
        2 => Just(CardDecision::Deny),
        1 => any_args().prop_map(CardDecision::Edit),
        2 => (any::<bool>(), any_bounds())
            .prop_map(|(any_args, bounds)| CardDecision::Remember { any_args, bounds }),
    ];
    let reply = select([Reply::Approve, Reply::Approve, Reply::Deny, Reply::Cancel].as_slice());
    let page = prop_oneof![
        6 => any_index().prop_map(PageEvent::Ends),
        2 => Just(PageEvent::Reload),
        1 => any_tool().prop_map(PageEvent::Register),
        1 => any_tool().prop_map(PageEvent::Unregister),
        1 => any_index().prop_map(PageEvent::Revoke),
        4 => Just(PageEvent::World),
        6 => (any_index(), any::<u8>()).prop_map(|(which, luck)| PageEvent::Previews { which, fails: luck < 25 }),
    ];
    prop_oneof![
        2 => Just(Move::Look),
        6 => (any_index(), says, any::<bool>())
            .prop_map(|(card, says, looks)| Move::Click { card, says, looks }),
        4 => (any_index(), reply, any::<bool>())
            .prop_map(|(question, reply, looks)| Move::Reply { question, reply, looks }),
        4 => (any_index(), vec(any_action_choice(), 1..4), (0..8_u8).prop_map(|luck| luck > 0), any::<bool>())
            .prop_map(|(question, choices, each, looks)| {
                Move::Decide { question, choices, each, looks }
            }),
        2 => (any::<bool>(), vec(any_file_change(), 0..3))
            .prop_map(|(restores, changes)| Move::Copy { restores, changes }),
        1 => Just(Move::DenyAll),
        1 => Just(Move::ShowHeldBack),
        4 => Just(Move::Speak),
        1 => any_index().prop_map(Move::Rephrase),
        1 => any_index().prop_map(Move::Regenerate),
        1 => any_index().prop_map(Move::Turn),
        1 => Just(Move::Stop),
        1 => Just(Move::Retry),
        6 => page.prop_map(Move::Page),
    ]
}

/// Generates any list of moves.
pub fn any_moves() -> impl Strategy<Value = Moves> {
    vec(prop_oneof![any_agent_move(), any_other_move()], 1..50).prop_map(Moves)
}
