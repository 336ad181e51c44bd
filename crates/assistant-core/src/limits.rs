//! Defines the limits on the input from agents.
//!
//! Everything that an agent sends is untrusted, so memory and work are bounded (rule "limits on
//! agents"). When a limit is exceeded, the content that arrived before is kept, and the rest is
//! dropped with one diagnostic and one notice. The description of each limit states whether
//! exceeding it also ends the run.

/// Defines [`Limits`] with its defaults, getters and setters.
macro_rules! limits {
    ($($(#[doc = $doc:expr])+ $name:ident, $with_name:ident: $default:expr,)+) => {
        /// The limits on the input from agents. Sizes are in bytes of UTF-8 text, or of approximate
        /// memory for JSON values.
        ///
        /// The defaults are several times higher than the values from real agents. A session gets
        /// its limits from [`SessionOptions::limits`](crate::session::SessionOptions::limits).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Limits {
            $(pub(crate) $name: usize,)+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Limits {
            $(
                $(#[doc = $doc])+
                #[must_use]
                pub const fn $name(&self) -> usize {
                    self.$name
                }

                #[doc = concat!("Sets [`Self::", stringify!($name), "`].")]
                #[must_use]
                pub const fn $with_name(mut self, most: usize) -> Self {
                    self.$name = most;
                    self
                }
            )+
        }
    };
}

limits! {
    /// Returns the maximum size of the response to one request, as received, including comments in
    /// the event stream; 32 MiB by default. A larger response ends the run.
    run_bytes, with_run_bytes: 32 << 20,
    /// Returns the maximum size of one event of a stream, and of a response that is not a stream;
    /// 10 MiB by default. A larger event or response ends the run.
    event_bytes, with_event_bytes: 10 << 20,
    /// Returns the maximum size of the text or the reasoning of one message, of one result of a
    /// call, and of one encrypted value; 2 MiB by default. The rest of a larger text, reasoning or
    /// result is dropped; a larger encrypted value is dropped as a whole.
    message_bytes, with_message_bytes: 2 << 20,
    /// Returns the maximum size of the arguments of one call; 4 MiB by default. A call with larger
    /// arguments does not run and is answered as invalid.
    argument_bytes, with_argument_bytes: 4 << 20,
    /// Returns the maximum length of an id; 16 KiB by default, since some servers put a model's
    /// signature into the ids of calls. A longer id ends the run.
    id_bytes, with_id_bytes: 16 << 10,
    /// Returns the maximum length of the name of a tool, step, subagent, author or kind of
    /// activity; 16 KiB by default. A longer name ends the run.
    name_bytes, with_name_bytes: 16 << 10,
    /// Returns the maximum size of the shared state; 4 MiB by default. A change that exceeds the
    /// maximum is dropped.
    state_bytes, with_state_bytes: 4 << 20,
    /// Returns the maximum size of one activity; 1 MiB by default. A change that exceeds the
    /// maximum is dropped.
    activity_bytes, with_activity_bytes: 1 << 20,
    /// Returns the maximum size of the values that one JSON Patch may copy within the document; 1
    /// MiB by default. A patch that exceeds the maximum is dropped.
    patch_copied_bytes, with_patch_copied_bytes: 1 << 20,
    /// Returns the maximum number of values that one JSON Patch may shift within containers or move
    /// deeper; 4,194,304 by default. A patch that exceeds the maximum is dropped.
    patch_shifted_values, with_patch_shifted_values: 4 << 20,
    /// Returns the maximum number of new messages in one run, and of messages in a snapshot; 10,000
    /// by default. Further messages end the run.
    messages, with_messages: 10_000,
    /// Returns the maximum number of new calls in one run; 1,000 by default. Further calls end the
    /// run, and the calls of the run do not start.
    calls, with_calls: 1_000,
    /// Returns the maximum number of interrupts that one run opens; 200 by default. Further
    /// interrupts are answered as cancelled.
    interrupts, with_interrupts: 200,
    /// Returns the maximum number of choices in a form; 200 by default. With more choices, the form
    /// has a text field instead.
    choices, with_choices: 200,
    /// Returns the maximum number of notices that are shown at once; 20 by default. The oldest
    /// notices are removed first.
    notices, with_notices: 20,
    /// Returns the maximum number of diagnostics of one run; 1,000 by default. Further diagnostics
    /// are only counted.
    diagnostics, with_diagnostics: 1_000,
    /// Returns the maximum size of the side events that are kept: raw, custom, step, subagent and
    /// reasoning boundary events ([`Session::side_events`](crate::session::Session::side_events));
    /// 1 MiB by default. The oldest events are removed first.
    side_event_bytes, with_side_event_bytes: 1 << 20,
}

/// The maximum number of open streams that are built from chunk events. The number is limited
/// because open streams are searched linearly.
pub const MAX_STREAMS: usize = 1024;

/// An exceeded limit, as reported in notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exceeded {
    pub(crate) limit: LimitKind,
    pub(crate) most: usize,
    pub(crate) dropped: usize,
}

impl Exceeded {
    /// Returns the kind of the exceeded limit.
    #[must_use]
    pub const fn limit(&self) -> LimitKind {
        self.limit
    }

    /// Returns the value of the limit.
    #[must_use]
    pub const fn most(&self) -> usize {
        self.most
    }

    /// Returns the amount that was dropped so far, in the unit of the limit; 0 if unknown, because
    /// the rest of the response was not read.
    #[must_use]
    pub const fn dropped(&self) -> usize {
        self.dropped
    }
}

/// The kind of a limit that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LimitKind {
    /// The limit [`Limits::run_bytes`].
    Response,
    /// The limit [`Limits::event_bytes`].
    Event,
    /// The limit of 1,024 open streams that are built from chunks.
    Streams,
    /// The limit [`Limits::message_bytes`] on a message or an encrypted value.
    Message,
    /// The limit [`Limits::message_bytes`] on the result of a call.
    Result,
    /// The limit [`Limits::argument_bytes`].
    Arguments,
    /// The limit [`Limits::id_bytes`].
    Id,
    /// The limit [`Limits::name_bytes`].
    Name,
    /// The limit [`Limits::state_bytes`].
    State,
    /// The limit [`Limits::activity_bytes`].
    Activity,
    /// The limit [`Limits::messages`].
    Messages,
    /// The limit [`Limits::calls`].
    Calls,
    /// The limit [`Limits::interrupts`].
    Interrupts,
}

impl LimitKind {
    /// Returns true if the limit counts bytes.
    #[must_use]
    pub const fn counts_bytes(self) -> bool {
        !matches!(
            self,
            Self::Streams | Self::Messages | Self::Calls | Self::Interrupts
        )
    }

    /// Returns true if exceeding the limit ends the run.
    #[must_use]
    pub const fn ends_run(self) -> bool {
        matches!(
            self,
            Self::Response
                | Self::Event
                | Self::Streams
                | Self::Id
                | Self::Name
                | Self::Messages
                | Self::Calls
        )
    }

    /// Returns the English name of the limited value, for messages.
    pub(crate) const fn subject(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Event => "event",
            Self::Streams => "open streams",
            Self::Message => "message",
            Self::Result => "result of a call",
            Self::Arguments => "arguments of a call",
            Self::Id => "id",
            Self::Name => "name",
            Self::State => "shared state",
            Self::Activity => "activity",
            Self::Messages => "messages",
            Self::Calls => "calls",
            Self::Interrupts => "interrupts",
        }
    }
}
