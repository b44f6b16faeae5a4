//! A run's counts as a table for people or as one JSON object for programs.

use crate::arguments::{Mode, Plan};
use crate::histogram::Histogram;
use crate::tally::Tally;

const SHARES: [(&str, f64); 5] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)];

/// The table.
pub(crate) fn table(plan: &Plan, tally: &Tally) -> String {
    let mut lines = vec![
        format!("{}, {} connections, {:.1} s", mode(plan), plan.connections, tally.seconds),
        format!("  answers     {} ({:.0} a second)", tally.latency.total(), tally.throughput()),
        format!("  latency µs  {}", spread(&tally.latency, "  ", |name, value| format!("{name} {value:.0}"))),
    ];
    if matches!(plan.mode, Mode::Open { .. }) {
        lines.push(format!("  own lag µs  {}", spread(&tally.lag, "  ", |name, value| format!("{name} {value:.0}"))));
    }
    if let Some(fairness) = tally.fairness().filter(|_| plan.keep_alive) {
        lines.push(format!(
            "  answers of a connection: least {}, median {}, most {}, never served {}",
            fairness.least, fairness.median, fairness.most, fairness.never
        ));
    }
    if let Some(little) = tally.little(plan) {
        lines.push(format!("  Little's law {little:.3} (1 when connections, throughput and latency fit)"));
    }
    if tally.reconnects > 0 {
        lines.push(format!("  reconnected {} times", tally.reconnects));
    }
    let problems = tally.problems(plan);
    lines.push(if problems.is_empty() { "  valid".to_owned() } else { "  INVALID".to_owned() });
    lines.extend(problems.iter().map(|problem| format!("    {problem}")));
    lines.join("\n")
}

/// The object. Times are in microseconds.
pub(crate) fn json(plan: &Plan, tally: &Tally) -> String {
    let quoted = |name: &str, value: f64| format!("\"{name}\":{value:.1}");
    let mut fields = vec![
        format!("\"mode\":\"{}\"", mode(plan)),
        format!("\"connections\":{}", plan.connections),
        format!("\"seconds\":{:.3}", tally.seconds),
        format!("\"answers\":{}", tally.latency.total()),
        format!("\"throughput\":{:.1}", tally.throughput()),
        format!("\"latency\":{{{}}}", spread(&tally.latency, ",", quoted)),
        format!("\"lag\":{{{}}}", spread(&tally.lag, ",", quoted)),
        format!("\"reconnects\":{}", tally.reconnects),
        format!("\"held\":{}", tally.held),
    ];
    let failures = tally.failures.named().map(|(kind, count)| format!("\"{kind}\":{count}")).join(",");
    fields.push(format!("\"failures\":{{{failures}}}"));
    if let Some(fairness) = tally.fairness() {
        fields.push(format!(
            "\"per_connection\":{{\"least\":{},\"median\":{},\"most\":{},\"never\":{}}}",
            fairness.least, fairness.median, fairness.most, fairness.never
        ));
    }
    if let Some(little) = tally.little(plan) {
        fields.push(format!("\"little\":{little:.4}"));
    }
    // No problem's text holds a quote or a backslash.
    let problems = tally.problems(plan).iter().map(|problem| format!("\"{problem}\"")).collect::<Vec<_>>();
    fields.push(format!("\"problems\":[{}]", problems.join(",")));
    format!("{{{}}}", fields.join(","))
}

fn mode(plan: &Plan) -> String {
    let keep = if plan.keep_alive { "" } else { ", no keep-alive" };
    match plan.mode {
        Mode::Closed if plan.pipeline > 1 => format!("closed loop, pipeline of {}", plan.pipeline),
        Mode::Closed => format!("closed loop{keep}"),
        Mode::Open { rate, poisson } => {
            format!("open loop at {rate:.0} a second{}{keep}", if poisson { " (Poisson)" } else { "" })
        }
        Mode::Idle { hold } => format!("idle for {:.0} s", hold.as_secs_f64()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds to a tenth")]
fn spread(histogram: &Histogram, gap: &str, shape: impl Fn(&str, f64) -> String) -> String {
    let mut parts = vec![shape("mean", histogram.mean() / 1e3)];
    parts.extend(SHARES.iter().map(|(name, share)| shape(name, histogram.quantile(*share) as f64 / 1e3)));
    parts.push(shape("max", histogram.greatest() as f64 / 1e3));
    parts.join(gap)
}
