//! What a run counted: latencies, failures, requests of each connection; and whether that can be believed.

use crate::arguments::{Mode, Plan};
use crate::histogram::Histogram;

/// Requests that did not get the answer they should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// No connection came about.
    pub(crate) connect: u64,
    /// The connection ended before the answer.
    pub(crate) closed: u64,
    /// What came was no HTTP answer, or nobody had asked.
    pub(crate) malformed: u64,
    pub(crate) status: u64,
    pub(crate) body: u64,
    /// No answer within `--timeout`.
    pub(crate) timeout: u64,
}

impl Failures {
    /// Each kind with its name.
    pub(crate) fn named(&self) -> [(&'static str, u64); 6] {
        [
            ("connect", self.connect),
            ("closed", self.closed),
            ("malformed", self.malformed),
            ("status", self.status),
            ("body", self.body),
            ("timeout", self.timeout),
        ]
    }
}

/// The counts of one thread, or of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Nanoseconds; in the open loop from the time a request was due.
    pub(crate) latency: Histogram,
    /// Nanoseconds by which the tool itself sent late although a connection was free.
    pub(crate) lag: Histogram,
    pub(crate) failures: Failures,
    /// Measured answers of each connection.
    pub(crate) per_connection: Vec<u64>,
    /// Connections that the server closed in good order after an answer.
    pub(crate) reconnects: u64,
    /// Connections still open at the end of `--idle`.
    pub(crate) held: u64,
    /// Seconds that were measured.
    pub(crate) seconds: f64,
}

impl Tally {
    /// Adds another thread's counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.lag.merge(&other.lag);
        let (mine, more) = (&mut self.failures, &other.failures);
        mine.connect += more.connect;
        mine.closed += more.closed;
        mine.malformed += more.malformed;
        mine.status += more.status;
        mine.body += more.body;
        mine.timeout += more.timeout;
        self.per_connection.extend_from_slice(&other.per_connection);
        self.reconnects += other.reconnects;
        self.held += other.held;
        self.seconds = self.seconds.max(other.seconds);
    }

    /// Answers a second.
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 answers")]
    pub(crate) fn throughput(&self) -> f64 {
        if self.seconds > 0.0 { self.latency.total() as f64 / self.seconds } else { 0.0 }
    }

    /// Little's law as a quotient: the latency that connections and throughput imply, by the one measured. 1 when the
    /// numbers fit each other; none where the law says nothing.
    pub(crate) fn little(&self, plan: &Plan) -> Option<f64> {
        if plan.mode != Mode::Closed || self.latency.total() == 0 {
            return None;
        }
        let outstanding = f64::from(plan.connections) * f64::from(plan.pipeline);
        Some(outstanding / self.throughput() / (self.latency.mean() / 1e9))
    }

    /// Least, middle and most answers of a connection, and how many had none.
    pub(crate) fn fairness(&self) -> Option<Fairness> {
        let mut counts = self.per_connection.clone();
        counts.sort_unstable();
        Some(Fairness {
            least: *counts.first()?,
            median: *counts.get(counts.len() / 2)?,
            most: *counts.last()?,
            never: counts.iter().take_while(|count| **count == 0).count(),
        })
    }

    /// Why these numbers are no result; empty when they are.
    pub(crate) fn problems(&self, plan: &Plan) -> Vec<String> {
        let mut problems = Vec::new();
        if self.latency.total() == 0 {
            problems.push("nothing was answered".to_owned());
        }
        for (kind, count) in self.failures.named() {
            if count > 0 {
                problems.push(format!("{count} failures of kind {kind}"));
            }
        }
        if let Some(little) = self.little(plan).filter(|little| !(0.9..=1.1).contains(little)) {
            problems.push(format!(
                "Little's law is off by a factor of {little:.2}: some connections wait without being counted"
            ));
        }
        let asked_all = plan.mode == Mode::Closed && plan.requests >= u64::from(plan.connections) * 10;
        if let Some(fairness) = self.fairness().filter(|fairness| asked_all && fairness.never > 0) {
            problems.push(format!("{} of {} connections were never served", fairness.never, plan.connections));
        }
        if matches!(plan.mode, Mode::Idle { .. }) && self.held < u64::from(plan.connections) {
            problems.push(format!("only {} of {} connections were kept", self.held, plan.connections));
        }
        problems
    }
}

/// How answers spread over connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fairness {
    pub(crate) least: u64,
    pub(crate) median: u64,
    pub(crate) most: u64,
    pub(crate) never: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Asked, parse};

    fn plan(line: &str) -> Plan {
        match parse(line.split_whitespace().map(str::to_owned)) {
            Ok(Asked::Run(plan)) => *plan,
            other => panic!("{line}: {other:?}"),
        }
    }

    /// A second in which each of `counts` connections got so many answers of `latency` nanoseconds.
    fn tally(counts: &[u64], latency: u64) -> Tally {
        let mut tally = Tally { per_connection: counts.to_vec(), seconds: 1.0, ..Tally::default() };
        for _ in 0..counts.iter().sum() {
            tally.latency.record(latency);
        }
        tally
    }

    #[test]
    fn numbers_that_fit_are_valid() {
        let tally = tally(&[100, 100, 100, 100], 10_000_000);
        assert_eq!(tally.problems(&plan("127.0.0.1:1 --connections 4")), Vec::<String>::new());
    }

    #[test]
    fn served_few_of_many_is_invalid_though_the_latency_looks_good() {
        let problems = tally(&[200, 200, 0, 0], 5_000_000).problems(&plan("127.0.0.1:1 --connections 4"));
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("factor of 2.00"), "{problems:?}");
        assert!(problems[1].contains("2 of 4 connections were never served"), "{problems:?}");
    }

    #[test]
    fn failures_and_silence_are_invalid() {
        let mut failed = tally(&[100, 100], 10_000_000);
        failed.failures.timeout = 3;
        let plan = plan("127.0.0.1:1 --connections 2");
        assert_eq!(failed.problems(&plan), ["3 failures of kind timeout"]);
        assert!(tally(&[], 1).problems(&plan)[0].contains("nothing"));
    }

    #[test]
    fn idle_connections_must_all_be_kept() {
        let mut idle = tally(&[1, 1], 10);
        idle.held = 1;
        assert_eq!(idle.problems(&plan("127.0.0.1:1 --connections 2 --idle 1")), ["only 1 of 2 connections were kept"]);
    }

    #[test]
    fn threads_are_added() {
        let mut one = tally(&[5], 10);
        one.merge(&tally(&[7, 0], 20));
        assert_eq!(one.fairness(), Some(Fairness { least: 0, median: 5, most: 7, never: 1 }));
        assert_eq!((one.latency.total(), one.latency.greatest()), (12, 20));
    }
}
