//! JSON: parsing while it arrives, changing, comparing, and the JSON form of messages.

pub mod canonical;
pub mod fields;
pub mod form;
pub mod partial;
pub mod patch;
pub mod pointer;
pub mod surrogates;
