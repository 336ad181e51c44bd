//! Provides the sample data of the demo: searchable pages, data sources, and the weather.

use crate::state::Page;

/// The searchable pages, each with its title, host and text.
const CORPUS: [(&str, &str, &str); 12] = [
    (
        "Tide tables for Rotterdam, 2026",
        "tides.example",
        "High and low water for every day of the year, Hook of Holland and Maassluis.",
    ),
    (
        "Reading a tide table",
        "portnotes.example",
        "What datum, range and slack water mean for a berth window.",
    ),
    (
        "Crabs on the quay wall",
        "portnotes.example",
        "Which species settle in fenders, and when divers clear them.",
    ),
    (
        "Berth windows and draught",
        "pilotage.example",
        "How much water a loaded vessel needs at berth, by class.",
    ),
    (
        "Tug availability, Europoort",
        "tugs.example",
        "Boats on call by the hour, with bollard pull and crew.",
    ),
    (
        "Rust for port software",
        "quaycode.example",
        "Scheduling, telemetry and web panels in one language.",
    ),
    (
        "Leptos in a control room",
        "quaycode.example",
        "Signals for dashboards that must not flicker.",
    ),
    (
        "Container dwell times",
        "boxstats.example",
        "Days in the yard by terminal, month and cargo.",
    ),
    (
        "Fog on the Nieuwe Waterweg",
        "weatherlog.example",
        "Hours of poor visibility and what they cost in delays.",
    ),
    (
        "Shore power at berth",
        "greenport.example",
        "Which berths have sockets and what a connection takes.",
    ),
    (
        "Lock times at IJmuiden",
        "locks.example",
        "Waiting times by hour for the sea lock.",
    ),
    (
        "Mooring lines and wind",
        "pilotage.example",
        "How many lines to put out from 25 knots upwards.",
    ),
];

/// The maximum number of search results.
const MAX_RESULTS: usize = 4;
/// The words that are ignored in queries.
const STOP_WORDS: [&str; 10] = ["a", "an", "and", "at", "for", "in", "of", "on", "the", "to"];

/// Returns at most [`MAX_RESULTS`] pages: the first of those that contain the highest number of
/// words of the query. The pages have the order of the corpus.
pub(crate) fn find_pages(query: &str) -> Vec<Page> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(|word| word.strip_suffix('s').unwrap_or(word))
        .collect();
    let hits = CORPUS.iter().map(|page| {
        let text = format!("{} {}", page.0, page.2).to_lowercase();
        let text: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let is_in_text = |word: &&&str| text.iter().any(|other| other.starts_with(**word));
        (words.iter().filter(is_in_text).count(), page)
    });
    let mut hits: Vec<_> = hits.filter(|(count, _)| *count > 0).collect();
    // The sort is stable, so that pages with equal counts keep the order of the corpus.
    hits.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    // Only pages with the highest count are results, because other pages match fewer words of the
    // query.
    let highest_count = hits.first().map_or(0, |(count, _)| *count);
    hits.into_iter()
        .filter(|(count, _)| *count == highest_count)
        .take(MAX_RESULTS)
        .map(|(_, (title, source, snippet))| Page {
            title: (*title).to_owned(),
            source: (*source).to_owned(),
            snippet: (*snippet).to_owned(),
        })
        .collect()
}

/// A data source. `keywords` contains the words that identify the kinds of data in the source.
pub(crate) struct DataSource {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) extent: &'static str,
    keywords: &'static [&'static str],
}

pub(crate) const SOURCES: [DataSource; 3] = [
    DataSource {
        name: "Orders warehouse",
        kind: "PostgreSQL",
        extent: "48 tables",
        keywords: &["table", "sql", "order", "postgresql", "report"],
    },
    DataSource {
        name: "Berth telemetry",
        kind: "Time series",
        extent: "1.2 billion points",
        keywords: &["metric", "time series", "telemetry", "sensor"],
    },
    DataSource {
        name: "Customer events",
        kind: "Parquet",
        extent: "partitioned by day",
        keywords: &["log", "event", "parquet"],
    },
];

/// Returns the data sources that contain at least one of the given kinds of data. Returns all
/// sources if no kind is given.
pub(crate) fn sources(kinds: &[String]) -> impl Iterator<Item = &'static DataSource> {
    let kinds: Vec<String> = kinds.iter().map(|kind| kind.to_lowercase()).collect();
    SOURCES.iter().filter(move |source| {
        let has_kind = |kind: &String| source.keywords.iter().any(|word| kind.contains(word));
        kinds.is_empty() || kinds.iter().any(has_kind)
    })
}

/// Returns invented weather for a place: the temperature in °C, the state of the sky, and the wind.
/// The values depend only on the name of the place.
pub(crate) fn weather(place: &str) -> (i32, &'static str, String) {
    const SKIES: [&str; 5] = ["Clear", "Some clouds", "Overcast", "Light rain", "Fog"];
    const WINDS: [&str; 4] = ["north", "east", "south-west", "west"];
    if place.eq_ignore_ascii_case("rotterdam") {
        return (
            14,
            "Light rain",
            "wind 18 kn from the south-west".to_owned(),
        );
    }
    let hash = place.to_lowercase().chars().fold(7_u32, |hash, c| {
        hash.wrapping_mul(31).wrapping_add(u32::from(c))
    });
    let index = |value: u32, count: usize| usize::try_from(value).unwrap_or(0) % count;
    let degrees = 4 + i32::try_from(hash % 19).unwrap_or(0);
    let sky = SKIES
        .get(index(hash / 19, SKIES.len()))
        .copied()
        .unwrap_or("Clear");
    let direction = WINDS
        .get(index(hash / 95, WINDS.len()))
        .copied()
        .unwrap_or("west");
    (
        degrees,
        sky,
        format!("wind {} kn from the {direction}", 3 + hash % 23),
    )
}
