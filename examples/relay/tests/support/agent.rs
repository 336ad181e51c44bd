//! An agent that sends the frames of a test.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
    routing::post,
    serve::ListenerExt,
};
use futures_util::stream;
use tokio::{net::TcpListener, sync::mpsc};

/// An agent whose one response consists of the frames that a test sends.
#[derive(Debug)]
pub(crate) struct TestAgent {
    pub(crate) url: String,
    frames: Option<mpsc::UnboundedSender<Bytes>>,
    requests: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

impl TestAgent {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (frames, receiver) = mpsc::unbounded_channel();
        let receiver = Arc::new(Mutex::new(Some(receiver)));
        let requests = Arc::new(AtomicUsize::new(0));
        let refused = Arc::new(AtomicUsize::new(0));
        let (counted, to_refuse) = (Arc::clone(&requests), Arc::clone(&refused));
        let answer = move || async move {
            counted.fetch_add(1, Ordering::Relaxed);
            let count = to_refuse.load(Ordering::Relaxed);
            if count > 0 {
                to_refuse.store(count - 1, Ordering::Relaxed);
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
            let Some(receiver) = receiver.lock().unwrap().take() else {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            };
            let body = stream::unfold(receiver, |mut receiver| async move {
                let next: Bytes = receiver.recv().await?;
                Some((Ok::<_, Infallible>(next), receiver))
            });
            (
                [(CONTENT_TYPE, "text/event-stream")],
                Body::from_stream(body),
            )
                .into_response()
        };
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        let app = Router::new().route("/", post(answer));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self {
            url,
            frames: Some(frames),
            requests,
            refused,
        }
    }

    /// Refuses a number of requests.
    pub(crate) fn refuse(&self, count: usize) {
        self.refused.store(count, Ordering::Relaxed);
    }

    /// Sends an event.
    pub(crate) fn send(&self, event: &str) {
        let frame = format!("data: {event}\n\n");
        self.frames().send(frame.into()).expect("the relay reads");
    }

    /// Ends the response.
    pub(crate) fn end(&mut self) {
        self.frames = None;
    }

    /// Waits until the relay has closed the connection.
    pub(crate) async fn is_left(&self) {
        self.frames().closed().await;
    }

    fn frames(&self) -> &mpsc::UnboundedSender<Bytes> {
        self.frames.as_ref().expect("the response is open")
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}
