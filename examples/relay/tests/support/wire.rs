//! A proxy in front of a server, whose connections can be interrupted without being closed.

use std::{
    io::{Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A socket that passes the bytes of each connection on to the socket of a server.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) path: PathBuf,
    /// The number of interruptions: connections from before the last one are dead.
    interruptions: Arc<AtomicUsize>,
}

impl Wire {
    /// Listens at `path`, in front of the server at `to`.
    pub(crate) fn new(path: PathBuf, to: &Path) -> Self {
        let listener = UnixListener::bind(&path).unwrap();
        let interruptions = Arc::new(AtomicUsize::new(0));
        let (count, to) = (Arc::clone(&interruptions), to.to_owned());
        thread::spawn(move || {
            for relay in listener.incoming() {
                let Ok(server) = UnixStream::connect(&to) else {
                    continue;
                };
                let relay = relay.unwrap();
                let ends = [(&relay, &server), (&server, &relay)];
                for (from, into) in ends {
                    let (from, into) = (from.try_clone().unwrap(), into.try_clone().unwrap());
                    let count = Arc::clone(&count);
                    thread::spawn(move || forward(from, into, &count));
                }
            }
        });
        Self {
            path,
            interruptions,
        }
    }

    /// Lets all open connections lose what is sent over them from now on, without closing them.
    pub(crate) fn interrupt(&self) {
        self.interruptions.fetch_add(1, Ordering::SeqCst);
    }
}

fn forward(mut from: UnixStream, mut into: UnixStream, interruptions: &AtomicUsize) {
    let opened = interruptions.load(Ordering::SeqCst);
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let is_dead = interruptions.load(Ordering::SeqCst) > opened;
        if !is_dead && into.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = into.shutdown(std::net::Shutdown::Both);
}
