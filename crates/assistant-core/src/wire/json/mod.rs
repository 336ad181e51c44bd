//! JSON beyond `serde_json`: partial documents, patches, pointers, canonical form.

pub mod canonical;
pub mod partial;
pub mod patch;
pub mod pointer;
pub(crate) mod surrogates;
