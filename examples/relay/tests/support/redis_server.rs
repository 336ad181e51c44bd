//! A Redis server without storage, which ends with its test.

use std::{
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use super::Folder;

#[derive(Debug)]
pub(crate) struct RedisServer {
    child: Child,
    folder: Folder,
}

impl RedisServer {
    pub(crate) fn start() -> Self {
        let folder = Folder::new();
        let child = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no"])
            .arg("--unixsocket")
            .arg(folder.path().join("socket"))
            .arg("--dir")
            .arg(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is on the path");
        let server = Self { child, folder };
        for _ in 0..500 {
            if server.connect().is_ok() {
                return server;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not answer");
    }

    pub(crate) fn url(&self) -> String {
        format!(
            "redis+unix://{}",
            self.folder.path().join("socket").display()
        )
    }

    fn connect(&self) -> redis::RedisResult<redis::Connection> {
        redis::Client::open(self.url())?.get_connection()
    }

    /// Removes the leases of all relays.
    pub(crate) fn expire_leases(&self) {
        let mut connection = self.connect().unwrap();
        let leases: Vec<String> = redis::cmd("KEYS")
            .arg("relay:lease:*")
            .query(&mut connection)
            .unwrap();
        let removed: usize = redis::cmd("DEL")
            .arg(&leases)
            .query(&mut connection)
            .unwrap();
        assert_eq!(removed, leases.len());
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
