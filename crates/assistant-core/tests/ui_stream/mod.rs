//! The AI SDK's UI message stream: the recorded cases of its reducer and of its predicates.

mod vectors;

#[cfg(feature = "completions")]
pub(crate) use vectors::fixture;
