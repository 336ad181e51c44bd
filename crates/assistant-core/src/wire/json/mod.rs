//! JSON beyond `serde_json`: partial documents, patches and their pointers, canonical form.

pub mod canonical;
pub(crate) mod halves;
pub mod partial;
pub mod patch;
pub mod pointer;
