//! What every room may use and that knows nothing of any: how things are named to a person.

mod host;

pub(crate) use host::shown_host;
