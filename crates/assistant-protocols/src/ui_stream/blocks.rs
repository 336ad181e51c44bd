//! Decodes text blocks and reasoning blocks. Several blocks may be open at once.

use serde_json::Value;

use super::{
    Decoder,
    block::{OpenTextBlock, join_surrogates},
    chunk::{send_extension, take_opt, take_text},
};
use crate::stream::Sink;
use assistant_core::{
    event::{Extension, Object, fault::quote},
    json::surrogates,
};

impl Decoder {
    pub(super) fn read_block(
        &mut self,
        kind: &str,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let (reasoning, step) = match kind.strip_prefix("reasoning-") {
            Some(step) => (true, step),
            None => (false, kind.strip_prefix("text-").unwrap_or(kind)),
        };
        if !matches!(step, "start" | "delta" | "end") {
            return self.read_part(kind, chunk, sink);
        }
        let id = take_text(&mut chunk, "id")?;
        let mut extra = Object::new();
        if let Some(metadata) = take_opt(&mut chunk, "providerMetadata") {
            extra.insert("providerMetadata".to_owned(), metadata);
        }
        let unknown_block_error = || format!("no text '{}' has begun", quote(&id));
        match step {
            "start" => {
                if reasoning {
                    extra.shift_insert(0, "id".to_owned(), id.as_str().into());
                }
                extra.insert("state".to_owned(), "streaming".into());
                let message_id = self.ensure_current_message(sink);
                self.last_block += 1;
                let (block, held_surrogate) = (self.last_block, None);
                self.blocks.insert(
                    (reasoning, id),
                    OpenTextBlock {
                        number: block,
                        held_surrogate,
                    },
                );
                send_extension(
                    sink,
                    Extension::BlockStart {
                        block,
                        message_id,
                        reasoning,
                        extra,
                    },
                );
            }
            "delta" => {
                let Some(Value::String(delta)) = chunk.shift_remove("delta") else {
                    return Err("it has no text 'delta'".to_owned());
                };
                let is_cut = self.is_cut;
                let open_block = self.blocks.get_mut(&(reasoning, id.clone()));
                let open_block = open_block.ok_or_else(unknown_block_error)?;
                let delta = join_surrogates(delta, &mut open_block.held_surrogate, is_cut);
                let block = open_block.number;
                send_extension(
                    sink,
                    Extension::BlockDelta {
                        block,
                        reasoning,
                        delta,
                        extra,
                    },
                );
            }
            _ => {
                let open_block = self.blocks.remove(&(reasoning, id.clone()));
                let open_block = open_block.ok_or_else(unknown_block_error)?;
                let block = open_block.number;
                if let Some(citations) = take_opt(&mut chunk, "citations").filter(|_| !reasoning) {
                    extra.insert("citations".to_owned(), citations);
                }
                send_held_surrogate(&open_block, reasoning, sink);
                extra.insert("state".to_owned(), "done".into());
                send_extension(sink, Extension::BlockEnd { block, extra });
            }
        }
        Ok(())
    }

    /// Sends a delta of U+FFFD for each open block that ends with a lone high surrogate.
    pub(super) fn release_surrogates(&mut self, sink: &mut dyn Sink) {
        for ((reasoning, _), open_block) in &mut self.blocks {
            send_held_surrogate(open_block, *reasoning, sink);
            open_block.held_surrogate = None;
        }
    }
}

fn send_held_surrogate(block: &OpenTextBlock, reasoning: bool, sink: &mut dyn Sink) {
    if block.held_surrogate.is_some() {
        let (block, delta) = (block.number, surrogates::REPLACED.to_string());
        let extra = Object::new();
        send_extension(
            sink,
            Extension::BlockDelta {
                block,
                reasoning,
                delta,
                extra,
            },
        );
    }
}
