//! Parses the expiry times of interrupts.

/// Parses an ISO 8601 time to milliseconds since 1970. The text contains a date, an optional time
/// and an optional offset (`Z` or `±hh:mm`). A time without an offset is in UTC, the clock of most
/// servers. Returns `None` for an invalid time.
pub(crate) fn parse_iso8601(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = text.split_once(['T', 't', ' ']).unwrap_or((text, "00:00Z"));
    let mut date = date.splitn(3, '-').map(parse_number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (time, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => rest.split_at_checked(at)?,
        None => (rest, "Z"),
    };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut clock = clock.splitn(3, ':').map(parse_number);
    let (hours, minutes) = (clock.next()??, clock.next()??);
    let seconds = clock.next().unwrap_or(Some(0))?;
    let thousandths = parse_number(
        &format!("{fraction:0<3}")
            .chars()
            .take(3)
            .collect::<String>(),
    )?;
    let minutes = days_since_epoch(year, month, day) * 1_440 + hours * 60 + minutes
        - parse_offset_minutes(offset)?;
    Some((minutes * 60 + seconds) * 1_000 + thousandths)
}

fn parse_number(digits: &str) -> Option<i64> {
    let is_plain = (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| digits.parse().ok()).flatten()
}

fn parse_offset_minutes(offset: &str) -> Option<i64> {
    let (sign, clock) = match offset.split_at_checked(1)? {
        ("Z" | "z", "") => return Some(0),
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let (hours, minutes) = clock
        .split_once(':')
        .or_else(|| clock.split_at_checked(2))?;
    Some(sign * (parse_number(hours)? * 60 + parse_number(minutes)?))
}

/// Returns the number of days between 1970-01-01 and a date in the Gregorian calendar. Years are
/// counted from March, so that the leap day is the last day of a year.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let months = (month + 9) % 12;
    let day_of_year = (153 * months + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse_iso8601;

    #[test]
    fn timestamps_are_parsed_with_any_utc_offset() {
        assert_eq!(parse_iso8601("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(
            parse_iso8601("2026-11-21T22:58:00.250Z"),
            Some(1_795_301_880_250)
        );
        assert_eq!(
            parse_iso8601("2026-11-21T23:58:00.25+01:00"),
            Some(1_795_301_880_250)
        );
        assert_eq!(
            parse_iso8601("2024-02-29 12:00:00-0530"),
            Some(1_709_227_800_000)
        );
        assert_eq!(parse_iso8601("2026-11-21T22:58Z"), Some(1_795_301_880_000));
        assert_eq!(
            parse_iso8601("2026-11-21T22:58:00"),
            Some(1_795_301_880_000)
        );
        assert_eq!(parse_iso8601("1970-01-02"), Some(86_400_000));
    }

    #[test]
    fn an_invalid_timestamp_never_expires() {
        for text in [
            "",
            "soon",
            "2026-13-01T00:00:00Z",
            "2026",
            "2026-11-21T",
            "T:Z",
            "é-1-1T1:1Z",
        ] {
            assert_eq!(parse_iso8601(text), None, "{text}");
        }
    }
}
