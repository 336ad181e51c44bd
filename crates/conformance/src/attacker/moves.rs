//! What the agent, the person and the page can do, and how it is drawn.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A tool that the agent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// A person is always asked.
    Pay,
    /// A person is always asked, and nothing else runs beside it.
    Erase,
    /// Nobody is asked.
    Look,
    /// A person is asked if a rule of the page says so.
    Maybe,
    /// A person is always asked, and told what would change.
    Move,
    /// A person is always asked, and the agent runs it.
    Hand,
    /// The page does not have it.
    Theirs,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Pay,
        Self::Erase,
        Self::Look,
        Self::Maybe,
        Self::Move,
        Self::Hand,
        Self::Theirs,
    ];

    /// Returns the name by which agent and page know it.
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

/// Arguments; some of them say the same in other letters.
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
    /// Returns them as the agent writes them.
    #[must_use]
    pub fn text(self) -> &'static str {
        TEXTS.get(self.0).copied().unwrap_or_default()
    }
}

/// Where a call is said to stand.
#[derive(Debug, Clone, Copy)]
pub enum Home {
    /// The agent does not say.
    None,
    /// In a message of its own.
    New,
    /// In the newest message.
    Newest,
}

/// A change of the history before it is listed.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// Leaves a message out.
    Drop(u8),
    /// Moves a message.
    Move(u8, u8),
    /// Gives a message another id.
    Name(u8),
    /// Moves a call into a message of its own.
    Home(u8),
    /// Moves a call into another message.
    Into(u8, u8),
    /// Leaves a call out.
    Forget(u8),
    /// Gives a call another name and other arguments.
    Rewrite(u8, Tool, Args),
    /// Lists a call twice.
    Twice(u8),
    /// Adds a call to the history that was never said.
    Plant(u8, Tool, Args),
    /// Leaves a result out.
    Unanswer(u8),
    /// Answers a call.
    Answer(u8),
    /// Says something else in somebody's name.
    Misquote(u8),
}

/// A change of a stored conversation, made by hand. The number picks a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Alter {
    /// All runs are said to have succeeded.
    RunsSucceeded,
    /// The call is in another state.
    State(u8, &'static str),
    /// The call has another word for its state than its phase has.
    Lifecycle(u8, &'static str),
    /// A person is said to have approved it.
    Approved(u8),
    /// The agent is said to have been told so.
    Told(u8),
    /// A person is said to have approved it when the agent asked.
    Gated(u8),
    /// An approval for later calls is said to have let it pass.
    Granted(u8),
    /// Nothing is said to have happened to it.
    Anew(u8),
    /// It is another call.
    Rewrite(u8, Tool, Args),
}

impl Alter {
    /// Returns the number of the call.
    #[must_use]
    pub const fn pick(self) -> u8 {
        match self {
            Self::RunsSucceeded => 0,
            Self::State(pick, _)
            | Self::Lifecycle(pick, _)
            | Self::Approved(pick)
            | Self::Told(pick)
            | Self::Gated(pick)
            | Self::Granted(pick)
            | Self::Anew(pick)
            | Self::Rewrite(pick, ..) => pick,
        }
    }
}

/// How a run ends.
#[derive(Debug, Clone)]
pub enum End {
    /// Well.
    Well,
    /// With these questions.
    Asks(Vec<Question>),
    /// With an error.
    Error,
    /// The connection breaks.
    Cut,
}

/// A question with which a run ends.
#[derive(Debug, Clone)]
pub struct Question {
    /// Its id, of which there are few: the agent uses them again.
    pub id: u8,
    /// The call that it is about, the newest first; `None` for no call.
    pub call: Option<u8>,
    /// The answer that it takes.
    pub takes: Takes,
    /// Its words and its metadata, of which there are few.
    pub words: u8,
    /// The actions that it lists.
    pub list: Vec<Listed>,
    /// The place in its metadata where it lists them.
    pub at: u8,
}

/// An action that a question lists.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// The action.
    pub what: Named,
    /// The kinds of decisions that it takes, a bit for each; `None` for the usual ones.
    pub allows: Option<u8>,
}

/// An action by its name and arguments.
#[derive(Debug, Clone, Copy)]
pub enum Named {
    /// Any.
    Tool(Tool, Args),
    /// A call of the history, the newest first.
    Call(u8),
}

/// The person's decision about an action of a list.
#[derive(Debug, Clone, Copy)]
pub enum Choice {
    /// It runs.
    Approve,
    /// It runs with other arguments.
    Edit(Args),
    /// It does not run.
    Reject,
    /// It does not run; a text is its result.
    Respond,
}

/// The answer that a question takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// An object with `approved`, and perhaps with `editedArgs`.
    Approval,
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text,
    /// A decision for each action that it lists.
    Decisions,
}

/// The person's answer to a question that is not about a card.
#[derive(Debug, Clone, Copy)]
pub enum Reply {
    /// An approval, or a text.
    Yes,
    /// A denial, or another text.
    No,
    /// None: the question is given up.
    Nothing,
}

/// What the person says to a card.
#[derive(Debug, Clone, Copy)]
pub enum Says {
    /// Go on.
    Yes,
    /// Do not.
    No,
    /// Go on with these arguments.
    With(Args),
    /// Go on, now and at calls like this one.
    Always {
        /// Whatever their arguments are.
        any_args: bool,
        /// Within which bounds.
        bounds: Bounds,
    },
}

/// Bounds of what the person allows for later calls.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// For how many calls.
    pub uses: Option<u32>,
    /// For how long, in milliseconds.
    pub lasts_ms: Option<i64>,
    /// Up to which sum.
    pub sum: Option<u32>,
}

/// What happens in the page by itself.
#[derive(Debug, Clone, Copy)]
pub enum Page {
    /// A handler ends.
    Ends(u8),
    /// It is loaded again.
    Reload,
    /// A component registers a tool again, with another schema.
    Register(Tool),
    /// A component that has a tool goes.
    Unregister(Tool),
    /// What was allowed for later calls is revoked.
    Revoke(u8),
    /// The world changes: what a call would change is something else from now on.
    World,
    /// An action says what a call would change; if `fails`, that it does not know.
    Previews {
        /// Which of those that were asked.
        which: u8,
        /// True if it does not know.
        fails: bool,
    },
}

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Move {
    /// The agent calls a tool.
    Call {
        /// Which one.
        tool: Tool,
        /// With what.
        args: Args,
        /// Where.
        home: Home,
    },
    /// The agent says a call again, as another.
    Again {
        /// Which one, the newest first.
        call: u8,
        /// As what.
        tool: Tool,
        /// With what.
        args: Args,
    },
    /// The agent adds to the arguments of a call.
    More {
        /// Which one, the newest first.
        call: u8,
        /// What it adds.
        args: Args,
    },
    /// The agent writes a call into a text.
    Written {
        /// Which tool.
        tool: Tool,
        /// With what.
        args: Args,
    },
    /// The agent answers a call.
    Result {
        /// Which one, the newest first.
        call: u8,
    },
    /// The agent lists the history.
    List(Vec<Change>),
    /// The run ends.
    End(End),
    /// The person looks at the screen.
    Look,
    /// The person decides about a card as they saw it last.
    Click {
        /// Which card.
        card: u8,
        /// What they say.
        says: Says,
        /// True if they look first.
        looks: bool,
    },
    /// The person answers a question as they saw it last.
    Reply {
        /// The question.
        question: u8,
        /// The answer.
        reply: Reply,
        /// True if they look first.
        looks: bool,
    },
    /// The person decides about each action of a question as they saw it last.
    Decide {
        /// The question.
        question: u8,
        /// The decisions, in the order of the list.
        choices: Vec<Choice>,
        /// True if every action has one: they start over at the end.
        each: bool,
        /// True if they look first.
        looks: bool,
    },
    /// Another page reads the conversation as a file.
    Copy {
        /// True if it continues the session; else it imports the file.
        restores: bool,
        /// What is altered by hand before.
        changes: Vec<Alter>,
    },
    /// The person denies all that is open.
    DenyAll,
    /// The person has the questions shown that were held back.
    ShowHeldBack,
    /// The person speaks.
    Speak,
    /// The person says something else than they said.
    Rephrase(u8),
    /// The person wants another answer.
    Anew(u8),
    /// The person goes to another branch.
    Turn(u8),
    /// The person stops everything.
    Stop,
    /// The person has a failed run tried again.
    Retry,
    /// What the page does.
    Page(Page),
}

/// A history, one move to a line.
#[derive(Clone)]
pub struct History(pub Vec<Move>);

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|step| write!(f, "\n    {step:?}"))
    }
}

/// The one with a preview is twice as likely: more has to come together.
fn tool() -> impl Strategy<Value = Tool> + Clone {
    select([&Tool::ALL[..], &[Tool::Move]].concat())
}

fn args() -> impl Strategy<Value = Args> + Clone {
    prop_oneof![5 => 0..6_usize, 1 => 6..TEXTS.len()].prop_map(Args)
}

fn n() -> impl Strategy<Value = u8> + Clone {
    any::<u8>()
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => n().prop_map(Change::Drop),
        1 => (n(), n()).prop_map(|(a, b)| Change::Move(a, b)),
        1 => n().prop_map(Change::Name),
        3 => n().prop_map(Change::Home),
        2 => (n(), n()).prop_map(|(a, b)| Change::Into(a, b)),
        2 => n().prop_map(Change::Forget),
        4 => (n(), tool(), args()).prop_map(|(a, b, c)| Change::Rewrite(a, b, c)),
        1 => n().prop_map(Change::Twice),
        2 => (n(), tool(), args()).prop_map(|(a, b, c)| Change::Plant(a, b, c)),
        1 => n().prop_map(Change::Unanswer),
        1 => n().prop_map(Change::Answer),
        1 => n().prop_map(Change::Misquote),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    let call = prop_oneof![3 => n().prop_map(Some), 1 => Just(None)];
    let takes = prop_oneof![
        4 => Just(Takes::Approval),
        1 => Just(Takes::Boolean),
        1 => Just(Takes::Text),
    ];
    let plain = (
        takes,
        prop_oneof![4 => Just(Vec::new()), 1 => vec(listed(), 1..4)],
    );
    let each = (Just(Takes::Decisions), vec(listed(), 1..4));
    let asks = prop_oneof![3 => plain.boxed(), 2 => each.boxed()];
    let all = (0..3_u8, call, asks, 0..2_u8, 0..3_u8);
    all.prop_map(|(id, call, (takes, list), words, at)| Question {
        id,
        call,
        takes,
        words,
        list,
        at,
    })
}

fn listed() -> impl Strategy<Value = Listed> {
    let what = prop_oneof![
        2 => n().prop_map(Named::Call),
        2 => (tool(), args()).prop_map(|(tool, args)| Named::Tool(tool, args)),
    ];
    let allows = prop_oneof![3 => Just(None), 1 => (0..16_u8).prop_map(Some)];
    (what, allows).prop_map(|(what, allows)| Listed { what, allows })
}

fn choice() -> impl Strategy<Value = Choice> {
    prop_oneof![
        4 => Just(Choice::Approve),
        1 => args().prop_map(Choice::Edit),
        2 => Just(Choice::Reject),
        1 => Just(Choice::Respond),
    ]
}

fn agents() -> impl Strategy<Value = Move> {
    let home = select(vec![Home::None, Home::New, Home::Newest]);
    let end = prop_oneof![
        6 => Just(End::Well),
        3 => vec(question(), 1..3).prop_map(End::Asks),
        1 => Just(End::Error),
        1 => Just(End::Cut),
    ];
    prop_oneof![
        5 => (tool(), args(), home).prop_map(|(tool, args, home)| Move::Call { tool, args, home }),
        2 => (n(), tool(), args()).prop_map(|(call, tool, args)| Move::Again { call, tool, args }),
        1 => (n(), args()).prop_map(|(call, args)| Move::More { call, args }),
        1 => (tool(), args()).prop_map(|(tool, args)| Move::Written { tool, args }),
        1 => n().prop_map(|call| Move::Result { call }),
        5 => vec(change(), 0..4).prop_map(Move::List),
        5 => end.prop_map(Move::End),
    ]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    use proptest::option::of;
    let all = (of(1_u32..3), of(1_i64..4), of(1_u32..3));
    all.prop_map(|(uses, ms, sum)| Bounds {
        uses,
        lasts_ms: ms.map(|ms| ms * 1_000),
        sum,
    })
}

fn alter() -> impl Strategy<Value = Alter> {
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
        2 => Just(Alter::RunsSucceeded),
        2 => (n(), select(STATES.as_slice())).prop_map(|(call, state)| Alter::State(call, state)),
        2 => (n(), select(WORDS.as_slice())).prop_map(|(call, word)| Alter::Lifecycle(call, word)),
        2 => n().prop_map(Alter::Approved),
        1 => n().prop_map(Alter::Told),
        1 => n().prop_map(Alter::Gated),
        1 => n().prop_map(Alter::Granted),
        3 => n().prop_map(Alter::Anew),
        1 => (n(), tool(), args()).prop_map(|(a, b, c)| Alter::Rewrite(a, b, c)),
    ]
}

fn others() -> impl Strategy<Value = Move> {
    let says = prop_oneof![
        4 => Just(Says::Yes),
        2 => Just(Says::No),
        1 => args().prop_map(Says::With),
        2 => (any::<bool>(), bounds())
            .prop_map(|(any_args, bounds)| Says::Always { any_args, bounds }),
    ];
    let reply = select([Reply::Yes, Reply::Yes, Reply::No, Reply::Nothing].as_slice());
    let page = prop_oneof![
        6 => n().prop_map(Page::Ends),
        2 => Just(Page::Reload),
        1 => tool().prop_map(Page::Register),
        1 => tool().prop_map(Page::Unregister),
        1 => n().prop_map(Page::Revoke),
        4 => Just(Page::World),
        6 => (n(), any::<u8>()).prop_map(|(which, luck)| Page::Previews { which, fails: luck < 25 }),
    ];
    prop_oneof![
        2 => Just(Move::Look),
        6 => (n(), says, any::<bool>())
            .prop_map(|(card, says, looks)| Move::Click { card, says, looks }),
        4 => (n(), reply, any::<bool>())
            .prop_map(|(question, reply, looks)| Move::Reply { question, reply, looks }),
        4 => (n(), vec(choice(), 1..4), (0..8_u8).prop_map(|luck| luck > 0), any::<bool>())
            .prop_map(|(question, choices, each, looks)| {
                Move::Decide { question, choices, each, looks }
            }),
        2 => (any::<bool>(), vec(alter(), 0..3))
            .prop_map(|(restores, changes)| Move::Copy { restores, changes }),
        1 => Just(Move::DenyAll),
        1 => Just(Move::ShowHeldBack),
        4 => Just(Move::Speak),
        1 => n().prop_map(Move::Rephrase),
        1 => n().prop_map(Move::Anew),
        1 => n().prop_map(Move::Turn),
        1 => Just(Move::Stop),
        1 => Just(Move::Retry),
        6 => page.prop_map(Move::Page),
    ]
}

/// Any history.
pub fn history() -> impl Strategy<Value = History> {
    vec(prop_oneof![agents(), others()], 1..50).prop_map(History)
}
