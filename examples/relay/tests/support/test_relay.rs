//! A relay at an address, and a page that reads from it.

use std::sync::Arc;

use relay::{Agent, Changes, Limits, Relay, Users, store::Store};
use reqwest::{Client, RequestBuilder, Response, header::CONTENT_TYPE};
use serde_json::Value;
use tokio::net::TcpListener;

use super::Place;

/// A relay, and a page with its credentials.
#[derive(Debug, Clone)]
pub(crate) struct TestRelay {
    url: String,
    client: Client,
    headers: Vec<(&'static str, &'static str)>,
}

impl TestRelay {
    pub(crate) async fn start(place: &Place, agent: &str) -> Self {
        Self::start_with(place, agent, Limits::default()).await
    }

    /// Starts a relay that tells users apart in another way.
    pub(crate) async fn start_for(users: Users, place: &Place, agent: &str) -> Self {
        Self::start_as(users, place, agent, Limits::default()).await
    }

    pub(crate) async fn start_with(place: &Place, agent: &str, limits: Limits) -> Self {
        Self::start_as(Users::Credentials, place, agent, limits).await
    }

    /// Starts two relays with one place and one agent.
    pub(crate) async fn start_pair(place: &Place, agent: &str, limits: Limits) -> [Self; 2] {
        [
            Self::start_with(place, agent, limits).await,
            Self::start_with(place, agent, limits).await,
        ]
    }

    async fn start_as(users: Users, place: &Place, agent: &str, limits: Limits) -> Self {
        let changes = Arc::default();
        let store = place.open_with(&limits, &changes);
        Self::start_on(store, changes, users, agent, limits).await
    }

    /// Starts a relay on an open store.
    pub(crate) async fn start_on(
        store: Arc<dyn Store>,
        changes: Arc<Changes>,
        users: Users,
        agent: &str,
        limits: Limits,
    ) -> Self {
        let agent = Agent::new(agent).unwrap();
        let relay = Relay::start(agent, users, store, changes, limits).await;
        let relay = relay.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move { relay::serve(listener, relay, None).await });
        Self {
            url,
            client: Client::new(),
            headers: vec![("authorization", "Bearer mine")],
        }
    }

    /// Returns a page that sends other headers instead of the credentials.
    pub(crate) fn with_headers(&self, headers: &[(&'static str, &'static str)]) -> Self {
        Self {
            headers: headers.to_vec(),
            ..self.clone()
        }
    }

    /// Starts a run.
    pub(crate) async fn post(&self, run: &str) -> Response {
        let body = serde_json::json!({"threadId": "thread", "runId": run});
        self.send(body.to_string()).await
    }

    /// Sends a body.
    pub(crate) async fn send(&self, body: String) -> Response {
        let request = self.identified(self.client.post(&self.url).body(body));
        let request = request.header(CONTENT_TYPE, "application/json");
        request.send().await.unwrap()
    }

    /// Reads a run after the event with an id.
    pub(crate) async fn get(&self, run: &str, last: Option<usize>) -> Response {
        let mut request = self.identified(self.client.get(self.run(run)));
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        request.send().await.unwrap()
    }

    pub(crate) async fn delete(&self, run: &str) -> u16 {
        let request = self.identified(self.client.delete(self.run(run)));
        request.send().await.unwrap().status().as_u16()
    }

    fn identified(&self, request: RequestBuilder) -> RequestBuilder {
        let headers = self.headers.iter();
        headers.fold(request, |request, (name, value)| {
            request.header(*name, *value)
        })
    }

    fn run(&self, run: &str) -> String {
        format!("{}runs/thread/{run}", self.url)
    }
}

/// Returns the types of the events in a response.
pub(crate) fn types_of(text: &str) -> Vec<String> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| {
        let event: Value = serde_json::from_str(data).unwrap();
        event["type"].as_str().unwrap().to_owned()
    })
    .collect()
}
