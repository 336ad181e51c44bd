//! The integration tests of `assistant-core`, one binary for all of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod address;
#[cfg(feature = "callouts")]
mod callout;
mod conversation;
mod conversation_foreign;
mod conversation_json;
mod conversation_trees;
mod hidden;
mod interleavings;
mod json_patch;
mod limits;
mod loop_events;
#[cfg(feature = "markdown")]
mod markdown;
mod observers;
mod partial_json;
#[cfg(feature = "ui-stream")]
mod protocols;
#[cfg(feature = "records")]
mod records;
mod registry;
mod replay;
mod schema;
mod session_agent;
mod session_answer_format;
mod session_approval;
mod session_asking_calls;
mod session_attack;
mod session_attention;
mod session_audit;
mod session_authors;
mod session_blocked;
mod session_bounded;
mod session_branches;
mod session_claims;
mod session_clock;
mod session_consent;
mod session_decider;
mod session_dialects;
mod session_direct;
mod session_editions;
mod session_failure;
mod session_fork;
mod session_identity;
mod session_import;
mod session_interject;
mod session_interrupts;
mod session_limits;
mod session_metadata;
mod session_mixed;
mod session_offer;
mod session_older_dialect;
mod session_opening;
mod session_preview;
mod session_recorded;
mod session_remembered;
mod session_remembered_steps;
mod session_restore;
mod session_results;
mod session_run;
mod session_scenes;
mod session_stop;
mod session_storage;
mod session_stored;
mod session_takeover;
mod session_tools;
mod session_unavailable;
mod session_verdicts;
mod snapshots;
mod support;
mod tree;
