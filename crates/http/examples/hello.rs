//! The smallest server: one worker, one answer. For measurements. `hello [ADDRESS]`

#![forbid(unsafe_code)]

use http::{Answer, Fields, Limits, Listener, Request, RequestId, Response, Service, Shared, Status, Worker};
use std::error::Error;

struct Hello;

impl Service for Hello {
    fn request(&mut self, _: RequestId, request: Request) -> Answer {
        let (status, body) = match request.path() {
            "/" => (Status::OK, "{\"ok\":true,\"msg\":\"hello\"}\n\n"),
            _ => (Status::NOT_FOUND, "{\"ok\":false}\n"),
        };
        let mut response = Response::new(status, body);
        let mut fields = Fields::new();
        // The name and value are right.
        if fields.add("Content-Type", b"application/json; charset=utf-8").is_ok() {
            response.fields = fields;
        }
        Answer::Respond(response)
    }

    fn cancelled(&mut self, _: RequestId) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let shared = Shared::new(Limits::default());
    let mut worker = Worker::new(shared)?;
    let listener = Listener::bind(address.parse()?)?;
    println!("http://{}", listener.address());
    worker.listen(listener)?;
    loop {
        worker.run_once(&mut Hello, None)?;
    }
}
