//! The AI SDK's UI message stream: the recorded cases of its reducer and of its predicates.

mod vectors;
