//! How values of settings are written: times, sizes, numbers, switches, addresses.

use std::net::SocketAddr;
use std::time::Duration;

/// Units of times with their nanoseconds, the largest first.
const TIME_UNITS: [(&str, u64); 5] =
    [("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];

/// Units of sizes with their bytes, the largest first.
const SIZE_UNITS: [(&str, u64); 4] = [("g", 1 << 30), ("m", 1 << 20), ("k", 1 << 10), ("", 1)];

/// A number and what follows it.
fn split(text: &str) -> Option<(u64, String)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, unit.trim().to_ascii_lowercase()))
}

/// The whole number that a text with a unit stands for.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = split(text)?;
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*scale)
}

/// A number with the largest unit that leaves it whole.
fn with_unit(number: u64, units: &[(&str, u64)]) -> String {
    let fits = |scale: u64| number != 0 && number.is_multiple_of(scale);
    match units.iter().find(|(_, scale)| fits(*scale)) {
        Some((name, scale)) => format!("{}{name}", number / scale),
        None => number.to_string(),
    }
}

/// `500ms`, `30s`. The unit has to be there: nobody should have to know which one is meant.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let nanoseconds = scaled(text, &TIME_UNITS);
    nanoseconds
        .map(Duration::from_nanos)
        .ok_or_else(|| format!("'{text}' is no time; write it with its unit: 500ms, 30s, 2m"))
}

pub(super) fn duration_text(duration: Duration) -> String {
    with_unit(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX), &TIME_UNITS)
}

/// `65536`, `64k`, `10m`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let text_of_unit = text.strip_suffix(['b', 'B']).unwrap_or(text);
    scaled(text_of_unit, &SIZE_UNITS).ok_or_else(|| format!("'{text}' is no size; write bytes, or 64k, 10m, 1g"))
}

pub(super) fn size_text(size: u64) -> String {
    with_unit(size, &SIZE_UNITS)
}

pub(super) fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Ok(true),
        "off" | "false" | "no" | "0" => Ok(false),
        _ => Err(format!("'{text}' is neither on nor off")),
    }
}

/// `0.0.0.0:8080`, `[::]:8080`, `localhost:8080`, or a port of this machine alone: `8080`.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text).parse::<u16>();
    let address = port.map(|port| SocketAddr::from(([127, 0, 0, 1], port))).or_else(|_| text.parse());
    address.map_err(|_| {
        format!("'{text}' is no address; write 0.0.0.0:8080 or [::]:8080 for all networks, 127.0.0.1:8080 or 8080 for this machine")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_their_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2 M"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("0"), Ok(Duration::ZERO));
        for text in ["30", "", "s", "-1s", "1.5s", "1d", "99999999999999h", "1s2"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_multiples_of_1024() {
        assert_eq!(size("100"), Ok(100));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("1GB"), Ok(1 << 30));
        for text in ["", "k", "1.5m", "-1", "99999999999g", "1kk"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_written_as_they_are_read() {
        for text in ["75s", "2m", "1h", "100us", "1500ms", "0"] {
            assert_eq!(duration(text).map(duration_text).as_deref(), Ok(text));
        }
        for text in ["256", "8k", "10m", "3g", "0"] {
            assert_eq!(size(text).map(size_text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_port_alone_is_of_this_machine() {
        for (text, expected) in [
            ("8080", "127.0.0.1:8080"),
            ("localhost:1", "127.0.0.1:1"),
            ("[::]:80", "[::]:80"),
            ("0.0.0.0:0", "0.0.0.0:0"),
        ] {
            assert_eq!(address(text).map(|address| address.to_string()).as_deref(), Ok(expected));
        }
        for text in ["", "host:80", "127.0.0.1", "65536", ":80"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
