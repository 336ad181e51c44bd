//! The file of [`relay::store::SqliteStore`].

use std::{fs, path::Path, time::Duration};

use relay::store::{SqliteStore, Store};

use crate::support::{Folder, key};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_belongs_to_one_relay() {
    let folder = Folder::new();
    let file = folder.path().join("runs.db");
    let first = SqliteStore::open(&file).unwrap();
    let second = SqliteStore::open(&file).unwrap_err();
    assert!(second.to_string().contains("locked"), "{second}");
    drop(first);
    SqliteStore::open(&file).unwrap();
}

#[test]
fn a_damaged_file_is_set_aside() {
    let folder = Folder::new();
    let file = folder.path().join("runs.db");
    fs::write(&file, "no database, but a text of some length").unwrap();
    let store = SqliteStore::open(&file).unwrap();
    assert!(store.create(&key("r"), "me").unwrap());
    let names = names(folder.path());
    let aside = names
        .iter()
        .find(|name| name.starts_with("runs.db.broken-"));
    let kept = fs::read_to_string(folder.path().join(aside.unwrap())).unwrap();
    assert_eq!(kept, "no database, but a text of some length");
}

#[test]
fn ended_runs_are_removed_after_a_time_and_open_ones_are_kept() {
    let folder = Folder::new();
    let store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    for run in ["open", "ended"] {
        store.create(&key(run), "me").unwrap();
        store.append(&key(run), 0, "1", false).unwrap();
    }
    store.close(&key("ended"), "2").unwrap();
    store.expire(Duration::from_secs(60)).unwrap();
    assert!(store.run(&key("ended")).unwrap().is_some());
    store.expire(Duration::ZERO).unwrap();
    assert_eq!(store.run(&key("ended")).unwrap(), None);
    assert_eq!(store.run(&key("open")).unwrap().unwrap().events, 1);
}
