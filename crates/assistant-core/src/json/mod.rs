//! Parses JSON incrementally, patches and compares JSON values, and converts messages to JSON.

pub mod canonical;
pub mod fields;
pub mod form;
pub mod partial;
pub mod patch;
pub mod pointer;
pub mod surrogates;
