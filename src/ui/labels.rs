//! Defines all texts of the components, which can be replaced for another language.

#[cfg(feature = "arabic")]
mod arabic;
mod catalog;
#[cfg(feature = "chinese")]
mod chinese;
mod english;
#[cfg(feature = "french")]
mod french;
#[cfg(feature = "german")]
mod german;
#[cfg(feature = "japanese")]
mod japanese;
#[cfg(feature = "portuguese")]
mod portuguese;
mod reasons;
#[cfg(feature = "spanish")]
mod spanish;

use std::borrow::Cow;

use assistant_core::session::Refusal;

pub use catalog::IncompleteLabels;

pub(crate) type Word = Cow<'static, str>;

/// Replacements for sentences about invalid values and failed calls, each with its key.
type Reasons = Cow<'static, [(&'static str, Word)]>;

/// Returns the name of a field without a trailing `_`, which distinguishes the field from a
/// keyword.
const fn public_name(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [.., b'_'] => field.split_at(field.len() - 1).0,
        _ => field,
    }
}

/// Declares the labels: the name of each label in [`LabelName`], and the field of [`Translation`]
/// that contains its text.
macro_rules! labels {
    ($($(#[$doc:meta])* $label:ident $field:ident,)*) => {
        /// The names of the texts of the components.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "each is named after its English word or place")]
        pub enum LabelName { $($(#[$doc])* $label,)* }

        impl LabelName {
            /// All labels, in the order in which a host passes their texts.
            pub const ALL: &'static [Self] = &[$(Self::$label),*];

            /// Returns the name in catalogs of translations: words in lower case, joined by `_`.
            ///
            /// ```
            /// use leptos_assistant::LabelName;
            ///
            /// assert_eq!(LabelName::NewMessages.name(), "new_messages");
            /// assert_eq!(LabelName::Continue.name(), "continue");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$label => public_name(stringify!($field))),* }
            }
        }

        /// The texts of one language, with a field for each label.
        struct Translation { $($field: &'static str,)* }

        impl Translation {
            /// Returns the texts in the order of [`LabelName::ALL`].
            const fn into_list(self) -> [&'static str; LabelName::ALL.len()] {
                [$(self.$field),*]
            }
        }
    };
}

/// The texts of the components. Placeholders are in braces, such as `{count}` for a number.
/// A text with several plural forms lists the forms in the syntax of ICU messages:
/// `{count, plural, one {# step} other {# steps}}`. The browser's `Intl.PluralRules`
/// selects the form in the language of [`in_language`](Self::in_language).
///
/// The default is English. [`with`](Self::with) replaces texts, and
/// [`provide_labels`](crate::provide_labels) passes them to the components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The texts in the order of [`LabelName::ALL`].
    texts: Vec<Word>,
    reasons: Reasons,
    /// The tag of the language of the texts, times and numbers; empty for that of the page.
    pub(crate) language: Word,
}

impl Labels {
    fn from_translation(
        language: &'static str,
        texts: &[&'static str; LabelName::ALL.len()],
        reasons: Reasons,
    ) -> Self {
        Self {
            texts: texts.iter().copied().map(Cow::Borrowed).collect(),
            reasons,
            language: language.into(),
        }
    }

    /// Returns the text of a label.
    pub(crate) fn text(&self, label: LabelName) -> &Word {
        const EMPTY: &Word = &Cow::Borrowed("");
        self.texts.get(label as usize).unwrap_or(EMPTY)
    }
}

labels! {
    Title title,
    /// The greeting that the custom element shows before the first message.
    Greeting greeting,
    NewConversation new_conversation,
    /// The announcement that a new conversation has begun.
    ConversationBegun conversation_begun,
    /// The announcement that the previous conversation is shown again.
    ConversationBack conversation_back,
    Conversation conversation,
    Ready ready,
    Working working,
    Waiting waiting,
    Failed failed,
    Offline offline,
    Message message,
    Placeholder placeholder,
    Hint hint,
    BusyHint busy_hint,
    QueueHint queue_hint,
    ApprovalsHint approvals_hint,
    QuestionsHint questions_hint,
    Send send,
    Stop stop,
    You you,
    Assistant assistant,
    Jump jump,
    NewMessages new_messages,
    ShowAll show_all,
    Today today,
    Yesterday yesterday,
    MessageActions message_actions,
    GoodAnswer good_answer,
    BadAnswer bad_answer,
    ToolCalls tool_calls,
    Tokens tokens,
    InputTokens input_tokens,
    OutputTokens output_tokens,
    Seconds seconds,
    Minutes minutes,
    Hours hours,
    Took took,
    /// The duration of an answer: `{time}` excludes the time spent waiting for the user, and
    /// `{waited}` is that waiting time.
    TookWaiting took_waiting,
    Thinking thinking,
    Reasoning reasoning,
    Approve approve,
    Deny deny,
    /// The button of the composer that denies the open request with the text as the reason.
    DenyWithText deny_with_text,
    ApproveAll approve_all,
    DenyAll deny_all,
    /// The button that denies all open questions and stops the assistant.
    DenyAllAndStop deny_all_and_stop,
    /// The line about one or more questions that were held back.
    HeldBack held_back,
    ShowHeldBack show_held_back,
    /// The mark on a call that was denied because the user denied an equal call before.
    DeniedBefore denied_before,
    SeveralQuestions several_questions,
    Back back,
    TitleQuestion title_question,
    BeCareful be_careful,
    Reason reason,
    Confirm confirm,
    Cancel cancel,
    Retry retry,
    /// The announcement after the user pressed Retry.
    Retrying retrying,
    Loading loading,
    NotLoaded not_loaded,
    Continue continue_,
    Dismiss dismiss,
    AgentFailed agent_failed,
    Unreadable unreadable,
    Details details,
    NotAllowed not_allowed,
    NotThere not_there,
    TooBusy too_busy,
    TooBusyFor too_busy_for,
    ServerFailed server_failed,
    Arguments arguments,
    Result result,
    Error error,
    Preparing preparing,
    Queued queued,
    Approved approved,
    Running running,
    Done done,
    CallFailed call_failed,
    Denied denied,
    Cancelled cancelled,
    Skipped skipped,
    RenderFailed render_failed,
    ActionRemoved action_removed,
    Stuck stuck,
    ExpandAll expand_all,
    Submit submit,
    Edit edit,
    Json json,
    Answer answer,
    Yes yes,
    No no,
    Required required,
    /// The request for a missing value: `{field}` is the label of the field, and `{name}` is the
    /// label in the form that is used inside of an English sentence.
    EnterField enter_field,
    NoNumber no_number,
    NoJson no_json,
    CollapseAll collapse_all,
    Suggestions suggestions,
    MoreSuggestions more_suggestions,
    UnknownPart unknown_part,
    File file,
    ApprovalAsked approval_asked,
    QuestionAsked question_asked,
    AnswerBy answer_by,
    Stopped stopped,
    StoppedText stopped_text,
    Reload reload,
    TooLate too_late,
    Place place,
    Answered answered,
    AnswerFinished answer_finished,
    ToolFailed tool_failed,
    StillWorking still_working,
    SpeechContinues speech_continues,
    SpeechCode speech_code,
    ThoughtFor thought_for,
    ThoughtBriefly thought_briefly,
    Sources sources,
    StepUnfinished step_unfinished,
    NoticeUnreachable notice_unreachable,
    NoticeOffline notice_offline,
    NoticeNotSent notice_not_sent,
    NoticeBrokenOff notice_broken_off,
    NoticeSilent notice_silent,
    NoticeCancelled notice_cancelled,
    NoticeStopped notice_stopped,
    NoticeRunLimit notice_run_limit,
    NoticeNoAnswer notice_no_answer,
    AlreadyDecided already_decided,
    NoEdits no_edits,
    NotRemembered not_remembered,
    Unclean unclean,
    /// The button beside Approve that opens the choice of how long an approval applies.
    AllowLonger allow_longer,
    AllowFor allow_for,
    AllowOnce allow_once,
    AllowConversation allow_conversation,
    AllowSession allow_session,
    AllowAlways allow_always,
    AllowOther allow_other,
    AllowOtherFields allow_other_fields,
    AllowedEarlier allowed_earlier,
    AllowedTitle allowed_title,
    AllowedNone allowed_none,
    AllowedAny allowed_any,
    AllowedFields allowed_fields,
    AllowedExactly allowed_exactly,
    Revoke revoke,
    Close close,
    /// The label of the field for the number of later calls that an approval covers.
    BoundUses bound_uses,
    /// The label of the field for the time during which an approval covers later calls.
    BoundLasts bound_lasts,
    /// The label of the field for the highest value of `{field}` that an approval covers.
    BoundMaximum bound_maximum,
    /// The number of later calls that an approval in the list still covers.
    UsesLeft uses_left,
    HoldsUntil holds_until,
    UpTo up_to,
    UsedUp used_up,
    Expired expired,
    Preview preview,
    PreviewAwaited preview_awaited,
    PreviewFailed preview_failed,
    PreviewChecked preview_checked,
    CutStopped cut_stopped,
    CutCancelled cut_cancelled,
    CutFailed cut_failed,
    CutBrokenOff cut_broken_off,
    /// The mark on a message of the user if the answer to the message failed before the answer
    /// began.
    CutUnanswered cut_unanswered,
    Image image,
    Audio audio,
    Video video,
    OpenFile open_file,
    SaveFile save_file,
    Attach attach,
    Attached attached,
    Remove remove,
    DropHere drop_here,
    Reading reading,
    TooManyFiles too_many_files,
    FileTooLarge file_too_large,
    FilesTooLarge files_too_large,
    FileTypeRefused file_type_refused,
    FileUnreadable file_unreadable,
    FilesNotReady files_not_ready,
    FilesFailed files_failed,
    Copy copy,
    Copied copied,
    CopyFailed copy_failed,
    Table table,
    Footnote footnote,
    ImageNotShown image_not_shown,
    TaskDone task_done,
    TaskOpen task_open,
    AlertNote alert_note,
    AlertTip alert_tip,
    AlertImportant alert_important,
    AlertWarning alert_warning,
    AlertCaution alert_caution,
    AgentQuestion agent_question,
    GiveUp give_up,
    /// The heading of the `{count}` actions that an agent asks about.
    DecideEach decide_each,
    NoArguments no_arguments,
    /// The decision not to run the action, and to use the user's text as the result of the action.
    RespondInstead respond_instead,
    SendDecisions send_decisions,
    DecisionsMissing decisions_missing,
    DecisionNotTaken decision_not_taken,
    AnswerAgain answer_again,
    AnswerRejected answer_rejected,
    InDetail in_detail,
    AutoDenyHint auto_deny_hint,
    MessageQueued message_queued,
    SendResults send_results,
    NoticeLoopEnded notice_loop_ended,
    NoticeCancelledRequest notice_cancelled_request,
    NoticeCallIdReused notice_call_id_reused,
    NoticeQuestionsHeldBack notice_questions_held_back,
    /// The notice that the agent has lost messages of the user, which are kept on another branch.
    NoticeForgotten notice_forgotten,
    SendAgain send_again,
    NoticeTooLarge notice_too_large,
    /// The text in a notice that names the exceeded limit: a response larger than `{limit}`.
    LimitResponse limit_response,
    /// The text in a notice that names the exceeded limit: a single event larger than `{limit}`.
    LimitEvent limit_event,
    /// The text in a notice that names the exceeded limit: more than `{limit}` texts at once.
    LimitStreams limit_streams,
    /// The text in a notice that names the exceeded limit: a message longer than `{limit}`.
    LimitMessage limit_message,
    /// The text in a notice that names the exceeded limit: a result of a step longer than
    /// `{limit}`.
    LimitResult limit_result,
    /// The text in a notice that names the exceeded limit: arguments larger than `{limit}`.
    LimitArguments limit_arguments,
    /// The text in a notice that names the exceeded limit: an id or a name longer than `{limit}`.
    LimitName limit_name,
    /// The text in a notice that names the exceeded limit: more than `{limit}` messages.
    LimitMessages limit_messages,
    /// The text in a notice that names the exceeded limit: more than `{limit}` steps.
    LimitCalls limit_calls,
    /// The text in a notice that names the exceeded limit: more than `{limit}` questions.
    LimitInterrupts limit_interrupts,
    /// The button that shows the last `{count}` hidden items of a long list.
    ShowMore show_more,
    /// The button that shows `{count}` of `{total}` hidden items of a long list.
    ShowMoreOf show_more_of,
    /// The amount `{amount}` that was dropped because of a limit.
    LimitLeftOut limit_left_out,
    NoticeResultsReady notice_results_ready,
    PageWillRun page_will_run,
    AgentWillRun agent_will_run,
    AgentCallQuestion agent_call_question,
    AgentText agent_text,
    AllOfIt all_of_it,
    Changed changed,
    /// The note on a request whose arguments the user has changed.
    ChangedByYou changed_by_you,
    /// The button that shows the preview of changed arguments.
    Review review,
    ReadToEnd read_to_end,
    /// The request to continue reading, in a form in which no button is named Approve.
    ReadToAnswer read_to_answer,
    Covered covered,
    ShowOnTop show_on_top,
    RequestOnTop request_on_top,
    BackToChat back_to_chat,
    PressYourself press_yourself,
    ExactArguments exact_arguments,
    /// The title of the section with the details of a request.
    More more,
    NotMentioned not_mentioned,
    AskedFor asked_for,
    Reported reported,
    Disputed disputed,
    Attributed attributed,
    AgentsVersion agents_version,
    Unread unread,
    PageQuestion page_question,
    AskedInWindow asked_in_window,
    AskedInAnotherWindow asked_in_another_window,
    AskHere ask_here,
    Versions versions,
    Version version,
    VersionPlace version_place,
    PreviousVersion previous_version,
    NextVersion next_version,
    EditMessage edit_message,
    YourMessage your_message,
    Regenerate regenerate,
    Interject interject,
    Interjected interjected,
    Elsewhere elsewhere,
    ElsewhereWaiting elsewhere_waiting,
    ElsewhereHint elsewhere_hint,
    ShowElsewhere show_elsewhere,
    Branches branches,
    OnShownBranch on_shown_branch,
    ShowBranch show_branch,
    Delete delete,
    DeleteTitle delete_title,
    DeleteOne delete_one,
    DeleteText delete_text,
    DeletedMessages deleted_messages,
    NoBranches no_branches,
    DrawTree draw_tree,
    FitTree fit_tree,
    ZoomIn zoom_in,
    ZoomOut zoom_out,
    OpenElsewhere open_elsewhere,
    UseHere use_here,
    NoticeNotStored notice_not_stored,
    NoticeNotOpened notice_not_opened,
    UnknownOutcome unknown_outcome,
    RunAgain run_again,
    Skip skip,
    PastConversations past_conversations,
    NoConversations no_conversations,
    SearchConversations search_conversations,
    NoMatch no_match,
    Untitled untitled,
    Rename rename,
    Deleted deleted,
    Undo undo,
    Save save,
    TitleOf title_of,
}

impl Labels {
    /// Returns the label that tells the user why a request was refused.
    pub(crate) fn refusal(refusal: &Refusal) -> LabelName {
        match refusal {
            Refusal::Busy => LabelName::BusyHint,
            Refusal::ApprovalsPending => LabelName::ApprovalsHint,
            Refusal::InterruptsPending => LabelName::QuestionsHint,
            Refusal::AlreadyResolved => LabelName::AlreadyDecided,
            Refusal::Expired => LabelName::TooLate,
            Refusal::NoEdits => LabelName::NoEdits,
            Refusal::NotRemembered => LabelName::NotRemembered,
            Refusal::Unclean => LabelName::Unclean,
            Refusal::Changed => LabelName::Changed,
            Refusal::TooEarly => LabelName::ReadToEnd,
            Refusal::Scripted | Refusal::OnlyUser => LabelName::PressYourself,
            Refusal::EachAction { .. } => LabelName::DecisionsMissing,
            Refusal::DecisionNotAllowed { .. } => LabelName::DecisionNotTaken,
            Refusal::Elsewhere => LabelName::OpenElsewhere,
            // Other refusals have a general label, because the code of the application causes them.
            _ => LabelName::Failed,
        }
    }
}
