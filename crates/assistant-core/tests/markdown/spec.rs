//! The examples of the specifications: the tree, written as HTML, equals the output of
//! `pulldown-cmark`.
//!
//! Both are written by its own writer. Raw HTML is omitted on both sides (a line break stays), and
//! so are autolinks, which `pulldown-cmark` does not support.

use super::support::streamed;
use assistant_core::text::markdown::{Alert, Align, Kind, Node, parse};
use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag,
    TextMergeStream, html::push_html,
};
use serde_json::Value;

const COMMONMARK: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/commonmark/commonmark-0.31.2.json"
));
const EXTENSIONS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/commonmark/extensions.json"
));

pub(super) fn examples() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in [COMMONMARK, EXTENSIONS] {
        let file: Value = serde_json::from_str(file).unwrap();
        for example in file.as_array().unwrap() {
            let name = format!("{} {}", example["section"], example["number"]);
            all.push((name, example["markdown"].as_str().unwrap().to_owned()));
        }
    }
    assert!(all.len() > 900);
    all
}

fn expected(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let mut in_html = false;
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Start(Tag::HtmlBlock) => {
            in_html = true;
            None
        }
        Event::End(pulldown_cmark::TagEnd::HtmlBlock) => {
            in_html = false;
            None
        }
        Event::InlineHtml(html) if html.starts_with("<br") => Some(Event::HardBreak),
        Event::Html(_) | Event::InlineHtml(_) => None,
        _ if in_html => None,
        event => Some(event),
    });
    write(events.collect())
}

fn ours(blocks: &[Node]) -> String {
    let mut events = Vec::new();
    for block in blocks {
        push(block, &mut events, None);
    }
    write(events)
}

/// Writes events without autolinks.
fn write(events: Vec<Event<'_>>) -> String {
    let events: Vec<_> = TextMergeStream::new(events.into_iter()).collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while at < events.len() {
        if let [
            Event::Start(Tag::Link { dest_url, .. }),
            Event::Text(text),
            Event::End(_),
            ..,
        ] = &events[at..]
            && dest_url.ends_with(&**text)
        {
            kept.push(Event::Text(text.clone()));
            at += 3;
        } else {
            kept.push(events[at].clone());
            at += 1;
        }
    }
    let mut html = String::new();
    push_html(&mut html, kept.into_iter());
    html
}

fn push<'a>(node: &'a Node, events: &mut Vec<Event<'a>>, task: Option<bool>) {
    let tag = match &node.kind {
        Kind::Text(text) => return events.push(Event::Text(text.as_str().into())),
        Kind::Code(code) => return events.push(Event::Code(code.as_str().into())),
        Kind::SoftBreak => return events.push(Event::SoftBreak),
        Kind::HardBreak => return events.push(Event::HardBreak),
        Kind::Rule => return events.push(Event::Rule),
        Kind::Html(_) => return,
        Kind::FootnoteReference(label) => {
            return events.push(Event::FootnoteReference(label.as_str().into()));
        }
        Kind::Paragraph => Tag::Paragraph,
        Kind::Heading(level) => Tag::Heading {
            level: HeadingLevel::try_from(usize::from(*level)).unwrap(),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        },
        Kind::Quote(alert) => Tag::BlockQuote(alert.map(|alert| match alert {
            Alert::Note => BlockQuoteKind::Note,
            Alert::Tip => BlockQuoteKind::Tip,
            Alert::Important => BlockQuoteKind::Important,
            Alert::Warning => BlockQuoteKind::Warning,
            Alert::Caution => BlockQuoteKind::Caution,
        })),
        Kind::CodeBlock { language, text } => {
            let tag = Tag::CodeBlock(CodeBlockKind::Fenced(language.as_str().into()));
            let end = tag.to_end();
            events.extend([
                Event::Start(tag),
                Event::Text(text.as_str().into()),
                Event::End(end),
            ]);
            return;
        }
        Kind::List { start } => Tag::List(*start),
        Kind::Item(_) => Tag::Item,
        Kind::Table => Tag::Table(
            node.children[0]
                .children
                .iter()
                .map(|cell| match cell.kind {
                    Kind::Cell(Align::Left) => Alignment::Left,
                    Kind::Cell(Align::Center) => Alignment::Center,
                    Kind::Cell(Align::Right) => Alignment::Right,
                    _ => Alignment::None,
                })
                .collect(),
        ),
        Kind::TableHead => Tag::TableHead,
        Kind::TableRow => Tag::TableRow,
        Kind::Cell(_) => Tag::TableCell,
        Kind::Emphasis => Tag::Emphasis,
        Kind::Strong => Tag::Strong,
        Kind::Strikethrough => Tag::Strikethrough,
        Kind::Link { href, title } => Tag::Link {
            link_type: LinkType::Inline,
            dest_url: href.as_str().into(),
            title: title.as_str().into(),
            id: "".into(),
        },
        Kind::Image { src, title } => Tag::Image {
            link_type: LinkType::Inline,
            dest_url: src.as_str().into(),
            title: title.as_str().into(),
            id: "".into(),
        },
        Kind::Footnote(label) => Tag::FootnoteDefinition(label.as_str().into()),
        other => panic!("{other:?}"),
    };
    let end = tag.to_end();
    events.push(Event::Start(tag));
    let mut task = match node.kind {
        Kind::Item(task) => task,
        _ => task,
    };
    let loose = matches!(node.children.first(), Some(child) if child.kind == Kind::Paragraph);
    if !loose && let Some(checked) = task.take() {
        events.push(Event::TaskListMarker(checked));
    }
    for child in &node.children {
        push(child, events, task.take());
    }
    events.push(Event::End(end));
}

#[test]
fn spec_examples_match_pulldown_cmark() {
    for (name, text) in examples() {
        assert_eq!(ours(&parse(&text)), expected(&text), "{name}: {text:?}");
    }
}

#[test]
fn streamed_spec_examples_match_the_whole() {
    for (name, text) in examples() {
        let whole = parse(&text);
        for pieces in [&[1_usize][..], &[2, 3], &[7], &[1, 5, 2]] {
            assert_eq!(streamed(&text, pieces).0, whole, "{name}: {text:?}");
        }
    }
}
