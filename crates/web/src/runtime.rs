//! `runtime::`: what the running server says of itself.

use crate::context::Context;
use crate::metrics::{Memory, Totals};
use vm::{Cx, Map, Str, Value};

/// The running server.
#[macros::module(name = "runtime")]
pub(crate) mod builtins {
    use super::*;

    /// Numbers of the running server: time since its start in seconds, requests, routes, memory in megabytes (all of it,
    /// and what belongs to this process alone), answers with a status from 500, microseconds of the last request and of the
    /// mean one, and what is going on now. Outside of a server only the memory is more than zero.
    ///
    /// ```look
    /// print(runtime::stats()["working_mb"] > 0)   // true
    /// ```
    #[builtin(reads)]
    fn stats(cx: &mut Cx<'_>) -> Map {
        let context = cx.isolate().purpose::<Context>();
        let totals = context.map_or_else(Totals::default, |context| context.rules.metrics.totals());
        let memory = Memory::now();
        let megabytes = |bytes: u64| Value::float(((bytes as f64) / 1_048_576.0 * 100.0).round() / 100.0);
        let whole = |number: u64| Value::int(i64::try_from(number).unwrap_or(i64::MAX));
        let mut map = Map::new();
        for (name, value) in [
            ("uptime_sec", whole(totals.uptime.as_secs())),
            ("request_count", whole(totals.requests)),
            ("route_count", whole(totals.routes)),
            ("working_mb", megabytes(memory.resident)),
            ("private_mb", megabytes(memory.anonymous)),
            ("errors_5xx", whole(totals.errors)),
            ("latency_last_us", whole(totals.last)),
            ("latency_avg_us", whole(totals.mean)),
            ("workers", whole(totals.workers as u64)),
            ("connections", whole(totals.connections as u64)),
            ("in_flight", whole(totals.in_flight)),
            ("waiting", whole(totals.waiting)),
            ("queued", whole(totals.queued)),
            ("reloads", whole(totals.reloads)),
        ] {
            map.insert(Str::from(name), value);
        }
        map
    }

    /// Gives memory that is free back to the system. Values are freed as soon as nobody uses them, so there is nothing to
    /// collect.
    ///
    /// ```look
    /// print(runtime::gc())   // ok
    /// ```
    #[builtin(writes)]
    fn gc() -> &'static str {
        vm::memory::give_back();
        "ok"
    }
}
