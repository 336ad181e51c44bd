//! JSON beyond `serde_json`: partial documents, patches, canonical form.

pub mod canonical;
pub mod partial;
pub mod patch;
