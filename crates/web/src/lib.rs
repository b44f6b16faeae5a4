//! The web server: programs that answer requests.

#![forbid(unsafe_code)]

mod access;
mod answer;
mod application;
mod common;
mod context;
mod cookie;
mod cookies;
mod dispatcher;
mod encoding;
mod error_page;
mod failure;
mod files;
mod form;
mod handlers;
mod metrics;
mod multipart;
mod plain_page;
mod proxies;
mod pulse;
mod ready;
mod remote;
mod reply;
mod request;
mod response;
mod router;
mod routes;
mod rules;
mod run;
mod runtime;
mod server;
mod services;
mod setup;
mod upload;
mod worker;

pub use application::Application;
pub use failure::error_message;
pub use http::{CertificateError, Limits};
pub use proxies::{InvalidNetwork, Network};
pub use server::{Options, Server, StartError};
pub use setup::Setup;

/// The modules of this crate.
pub static ALL: &[&vm::Module] = &[
    &routes::bare::MODULE,
    &routes::builtins::MODULE,
    &request::builtins::MODULE,
    &response::builtins::MODULE,
    &cookie::builtins::MODULE,
    &services::builtins::MODULE,
    &runtime::builtins::MODULE,
];
