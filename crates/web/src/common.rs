//! What the workers of a server share.

use crate::application::Application;
use crate::handlers::Bounds;
use crate::rules::Rules;
use http::Certificates;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The application that answers.
#[derive(Debug)]
pub(crate) struct Current {
    version: AtomicU64,
    application: Mutex<Arc<Application>>,
}

impl Current {
    pub(crate) fn new(application: Arc<Application>) -> Self {
        Self { version: AtomicU64::new(1), application: Mutex::new(application) }
    }

    /// Lets another application answer from now on.
    pub(crate) fn set(&self, application: Arc<Application>) {
        *self.application.lock().unwrap_or_else(PoisonError::into_inner) = application;
        self.version.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn get(&self) -> Arc<Application> {
        self.application.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes with the application.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}

/// What all workers share.
pub(crate) struct Common {
    pub(crate) current: Current,
    pub(crate) bounds: Bounds,
    pub(crate) rules: Rules,
    /// Handlers of one worker that may be begun at a time.
    pub(crate) max_handlers: usize,
    /// Requests of one worker that may wait for that.
    pub(crate) max_queue: usize,
    /// For this long.
    pub(crate) max_queue_time: Duration,
    /// Path of the health check; empty for none.
    pub(crate) health_path: String,
    /// Where the metrics are to be had by clients; empty for nowhere.
    pub(crate) metrics_path: String,
    /// Write a line for each request?
    pub(crate) access_log: bool,
    /// What the server proves itself with inside of TLS.
    pub(crate) certificates: Option<Arc<Certificates>>,
    /// Is the server there for new requests?
    pub(crate) is_ready: AtomicBool,
    /// Close what is left.
    pub(crate) is_over: AtomicBool,
}
