//! What an agent says, written in the bytes of each protocol.

use assistant_core::codec::{AgUi, Codec, Completions, UiStream};
use serde_json::{Value, json};

/// What an agent says in one response.
#[derive(Debug, Clone, Copy)]
pub(super) enum Says {
    Text(&'static str),
    Call(&'static str, &'static str, &'static str),
    /// The result of a call that the agent made and ran itself.
    Ran(&'static str, &'static str),
    /// Another step of the same response begins.
    Step,
}

/// A protocol that a model endpoint or an agent speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    AgUi,
    UiStream,
    Completions,
}

impl Wire {
    pub(super) const ALL: [Self; 3] = [Self::AgUi, Self::UiStream, Self::Completions];

    pub(super) fn codec(self) -> Box<dyn Codec> {
        match self {
            Self::AgUi => Box::new(AgUi::default()),
            Self::UiStream => Box::new(UiStream::default()),
            Self::Completions => Box::new(Completions::default()),
        }
    }

    /// A whole response. `number` tells it from others of the same agent.
    pub(super) fn response(self, number: usize, says: &[Says]) -> Vec<u8> {
        let mut frames = self.said(number, says);
        frames.extend(match self {
            Self::AgUi => vec![json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})],
            Self::UiStream => vec![json!({"type": "finish-step"}), json!({"type": "finish"})],
            Self::Completions => {
                let calls = says.iter().any(|says| matches!(says, Says::Call(..)));
                let reason = if calls { "tool_calls" } else { "stop" };
                vec![json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})]
            }
        });
        let mut bytes = sse(&frames);
        if self != Self::AgUi {
            bytes.extend_from_slice(b"data: [DONE]\n\n");
        }
        bytes
    }

    /// The beginning of a response that breaks off.
    pub(super) fn broken(self, number: usize, says: &[Says]) -> Vec<u8> {
        sse(&self.said(number, says))
    }

    fn said(self, number: usize, says: &[Says]) -> Vec<Value> {
        match self {
            Self::AgUi => agui(number, says),
            Self::UiStream => ui_stream(number, says),
            Self::Completions => completions(says),
        }
    }
}

fn sse(frames: &[Value]) -> Vec<u8> {
    let text: String = frames
        .iter()
        .map(|frame| format!("data: {frame}\n\n"))
        .collect();
    text.into_bytes()
}

fn agui(number: usize, says: &[Says]) -> Vec<Value> {
    let mut out = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    let mut step = 0;
    for (place, what) in says.iter().enumerate() {
        let message = format!("m{number}-{step}");
        match what {
            Says::Text(text) => out.extend([
                json!({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text}),
                json!({"type": "TEXT_MESSAGE_END", "messageId": message}),
            ]),
            Says::Call(id, name, args) => out.extend([
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name,
                    "parentMessageId": message}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
                json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            ]),
            Says::Ran(id, result) => out.push(json!({"type": "TOOL_CALL_RESULT",
                "toolCallId": id, "messageId": format!("{message}-{place}"), "content": result})),
            Says::Step => step += 1,
        }
    }
    out
}

fn ui_stream(number: usize, says: &[Says]) -> Vec<Value> {
    let mut out = vec![
        json!({"type": "start", "messageId": format!("m{number}")}),
        json!({"type": "start-step"}),
    ];
    for (place, what) in says.iter().enumerate() {
        let id = place.to_string();
        match what {
            Says::Text(text) => out.extend([
                json!({"type": "text-start", "id": id}),
                json!({"type": "text-delta", "id": id, "delta": text}),
                json!({"type": "text-end", "id": id}),
            ]),
            Says::Call(id, name, args) => out.extend([
                json!({"type": "tool-input-start", "toolCallId": id, "toolName": name}),
                json!({"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": args}),
                json!({"type": "tool-input-available", "toolCallId": id, "toolName": name,
                    "input": serde_json::from_str::<Value>(args).unwrap()}),
            ]),
            Says::Ran(id, result) => out.push(json!({"type": "tool-output-available",
                "toolCallId": id, "output": result})),
            Says::Step => {
                out.extend([
                    json!({"type": "finish-step"}),
                    json!({"type": "start-step"}),
                ]);
            }
        }
    }
    out
}

fn completions(says: &[Says]) -> Vec<Value> {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut out = vec![chunk(json!({"role": "assistant", "content": ""}))];
    let mut index = 0;
    for what in says {
        match what {
            Says::Text(text) => out.push(chunk(json!({"content": text}))),
            Says::Call(id, name, args) => {
                let (first, last) = args.split_at(args.len() / 2);
                out.push(chunk(json!({"tool_calls": [{"index": index, "id": id,
                    "type": "function", "function": {"name": name, "arguments": first}}]})));
                out.push(chunk(json!({"tool_calls": [{"index": index,
                    "function": {"arguments": last}}]})));
                index += 1;
            }
            Says::Ran(..) | Says::Step => panic!("a model endpoint runs nothing"),
        }
    }
    out
}
