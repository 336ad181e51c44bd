//! Tests of the SSE decoder: line ends, fields, limits, and input that is split at any position.

use assistant_protocols::sse::{Frame, SseDecoder, SseError};
use proptest::prelude::*;

/// Decodes a stream that arrives in these chunks. Returns the frames and the result of the last
/// push.
fn decode(mut decoder: SseDecoder, chunks: &[&[u8]]) -> (Vec<Frame>, Result<(), SseError>) {
    let mut frames = Vec::new();
    let mut outcome = Ok(());
    for chunk in chunks {
        outcome = decoder.push(chunk, &mut frames);
    }
    frames.extend(decoder.finish());
    (frames, outcome)
}

fn decode_frames(text: impl AsRef<[u8]>) -> Vec<Frame> {
    let (frames, outcome) = decode(SseDecoder::new(), &[text.as_ref()]);
    outcome.unwrap();
    frames
}

fn decode_data(text: impl AsRef<[u8]>) -> Vec<String> {
    decode_frames(text)
        .into_iter()
        .map(|frame| frame.data)
        .collect()
}

#[test]
fn every_line_ending_ends_a_line() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "data: a\n\ndata: b\ndata: c\n\n\n\ndata: d\n\n".replace('\n', end);
        assert_eq!(decode_data(text), ["a", "b\nc", "d"], "{end:?}");
    }
    assert_eq!(decode_data("data: a\r\n\rdata: b\n\r\n"), ["a", "b"]);
}

#[test]
fn a_crlf_split_between_chunks_is_one_line_ending() {
    let chunks: [&[u8]; 4] = [b"data: a\r", b"\ndata: b\r", b"\n\r", b"\ndata: c\n\n"];
    let (frames, _) = decode(SseDecoder::new(), &chunks);
    assert_eq!(
        frames.iter().map(|f| f.data.as_str()).collect::<Vec<_>>(),
        ["a\nb", "c"]
    );
}

#[test]
fn a_frame_is_emitted_at_the_first_byte_of_its_blank_line() {
    let mut out = Vec::new();
    SseDecoder::new().push(b"data: a\r\r", &mut out).unwrap();
    assert_eq!(out.len(), 1);
}

#[test]
fn one_space_after_the_colon_is_dropped() {
    assert_eq!(
        decode_data("data:a\n\ndata: a\n\ndata:  a \n\ndata:\ta\n\n"),
        ["a", "a", " a ", "\ta"]
    );
}

#[test]
fn fields_are_parsed_and_unknown_ones_skipped() {
    let text = ": keepalive\nevent: note\nid: 7\nretry: 10\nretry: soon\nfoo: bar\n data: no\n\
                Data: no\ndata: a:b\n\ndata: next\n\n";
    let frames = decode_frames(text);
    assert_eq!(frames.len(), 2);
    assert_eq!(frames[0].event.as_deref(), Some("note"));
    assert_eq!(frames[0].id.as_deref(), Some("7"));
    assert_eq!(frames[0].data, "a:b");
    assert_eq!((&frames[1].event, &frames[1].id), (&None, &None));
    assert_eq!(frames[1].data, "next");
}

#[test]
fn a_block_without_data_is_no_frame() {
    assert_eq!(decode_data("event: ping\n\nid: 3\n\n:\n\n\n\n"), [""; 0]);
    let frames = decode_frames("event: ping\n\ndata: a\n\n");
    assert_eq!(frames[0].event, None);
}

#[test]
fn empty_data_lines_are_part_of_the_data() {
    assert_eq!(
        decode_data("data\n\ndata:\n\ndata: \ndata\n\n"),
        ["", "", "\n"]
    );
}

#[test]
fn ids_with_nul_are_ignored() {
    assert_eq!(decode_frames("id: a\0b\ndata: x\n\n")[0].id, None);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    assert_eq!(
        decode_data("\u{feff}data: a\n\n\u{feff}data: b\n\ndata: c\n\n"),
        ["a", "c"]
    );
    assert_eq!(decode_data("\u{feff}\ndata: a\n\n"), ["a"]);
    assert_eq!(decode_data("\u{feff}\u{feff}data: a\n\n"), [""; 0]);
    assert_eq!(decode_data("\n\u{feff}data: a\n\n"), [""; 0]);
}

#[test]
fn invalid_utf8_is_replaced() {
    assert_eq!(
        decode_data(b"data: a\xffb\xe2\x82\n\n"),
        ["a\u{fffd}b\u{fffd}"]
    );
}

#[test]
fn the_end_of_the_stream_ends_the_last_frame() {
    for text in [
        "data: a\n\ndata: b",
        "data: a\n\ndata: b\n",
        "data: a\n\ndata: b\r",
    ] {
        assert_eq!(decode_data(text), ["a", "b"], "{text:?}");
    }
    assert_eq!(decode_data("data: a\n\n: bye"), ["a"]);
    let mut decoder = SseDecoder::new();
    decoder.push(b"data: a", &mut Vec::new()).unwrap();
    assert!(decoder.finish().is_some());
    assert_eq!(decoder.finish(), None);
}

#[test]
fn a_frame_is_pending_from_its_first_byte_to_its_blank_line() {
    for (text, under_way) in [
        ("", false),
        ("data: a\n\n", false),
        ("data: a\n\n: ping\n", false),
        ("data: a\n\n: pi", false),
        ("data: a\n\nda", true),
        ("data: a\n", true),
        ("event: a\n", true),
        ("id: a\r", true),
    ] {
        let mut decoder = SseDecoder::new();
        decoder.push(text.as_bytes(), &mut Vec::new()).unwrap();
        assert_eq!(decoder.is_mid_frame(), under_way, "{text:?}");
    }
}

#[test]
fn frames_before_an_oversized_one_are_kept() {
    let text = b"data: small\n\ndata: 0123456789012345678901234567890123456789\n\ndata: late\n\n";
    let (frames, outcome) = decode(SseDecoder::with_limit(32), &[text, b"data: later\n\n"]);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].data, "small");
    let error = outcome.unwrap_err();
    assert_eq!(error.limit, 32);
    assert_eq!(
        error.to_string(),
        "a server-sent event is larger than 32 bytes"
    );
}

#[test]
fn the_limit_applies_to_frames_of_many_lines_and_endless_lines() {
    let line = b"data: 0123456789\n".as_slice();
    let (_, outcome) = decode(SseDecoder::with_limit(64), &[line; 8]);
    assert!(outcome.is_err());
    let (_, outcome) = decode(
        SseDecoder::with_limit(64),
        &[b"event: 0123456789".as_slice(); 8],
    );
    assert!(outcome.is_err());
}

#[test]
fn the_limit_does_not_count_comments_and_finished_frames() {
    let line = b": 0123456789\ndata: 0123456789\n\n:\n".as_slice();
    let (frames, outcome) = decode(SseDecoder::with_limit(64), &[line; 100]);
    assert_eq!((frames.len(), outcome), (100, Ok(())));
}

#[test]
fn the_default_limit_is_ten_mebibytes() {
    let mut text = b"data:".to_vec();
    text.resize(10 * 1024 * 1024, b'a');
    assert_eq!(decode_frames(&text)[0].data.len(), text.len() - 5);
    text.push(b'a');
    assert!(decode(SseDecoder::new(), &[&text]).1.is_err());
}

/// Generates streams of fragments that are significant for the decoder.
fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"data: ".to_vec()),
        2 => Just(b"data".to_vec()),
        1 => Just(b"event: e".to_vec()),
        1 => Just(b"id:1".to_vec()),
        1 => Just(b":".to_vec()),
        2 => Just(b"\n".to_vec()),
        2 => Just(b"\r".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        3 => Just(b"\n\n".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just("é€😀".as_bytes().to_vec()),
        1 => Just(b"\xF0\x9F\xC3".to_vec()),
        2 => Just(b"{\"type\": 1}".to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn chunked_input_parses_like_the_whole(
        text in any_stream(),
        cuts in prop::collection::vec(0..200_usize, 0..12),
        limit in prop_oneof![Just(1 << 20), 4..40_usize],
    ) {
        let whole = decode(SseDecoder::with_limit(limit), &[&text]);
        let single: Vec<&[u8]> = text.chunks(1).collect();
        prop_assert_eq!(&decode(SseDecoder::with_limit(limit), &single), &whole);

        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= text.len()).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
        prop_assert_eq!(&decode(SseDecoder::with_limit(limit), &chunks), &whole);
    }

    #[test]
    fn written_events_are_read_back(
        events in prop::collection::vec(("[^\r\n\0]{0,20}", "[^\r]{0,40}"), 0..8),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
    ) {
        let mut text = String::new();
        for (name, body) in &events {
            text += &format!("event: {name}{end}");
            for line in body.split('\n') {
                text += &format!("data: {line}{end}");
            }
            text += end;
        }
        let read: Vec<_> = decode_frames(text).into_iter().map(|f| (f.event.unwrap(), f.data)).collect();
        prop_assert_eq!(read, events);
    }
}

#[test]
fn a_borrowed_frame_leaks_no_fields_into_the_next() {
    let mut decoder = SseDecoder::new();
    let mut frames = Vec::new();
    let stream = b"event: a\nid: 1\ndata: one\n\n: nothing\n\ndata: two\n\n";
    decoder
        .read(stream, &mut |frame| frames.push(frame.clone()))
        .unwrap();
    let fields = |frame: &Frame| (frame.event.clone(), frame.id.clone(), frame.data.clone());
    let first = (Some("a".into()), Some("1".into()), "one".into());
    assert_eq!(
        frames.iter().map(fields).collect::<Vec<_>>(),
        [first, (None, None, "two".into())]
    );
}
