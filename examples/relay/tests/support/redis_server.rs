//! A Redis server, which ends with its test.

use std::{
    process::{Child, Command, Stdio},
    sync::Mutex,
    thread,
    time::Duration,
};

use super::{Folder, wire::Wire};

#[derive(Debug)]
pub(crate) struct RedisServer {
    child: Mutex<Child>,
    folder: Folder,
    /// The connection of relays to the server, if it can be interrupted.
    wire: Option<Wire>,
}

impl RedisServer {
    pub(crate) fn start() -> Self {
        let folder = Folder::new();
        let child = Mutex::new(spawn(&folder, &[]));
        let server = Self {
            child,
            folder,
            wire: None,
        };
        server.wait();
        server
    }

    /// Starts a server whose connections can be interrupted.
    pub(crate) fn with_wire() -> Self {
        let mut server = Self::start();
        let path = |name| server.folder.path().join(name);
        server.wire = Some(Wire::new(path("wire"), &path("socket")));
        server
    }

    /// Lets the open connections of relays lose what is sent over them, without closing them.
    pub(crate) fn interrupt(&self) {
        self.wire.as_ref().expect("it has a wire").interrupt();
    }

    /// Starts a server that is a cluster of one node.
    pub(crate) fn cluster() -> Self {
        let folder = Folder::new();
        let child = Mutex::new(spawn(&folder, &["--cluster-enabled", "yes"]));
        let server = Self {
            child,
            folder,
            wire: None,
        };
        server.wait();
        let cluster = |arguments: &[&str]| -> String {
            let mut connection = server.connect().unwrap();
            let mut command = redis::cmd("CLUSTER");
            command.arg(arguments).query(&mut connection).unwrap()
        };
        cluster(&["ADDSLOTSRANGE", "0", "16383"]);
        while !cluster(&["INFO"]).contains("cluster_state:ok") {
            thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// Ends the server, which writes its data to a file.
    pub(crate) fn stop(&self) {
        let stopped: redis::RedisResult<()> = redis::cmd("SHUTDOWN")
            .arg("SAVE")
            .query(&mut self.connect().unwrap());
        drop(stopped);
        self.child.lock().unwrap().wait().unwrap();
    }

    /// Stops the process of the server, so that it accepts connections and answers none.
    pub(crate) fn freeze(&self) {
        let id = self.child.lock().unwrap().id().to_string();
        let stopped = Command::new("kill").args(["-STOP", &id]).status();
        assert!(stopped.unwrap().success(), "the server is running");
    }

    /// Starts the server again, with the data of the file.
    pub(crate) fn restart(&self) {
        *self.child.lock().unwrap() = spawn(&self.folder, &[]);
        self.wait();
    }

    /// Waits until the server answers.
    fn wait(&self) {
        for _ in 0..500 {
            if self.connect().is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not answer");
    }

    /// Returns the address for relays.
    pub(crate) fn url(&self) -> String {
        match &self.wire {
            Some(wire) => format!("redis+unix://{}", wire.path.display()),
            None => self.own_url(),
        }
    }

    fn own_url(&self) -> String {
        let socket = self.folder.path().join("socket");
        format!("redis+unix://{}", socket.display())
    }

    fn connect(&self) -> redis::RedisResult<redis::Connection> {
        redis::Client::open(self.own_url())?.get_connection()
    }

    /// Closes the connections that receive published messages, which are opened again after a time.
    pub(crate) fn disconnect_subscribers(&self) {
        let mut connection = self.connect().unwrap();
        let mut kill = redis::cmd("CLIENT");
        let closed: usize = kill
            .arg(&["KILL", "TYPE", "pubsub"])
            .query(&mut connection)
            .unwrap();
        assert!(closed > 0, "no relay has subscribed");
    }

    /// Removes the leases of all relays.
    pub(crate) fn expire_leases(&self) {
        let mut connection = self.connect().unwrap();
        let leases: Vec<String> = redis::cmd("KEYS")
            .arg("{relay}:lease:*")
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
        let child = self.child.get_mut().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn spawn(folder: &Folder, options: &[&str]) -> Child {
    Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--appendonly", "no"])
        .args(options)
        .arg("--unixsocket")
        .arg(folder.path().join("socket"))
        .arg("--dir")
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server is on the path")
}
