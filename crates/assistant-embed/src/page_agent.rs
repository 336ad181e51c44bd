//! An agent that is written in JavaScript as a function that returns AG-UI events. `npm/agent.js`
//! wraps the function.

use std::future::Future;

use assistant_core::{
    event::RunInput,
    session::{AgentTraits, StreamEnd},
};
use assistant_protocols::{AgUi, Protocol, agui};
use futures_util::future::LocalBoxFuture;
use leptos_assistant::agent::{Agent, EventSink, Failure, FailureKind};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::{function::answer_text, window_options::get_property};

/// A function that takes the input of a run as JSON and returns an object with two methods: `next`
/// returns a promise of the next event or `null`, and `stop` ends the run. Neither the function nor
/// the methods throw an exception.
pub(crate) struct PageAgent(SendWrapper<js_sys::Function>);

impl PageAgent {
    pub(crate) fn new(run: js_sys::Function) -> Self {
        Self(SendWrapper::new(run))
    }
}

impl Agent for PageAgent {
    fn traits(&self) -> AgentTraits {
        AgUi::default().traits()
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let run_function = self.0.clone();
        Box::pin(async move {
            let result = read_events(&run_function, &input, events).await;
            result.unwrap_or_else(StreamEnd::Failed)
        })
    }
}

async fn read_events(
    run: &js_sys::Function,
    input: &RunInput,
    mut events: EventSink,
) -> Result<StreamEnd, Failure> {
    crate::wait_if_stopped().await;
    let text = agui::run_input_text(input);
    let stream = run.call1(&JsValue::UNDEFINED, &text.into());
    let stream = PageStream(stream.unwrap_or_default());
    let mut reader = AgUi::default().decoder(input, &Default::default());
    while !reader.has_failed() {
        let event = stream.next().await?;
        if event == "null" {
            break;
        }
        // The event is passed to the reader as one frame, because its JSON text contains no line
        // breaks. The reader joins a surrogate pair that the page split over two events.
        reader.push(format!("data: {event}\n\n").as_bytes(), &mut events);
    }
    Ok(match reader.finish(&mut events).error {
        Some(error) => StreamEnd::Failed(Failure::new(FailureKind::Protocol, error.to_string())),
        None => StreamEnd::Closed,
    })
}

/// The stream of a run's events, each as JSON text, and `null` at the end. Dropping the stream calls the `stop` method of the page's object.
struct PageStream(JsValue);

impl PageStream {
    fn next(&self) -> impl Future<Output = Result<String, Failure>> + use<> {
        let next_function: Option<js_sys::Function> = get_property(&self.0, "next").dyn_into().ok();
        let promise = next_function.and_then(|next| next.call0(&JsValue::UNDEFINED).ok());
        async move {
            let answer = match promise.map(JsCast::dyn_into::<js_sys::Promise>) {
                Some(Ok(promise)) => JsFuture::from(promise).await.ok(),
                _ => None,
            };
            crate::wait_if_stopped().await;
            answer_text(answer)
                .map_err(|error| Failure::new(FailureKind::Protocol, error.message()))
        }
    }
}

impl Drop for PageStream {
    fn drop(&mut self) {
        if let Ok(stop) = get_property(&self.0, "stop").dyn_into::<js_sys::Function>() {
            // The result is ignored, because the wrapped function never throws an exception.
            let _ = stop.call0(&JsValue::UNDEFINED);
        }
    }
}
