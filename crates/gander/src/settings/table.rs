//! The table of all settings: name, meaning, default and place of each, once.

use super::{PREFIX, value};
use crate::serve::{Life, LogFormat};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// One setting of a server.
pub(super) struct Setting {
    /// Name of the flag, without dashes.
    pub(super) name: &'static str,
    /// A second name in the environment, from the time before Gander.
    pub(super) alias: Option<&'static str>,
    /// What it is listed with.
    pub(super) group: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
}

/// Where a whole number is kept.
pub(super) enum Whole<'l> {
    Word(&'l mut usize),
    Long(&'l mut u64),
}

/// What values a setting takes, and where they go.
pub(super) enum Kind {
    /// Times of at least this one.
    Duration(Duration, fn(&mut Life) -> &mut Duration),
    Size(RangeInclusive<u64>, fn(&mut Life) -> Whole<'_>),
    Count(RangeInclusive<u64>, fn(&mut Life) -> Whole<'_>),
    /// The default in words, where it depends on others.
    Switch(Option<&'static str>, fn(&mut Life) -> &mut bool),
    /// One that is like no other.
    Own {
        takes: Takes,
        value_name: &'static str,
        /// The default as people read it.
        default: &'static str,
        set: fn(&mut Life, &[&str]) -> Result<(), String>,
    },
}

/// How many values.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    One,
    List,
    /// One, or none for `on`.
    Switch,
}

const LISTENING: &str = "Listening";
const DEVELOPMENT: &str = "Development";
const REQUESTS: &str = "Requests";
const ROUTES: &str = "Routes";
const FILES: &str = "Files and compression";
const LIFE: &str = "Life";
const WATCHING: &str = "Logs and metrics";
const SIZES: &str = "Limits of sizes";
const TIMES: &str = "Limits of times";
const CONNECTIONS: &str = "Limits of connections";

const BYTES: RangeInclusive<u64> = 1..=1 << 50;
const COUNT: RangeInclusive<u64> = 1..=1 << 20;
const COUNT_OR_NONE: RangeInclusive<u64> = 0..=1 << 20;
const MOMENT: Duration = Duration::from_millis(1);

const fn setting(group: &'static str, name: &'static str, help: &'static str, kind: Kind) -> Setting {
    Setting { name, alias: None, group, help, kind }
}

const fn own(
    value_name: &'static str,
    default: &'static str,
    set: fn(&mut Life, &[&str]) -> Result<(), String>,
) -> Kind {
    Kind::Own { takes: Takes::One, value_name, default, set }
}

const fn list(
    value_name: &'static str,
    default: &'static str,
    set: fn(&mut Life, &[&str]) -> Result<(), String>,
) -> Kind {
    Kind::Own { takes: Takes::List, value_name, default, set }
}

/// All settings, in the order in which they are listed.
pub(super) const SETTINGS: &[Setting] = &[
    setting(
        LISTENING,
        "listen",
        "Where to listen for HTTP; can be given several times",
        list("ADDRESS", "127.0.0.1:8080, or nowhere with --tls-listen", |life, values| {
            life.options.addresses = all(values, value::address)?;
            Ok(())
        }),
    ),
    setting(
        LISTENING,
        "tls-listen",
        "Where to listen for HTTPS; can be given several times",
        list("ADDRESS", "nowhere", |life, values| {
            life.options.secure_addresses = all(values, value::address)?;
            Ok(())
        }),
    ),
    setting(
        LISTENING,
        "tls-cert",
        "File with the certificate and those that vouch for it, as PEM; read again with each reload",
        own("FILE", "none", |life, values| {
            life.options.certificate.get_or_insert_default().0 = path(values);
            Ok(())
        }),
    ),
    setting(
        LISTENING,
        "tls-key",
        "File with the certificate's private key, as PEM",
        own("FILE", "none", |life, values| {
            life.options.certificate.get_or_insert_default().1 = path(values);
            Ok(())
        }),
    ),
    Setting {
        alias: Some("LOOK_TRUSTED_PROXY"),
        ..setting(
            LISTENING,
            "trusted-proxies",
            "Addresses or networks whose X-Forwarded-For is believed; can be given several times",
            list("NETWORK", "none", |life, values| {
                life.options.trusted_proxies =
                    all(values, |text| text.parse::<web::Network>().map_err(|e| e.to_string()))?;
                Ok(())
            }),
        )
    },
    setting(
        LISTENING,
        "workers",
        "Threads that answer",
        own("NUMBER", "one a processor", |life, values| {
            match value::count(one(values))? {
                0 => {}
                workers @ 1..=1024 => life.options.workers = whole(workers),
                _ => return Err("1024 is the most".to_owned()),
            }
            Ok(())
        }),
    ),
    setting(
        DEVELOPMENT,
        "dev",
        "Show errors to clients, and watch",
        Kind::Switch(Some("on at a terminal"), |life| &mut life.options.dev),
    ),
    setting(
        DEVELOPMENT,
        "watch",
        "Load the program again when one of its files changes",
        Kind::Switch(Some("as --dev"), |life| &mut life.watch),
    ),
    setting(
        REQUESTS,
        "request-timeout",
        "Time for a request, from its arrival to the end of its handler; beyond: 503",
        Kind::Duration(MOMENT, |life| &mut life.options.request_time),
    ),
    setting(
        REQUESTS,
        "half-close-timeout",
        "Time for a request once its client has closed its side: it may have gone, and it may wait; beyond: 503",
        Kind::Duration(Duration::ZERO, |life| &mut life.options.abandoned_time),
    ),
    setting(
        REQUESTS,
        "request-memory",
        "Memory of one request; beyond: 500",
        Kind::Size(1 << 16..=1 << 50, |life| Whole::Long(&mut life.options.request_memory)),
    ),
    setting(
        REQUESTS,
        "slice",
        "Time after which a handler makes way for the others of its worker",
        Kind::Duration(Duration::from_micros(50), |life| &mut life.options.slice),
    ),
    setting(
        REQUESTS,
        "max-handlers",
        "Handlers of one worker that may be begun at a time",
        Kind::Count(COUNT, |life| Whole::Word(&mut life.options.max_handlers)),
    ),
    setting(
        REQUESTS,
        "max-queue",
        "Requests of one worker that may wait for that; beyond: 503",
        Kind::Count(COUNT_OR_NONE, |life| Whole::Word(&mut life.options.max_queue)),
    ),
    setting(
        REQUESTS,
        "max-queue-time",
        "How long a request may wait for its handler to begin; beyond: 503",
        Kind::Duration(MOMENT, |life| &mut life.options.max_queue_time),
    ),
    setting(
        REQUESTS,
        "max-depth",
        "How deep calls may nest before 'Stack overflow', an error like others",
        Kind::Count(1..=1 << 30, |life| Whole::Word(&mut life.options.max_depth)),
    ),
    setting(
        ROUTES,
        "auto-head",
        "Answer HEAD with the GET route of the path",
        Kind::Switch(None, |life| &mut life.options.auto_head),
    ),
    setting(
        ROUTES,
        "auto-options",
        "Answer OPTIONS with the methods of the path",
        Kind::Switch(None, |life| &mut life.options.auto_options),
    ),
    setting(
        ROUTES,
        "auto-405",
        "Answer 405 where the path has other methods only; else 404",
        Kind::Switch(None, |life| &mut life.options.auto_not_allowed),
    ),
    Setting {
        alias: Some("LOOK_HEALTH_PATH"),
        ..setting(
            LIFE,
            "health-path",
            "Path that answers 200 while the server serves and 503 once it stops; off for none",
            own("PATH", "/health", |life, values| {
                life.options.health_path = match one(values) {
                    "off" => String::new(),
                    path if path.starts_with('/') => path.to_owned(),
                    other => return Err(format!("'{other}' is no path; it begins with /")),
                };
                Ok(())
            }),
        )
    },
    setting(
        LIFE,
        "drain-delay",
        "Time between the health check's failing and the end of listening",
        Kind::Duration(Duration::ZERO, |life| &mut life.drain_delay),
    ),
    setting(
        LIFE,
        "grace",
        "Time for what has been asked when the server stops",
        Kind::Duration(Duration::ZERO, |life| &mut life.grace),
    ),
    setting(
        FILES,
        "static",
        "Folder whose files are served where no route answers; without hidden files and programs",
        own("FOLDER", "none", |life, values| {
            life.options.files = Some(path(values));
            Ok(())
        }),
    ),
    setting(
        FILES,
        "static-max-age",
        "How long clients may keep such a file without asking again",
        Kind::Duration(Duration::ZERO, |life| &mut life.options.files_max_age),
    ),
    setting(
        FILES,
        "compression",
        "Compress text-like responses of 1 KiB and more with zstd, brotli or gzip, as the client allows",
        Kind::Switch(None, |life| &mut life.options.compression),
    ),
    setting(
        WATCHING,
        "log-format",
        "How log lines look: text for people, json for programs, auto for text at a terminal and json elsewhere",
        own("FORMAT", "auto", |life, values| {
            life.log_format = match one(values) {
                "auto" => LogFormat::Auto,
                "text" => LogFormat::Text,
                "json" => LogFormat::Json,
                other => return Err(format!("'{other}' is none of auto, text and json")),
            };
            Ok(())
        }),
    ),
    setting(
        WATCHING,
        "access-log",
        "Write a log line for each request: method, path without query, status, bytes, time, client",
        Kind::Switch(None, |life| &mut life.options.access_log),
    ),
    setting(
        WATCHING,
        "metrics-listen",
        "Address of their own for the metrics, in the text format of Prometheus",
        own("ADDRESS", "nowhere", |life, values| {
            life.options.metrics_address = Some(value::address(one(values))?);
            Ok(())
        }),
    ),
    setting(
        WATCHING,
        "metrics-path",
        "Path of the metrics, at their own address or, without one, for all clients",
        own("PATH", "/metrics at an address of their own, else none", |life, values| {
            life.options.metrics_path = match one(values) {
                "off" => String::new(),
                path if path.starts_with('/') => path.to_owned(),
                other => return Err(format!("'{other}' is no path; it begins with /")),
            };
            Ok(())
        }),
    ),
    setting(
        SIZES,
        "max-request-line",
        "First line of a request; beyond: 414",
        Kind::Size(16..=60_000, |life| Whole::Word(&mut life.options.limits.request_line_bytes)),
    ),
    setting(
        SIZES,
        "max-head",
        "Head of a request; beyond: 431",
        Kind::Size(64..=65_535, |life| Whole::Word(&mut life.options.limits.head_bytes)),
    ),
    setting(
        SIZES,
        "max-headers",
        "Fields of a head; beyond: 431",
        Kind::Count(1..=128, |life| Whole::Word(&mut life.options.limits.header_count)),
    ),
    setting(
        SIZES,
        "max-body",
        "Body of a request; beyond: 413",
        Kind::Size(0..=1 << 50, |life| Whole::Long(&mut life.options.limits.body_bytes)),
    ),
    setting(
        SIZES,
        "body-memory",
        "Part of a body that is held in memory; a longer one goes to a temporary file",
        Kind::Size(BYTES, |life| Whole::Word(&mut life.options.limits.body_memory_bytes)),
    ),
    setting(
        SIZES,
        "max-chunk-line",
        "Line in front of a chunk; beyond: 400",
        Kind::Size(16..=60_000, |life| Whole::Word(&mut life.options.limits.chunk_line_bytes)),
    ),
    setting(
        SIZES,
        "max-trailer",
        "Fields after the last chunk; beyond: 400",
        Kind::Size(16..=60_000, |life| Whole::Word(&mut life.options.limits.trailer_bytes)),
    ),
    setting(
        SIZES,
        "stream-buffer",
        "Part of a streamed response that may wait for its client",
        Kind::Size(BYTES, |life| Whole::Word(&mut life.options.limits.stream_bytes)),
    ),
    setting(
        SIZES,
        "spool-folder",
        "Folder of the temporary files of large bodies",
        own("FOLDER", "the system's folder for them", |life, values| {
            let folder = path(values);
            if !folder.is_dir() {
                return Err(format!("'{}' is no folder", folder.display()));
            }
            life.options.limits.spool_folder = folder;
            Ok(())
        }),
    ),
    setting(
        TIMES,
        "head-timeout",
        "Time for a head, from its first byte to its last; beyond: 408",
        Kind::Duration(MOMENT, |life| &mut life.options.limits.head_time),
    ),
    setting(
        TIMES,
        "body-timeout",
        "Time in which a body's rate is measured; slower: 408",
        Kind::Duration(MOMENT, |life| &mut life.options.limits.body_time),
    ),
    setting(
        TIMES,
        "min-body-rate",
        "Bytes a second that a body has to bring",
        Kind::Size(0..=1 << 50, |life| Whole::Long(&mut life.options.limits.body_rate)),
    ),
    setting(
        TIMES,
        "idle-timeout",
        "Time of a connection without a request; longer than that of the proxy in front, so that it closes first",
        Kind::Duration(MOMENT, |life| &mut life.options.limits.idle_time),
    ),
    setting(
        TIMES,
        "write-timeout",
        "Time without the client taking a byte of its response",
        Kind::Duration(MOMENT, |life| &mut life.options.limits.write_time),
    ),
    setting(
        TIMES,
        "linger-timeout",
        "Time for what is still on its way after the last response",
        Kind::Duration(Duration::ZERO, |life| &mut life.options.limits.linger_time),
    ),
    setting(
        TIMES,
        "drain-timeout",
        "Time in which a connection may still bring a request when the server stops",
        Kind::Duration(Duration::ZERO, |life| &mut life.options.limits.drain_time),
    ),
    setting(
        TIMES,
        "turn-time",
        "Time for requests of one connection in a row before the others have their turn",
        Kind::Duration(Duration::from_micros(1), |life| &mut life.options.limits.turn_time),
    ),
    setting(
        CONNECTIONS,
        "max-connections",
        "Connections of the server; beyond: 503; 0 for as many as the process may open files",
        Kind::Count(0..=1 << 30, |life| Whole::Word(&mut life.options.limits.connections)),
    ),
    setting(
        CONNECTIONS,
        "max-connections-per-address",
        "Connections of one address, or of one /64 of IPv6; beyond: 429; 0 for no limit",
        Kind::Count(0..=1 << 30, |life| Whole::Word(&mut life.options.limits.connections_per_address)),
    ),
    setting(
        CONNECTIONS,
        "count-loopback",
        "Count connections from this machine as those of an address",
        Kind::Switch(None, |life| &mut life.options.limits.count_loopback),
    ),
    setting(
        CONNECTIONS,
        "turn-requests",
        "Requests of one connection in a row before the others have their turn",
        Kind::Count(COUNT, |life| Whole::Word(&mut life.options.limits.turn_requests)),
    ),
];

/// The last value counts where one is taken.
fn one<'v>(values: &[&'v str]) -> &'v str {
    values.last().copied().unwrap_or_default()
}

fn path(values: &[&str]) -> PathBuf {
    PathBuf::from(one(values))
}

fn all<T>(values: &[&str], parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    values.iter().map(|text| parse(text)).collect()
}

fn whole(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Whole<'_> {
    fn get(&self) -> u64 {
        match self {
            Self::Word(number) => **number as u64,
            Self::Long(number) => **number,
        }
    }

    fn set(self, value: u64) {
        match self {
            Self::Word(number) => *number = whole(value),
            Self::Long(number) => *number = value,
        }
    }
}

impl Kind {
    /// What stands for a value in the help.
    pub(super) fn value_name(&self) -> &'static str {
        match self {
            Self::Duration(..) => "TIME",
            Self::Size(..) => "BYTES",
            Self::Count(..) => "NUMBER",
            Self::Switch(..) => "on|off",
            Self::Own { value_name, .. } => value_name,
        }
    }

    pub(super) fn takes(&self) -> Takes {
        match self {
            Self::Switch(..) => Takes::Switch,
            Self::Own { takes, .. } => *takes,
            Self::Duration(..) | Self::Size(..) | Self::Count(..) => Takes::One,
        }
    }
}

impl Setting {
    /// Its name in the environment.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.replace('-', "_").to_ascii_uppercase())
    }

    /// What holds without it, as people write it.
    pub(super) fn default(&self) -> String {
        let mut life = Life::default();
        match &self.kind {
            Kind::Duration(_, place) => value::duration_text(*place(&mut life)),
            Kind::Size(_, place) => value::size_text(place(&mut life).get()),
            Kind::Count(_, place) => place(&mut life).get().to_string(),
            Kind::Switch(None, place) => if *place(&mut life) { "on" } else { "off" }.to_owned(),
            Kind::Switch(Some(default), _) | Kind::Own { default, .. } => (*default).to_owned(),
        }
    }

    /// Takes over its values.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn set(&self, life: &mut Life, values: &[&str]) -> Result<(), String> {
        match &self.kind {
            Kind::Duration(least, place) => {
                let time = value::duration(one(values))?;
                if time < *least {
                    return Err(format!(
                        "'{}' is too short; {} is the least",
                        one(values),
                        value::duration_text(*least)
                    ));
                }
                *place(life) = time;
            }
            Kind::Size(range, place) => {
                let size = bounded(one(values), value::size(one(values))?, range, value::size_text)?;
                place(life).set(size);
            }
            Kind::Count(range, place) => {
                let count = bounded(one(values), value::count(one(values))?, range, |bound| bound.to_string())?;
                place(life).set(count);
            }
            Kind::Switch(_, place) => *place(life) = value::switch(one(values))?,
            Kind::Own { set, .. } => set(life, values)?,
        }
        Ok(())
    }
}

/// A number within its bounds, or which bound it breaks.
fn bounded(text: &str, number: u64, range: &RangeInclusive<u64>, write: fn(u64) -> String) -> Result<u64, String> {
    if number < *range.start() {
        return Err(format!("'{text}' is too small; {} is the least", write(*range.start())));
    }
    if number > *range.end() {
        return Err(format!("'{text}' is too large; {} is the most", write(*range.end())));
    }
    Ok(number)
}

/// All settings as Markdown.
pub(crate) fn reference() -> String {
    let mut text = String::from(
        "# Settings of the server\n\n\
         Written by `gander doc --settings`; a test keeps it current.\n\n\
         Each setting is a flag of `gander serve` and a variable of the environment: `--request-timeout 5s` is\n\
         `GANDER_REQUEST_TIMEOUT=5s`. A flag counts before the environment. Without either the default holds, and every default is\n\
         meant for production, with the server's messages going elsewhere than to a terminal. A value that does not fit ends the start with exit code 2 and says what would fit.\n\n\
         Times need their unit: `100us`, `500ms`, `30s`, `2m`, `1h`. Sizes are bytes, or `64k`, `10m`, `1g` with 1024 as the step.\n\
         Switches are `on` or `off`; a switch without a value is on. Lists are separated by commas.\n",
    );
    let mut group = "";
    for setting in SETTINGS {
        if setting.group != group {
            group = setting.group;
            text.push_str(&format!("\n## {group}\n\n| Flag | Default | What it does |\n|---|---|---|\n"));
        }
        let alias = setting.alias.map(|name| format!(" (also `{name}`)")).unwrap_or_default();
        text.push_str(&format!("| `--{}` | {} | {}{alias} |\n", setting.name, setting.default(), setting.help));
    }
    text
}
