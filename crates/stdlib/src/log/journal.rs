//! The standard error output of a server, written by a thread of its own: whoever reads it slowly must not hold a worker.
//!
//! Lines wait in memory, up to a bound. Beyond that they are dropped and counted, and a line says how many were once there is
//! room again. Without the thread, as in a program that serves nobody, lines are written at once.

use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes that may wait.
const MAX_WAITING: usize = 1 << 20;

/// Lines that come within this time are written at once, so that a busy server does not wake the thread for each.
const GATHERING: Duration = Duration::from_millis(5);

/// How long the end waits for a reader.
const LAST_WAIT: Duration = Duration::from_secs(1);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Waiting {
    /// Is there a thread?
    is_running: bool,
    is_over: bool,
    lines: Vec<u8>,
    /// What else takes time: lines for files.
    jobs: Vec<Job>,
    /// Bytes of both that wait or are being written.
    bytes: usize,
    /// Lines dropped since the last report.
    dropped: u64,
    /// Lines dropped ever.
    lost: u64,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    is_running: false,
    is_over: false,
    lines: Vec::new(),
    jobs: Vec::new(),
    bytes: 0,
    dropped: 0,
    lost: 0,
});

/// Something has come, or it is over.
static NEWS: Condvar = Condvar::new();
/// All is written.
static DONE: Condvar = Condvar::new();

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that writes. Dropping it ends the thread once all is written, or nobody reads.
#[derive(Debug)]
pub struct Journal {
    thread: Option<JoinHandle<()>>,
}

impl Journal {
    /// Starts the thread; one a process.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start() -> std::io::Result<Self> {
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(run)?;
        let mut held = waiting();
        held.is_running = true;
        held.is_over = false;
        Ok(Self { thread: Some(thread) })
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let mut held = waiting();
        held.is_over = true;
        NEWS.notify_one();
        while held.is_running {
            let (guard, timeout) = DONE.wait_timeout(held, LAST_WAIT).unwrap_or_else(PoisonError::into_inner);
            held = guard;
            if timeout.timed_out() {
                // Whoever should read does not; the thread ends with the process.
                held.is_running = false;
                return;
            }
        }
        drop(held);
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported by the thread itself.
            let _ = thread.join();
        }
    }
}

/// Lines that were dropped since the start.
pub fn lost() -> u64 {
    waiting().lost
}

/// Writes whole lines to the standard error output.
pub(super) fn write(lines: &[u8]) {
    let mut held = waiting();
    if !held.is_running {
        drop(held);
        to_standard_error(lines);
    } else if held.has_room(lines.len()) {
        held.lines.extend_from_slice(lines);
        NEWS.notify_one();
    }
}

/// Does what may take time for a line of so many bytes: now, or on the thread if there is one.
pub(super) fn run_later(bytes: usize, job: impl FnOnce() + Send + 'static) {
    let mut held = waiting();
    if !held.is_running {
        drop(held);
        job();
    } else if held.has_room(bytes) {
        held.jobs.push(Box::new(job));
        NEWS.notify_one();
    }
}

impl Waiting {
    fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.bytes + bytes <= MAX_WAITING;
        if has_room {
            self.bytes += bytes;
        } else {
            self.dropped += 1;
            self.lost += 1;
        }
        has_room
    }
}

pub(super) fn to_standard_error(lines: &[u8]) {
    // There is nowhere left to report a failure to.
    let _lost_when_closed = std::io::stderr().lock().write_all(lines);
}

fn run() {
    loop {
        let mut held = waiting();
        while held.lines.is_empty() && held.jobs.is_empty() && !held.is_over {
            held = NEWS.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        if !held.is_over {
            drop(held);
            std::thread::sleep(GATHERING);
            held = waiting();
        }
        let (lines, jobs) = (std::mem::take(&mut held.lines), std::mem::take(&mut held.jobs));
        let (taken, dropped) = (held.bytes, std::mem::take(&mut held.dropped));
        if lines.is_empty() && jobs.is_empty() && held.is_over {
            held.is_running = false;
            DONE.notify_all();
            return;
        }
        drop(held);
        to_standard_error(&lines);
        jobs.into_iter().for_each(|job| job());
        let mut held = waiting();
        held.bytes -= taken;
        if dropped > 0 {
            let text = format!("{dropped} log lines were dropped: they are not read as fast as they come");
            let line = super::line::line(super::Level::Warn, "WARN", text.as_bytes(), &[]);
            held.bytes += line.len();
            held.lines.extend_from_slice(&line);
        }
    }
}
