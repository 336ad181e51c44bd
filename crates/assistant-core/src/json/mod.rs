//! Parses JSON incrementally, patches, merges and compares JSON values, and converts messages to
//! JSON.

pub mod canonical;
pub mod fields;
pub mod form;
pub mod merge;
pub mod partial;
pub mod patch;
pub mod pointer;
pub mod surrogates;
