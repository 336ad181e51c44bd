//! The relay as a program: parses the command line and serves the endpoints.

use std::{env, error::Error, path::Path, sync::Arc};

use axum::http::HeaderValue;
use relay::{
    Agent, Changes, Limits, Relay, Users,
    store::{RedisStore, SqliteStore, Store},
};
use tokio::net::TcpListener;

const USAGE: &str = "relay --agent=URL [--store=runs.db | --store=redis://HOST] [--port=8090] \
    [--user-header=NAME | --anonymous] [--origin=https://the-page.example]";

/// The options of the command line.
struct Options {
    agent: String,
    users: Users,
    store: String,
    port: u16,
    origin: Option<HeaderValue>,
}

impl Options {
    fn parse(
        arguments: impl Iterator<Item = String>,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut agent = None;
        let mut options = Self {
            agent: String::new(),
            users: Users::Credentials,
            store: "runs.db".to_owned(),
            port: 8090,
            origin: None,
        };
        for argument in arguments {
            match argument.split_once('=') {
                Some(("--agent", url)) => agent = Some(url.to_owned()),
                Some(("--user-header", name)) => options.users = Users::Header(name.parse()?),
                None if argument == "--anonymous" => options.users = Users::Anonymous,
                Some(("--store", place)) => place.clone_into(&mut options.store),
                Some(("--port", port)) => options.port = port.parse()?,
                Some(("--origin", origin)) => options.origin = Some(origin.parse()?),
                _ => return Err(USAGE.into()),
            }
        }
        options.agent = agent.ok_or(USAGE)?;
        Ok(options)
    }
}

#[tokio::main]
#[allow(clippy::print_stdout, reason = "the addresses")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::parse(env::args().skip(1))?;
    let agent = Agent::new(&options.agent)?;
    let limits = Limits::default();
    let changes = Arc::new(Changes::default());
    let is_redis = options.store.starts_with("redis");
    let store: Arc<dyn Store> = match is_redis && options.store.contains("://") {
        true => Arc::new(RedisStore::open(&options.store, &limits, &changes)?),
        false => Arc::new(SqliteStore::open(Path::new(&options.store))?),
    };
    let relay = Relay::start(agent, options.users, store, changes, limits).await?;
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
    let url = format!("http://{}/", listener.local_addr()?);
    println!("POST {url}, GET and DELETE {url}runs/{{thread}}/{{run}}");
    relay::serve(listener, relay, options.origin).await?;
    Ok(())
}
