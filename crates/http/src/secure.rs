//! Connections inside of TLS: HTTP/2 and HTTP/1.1, spoken by `hyper` over `rustls` on the worker's own tokio runtime.
//!
//! A worker hands the socket of such a connection to [`Service::secure`](crate::Service::secure), and the embedder gives it to
//! [`serve_secure`], whose future is the connection. `certificates` (with `validity`) prove who the server is, `stream` carries the
//! bytes, `exchange` makes a request of what `hyper` has read (`incoming` reads its body) and a response for it to write
//! (`outgoing`, `pieces` of a file), `streams` has a task for each stream of HTTP/2. `activity` knows what all of them do, and when that takes too
//! long; `admitted` and `idle` let the worker count the connection and ask it to end.

mod activity;
mod admitted;
mod certificates;
mod exchange;
mod idle;
mod incoming;
mod outgoing;
mod pieces;
mod stream;
mod streams;
mod validity;

pub use admitted::Admitted;
pub use certificates::{CertificateError, Certificates};
pub use exchange::Dispatch;
pub(crate) use idle::IdleList;

use activity::{Activity, Flow, Verdict};
use exchange::Exchange;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::TcpStream as StdTcpStream;
use std::os::fd::OwnedFd;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use stream::{Socket, Stream};
use streams::Streams;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The first byte of a TLS connection: a record of the handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 0x16;

/// Streams that a client may have open at a time.
const MAX_STREAMS: u32 = 128;

/// Bytes of one stream, and of all of a connection, that a client may send before they are read. With these a body arrives with
/// several megabytes a second over a round trip of 20 ms.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;

/// Bytes of one stream that may wait for their frames.
const SEND_BUFFER: usize = 64 * 1024;

/// Streams that the client has reset before they were looked at, and that were reset for its errors; beyond, the connection
/// ends.
const MAX_EARLY_RESETS: usize = 20;
const MAX_ERROR_RESETS: usize = 64;

/// The smallest buffer that `hyper` takes for the head of a request.
const MIN_BUFFER: usize = 8 * 1024;

const PLAIN: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 51\r\n\
    Connection: close\r\n\r\n400 Bad Request: this port speaks HTTPS, use https\n";

/// Serves one connection to its end. Must run inside of a [`LocalSet`](tokio::task::LocalSet) of a tokio runtime with timers and
/// I/O; dropping the future closes the connection. Files are written and read on the runtime's blocking threads, of which a
/// few are enough.
///
/// When `stop` is ready, the requests that have begun are answered, and the connection ends.
pub async fn serve_secure<D, S>(
    socket: OwnedFd,
    admitted: Admitted,
    certificates: Arc<Certificates>,
    dispatch: D,
    stop: S,
) where
    D: Dispatch,
    S: Future<Output = ()>,
{
    let activity = Activity::new(admitted.shared().clone(), admitted.mailbox().clone());
    let peer = admitted.peer();
    // A connection that fails has nobody to be told.
    if let Some(tls) = open(socket, &certificates, &activity).await {
        let is_http2 = tls.get_ref().1.alpn_protocol() == Some(certificates::HTTP2);
        activity.opened(!is_http2);
        let exchange = Rc::new(Exchange { dispatch, activity: activity.clone(), peer });
        let stream = Stream::new(tls, activity.clone());
        if is_http2 {
            run_http2(stream, exchange, &activity, stop).await;
        } else {
            run_http1(stream, exchange, &activity, stop).await;
        }
    }
    // The place is free when the socket is closed.
    drop(admitted);
}

/// Does the handshake. None if it fails or takes too long, or if the client does not speak TLS.
async fn open(socket: OwnedFd, certificates: &Certificates, activity: &Rc<Activity>) -> Option<TlsStream<Socket>> {
    let tcp = TcpStream::from_std(StdTcpStream::from(socket)).ok()?;
    let handshake = async {
        let mut first = [0];
        tcp.peek(&mut first).await.ok().filter(|count| *count > 0)?;
        if first == [HANDSHAKE] {
            let socket = Socket::new(tcp, activity.clone());
            return TlsAcceptor::from(certificates.config()).accept(socket).await.ok();
        }
        if first.first().is_some_and(u8::is_ascii_alphabetic) {
            let _ = timeout(activity.limits().linger_time, refuse_plain(tcp, activity.clone())).await;
        }
        None
    };
    timeout(activity.limits().head_time, handshake).await.ok().flatten()
}

/// Says what is wrong to a client that speaks HTTP without TLS.
async fn refuse_plain(mut tcp: TcpStream, activity: Rc<Activity>) -> io::Result<()> {
    tcp.write_all(PLAIN).await?;
    tcp.shutdown().await?;
    let mut socket = Socket::new(tcp, activity);
    poll_fn(|cx| socket.poll_drain(cx)).await
}

async fn run_http1<D: Dispatch, S: Future<Output = ()>>(
    stream: Stream,
    exchange: Rc<Exchange<D>>,
    activity: &Rc<Activity>,
    stop: S,
) {
    let limits = activity.limits();
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let (exchange, busy) = (exchange.clone(), exchange.activity.begin());
        async move { Ok::<_, Infallible>(exchange.run(request, Rc::new(Flow::default()), busy).await) }
    });
    let mut builder = http1::Builder::new();
    // All times are this connection's own.
    builder.header_read_timeout(None).max_headers(limits.header_window());
    builder.max_header_size(limits.head_window()).max_buf_size(limits.head_window().max(MIN_BUFFER));
    drive(pin!(builder.serve_connection(stream, service)), activity, stop).await;
}

async fn run_http2<D: Dispatch, S: Future<Output = ()>>(
    stream: Stream,
    exchange: Rc<Exchange<D>>,
    activity: &Rc<Activity>,
    stop: S,
) {
    let limits = activity.limits();
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let (exchange, busy, flow) = (exchange.clone(), exchange.activity.begin(), Rc::<Flow>::default());
        // The stream's task is begun right after this.
        exchange.activity.set_begun(flow.clone());
        async move { Ok::<_, Infallible>(exchange.run(request, flow, busy).await) }
    });
    let streams = Streams::new(activity.clone());
    let _end = streams.end_with();
    let mut builder = http2::Builder::new(streams);
    builder.max_concurrent_streams(MAX_STREAMS).max_send_buf_size(SEND_BUFFER);
    builder.initial_stream_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
    builder.max_pending_accept_reset_streams(MAX_EARLY_RESETS).max_local_error_reset_streams(MAX_ERROR_RESETS);
    builder.max_header_list_size(u32::try_from(limits.head_window()).unwrap_or(u32::MAX));
    drive(pin!(builder.serve_connection(stream, service)), activity, stop).await;
}

/// A connection of either protocol.
trait Connection: Future {
    /// Takes nothing new and ends when all is answered.
    fn finish(self: Pin<&mut Self>);
}

impl<S, B> Connection for http1::Connection<Stream, S>
where
    S: hyper::service::HttpService<Incoming, ResBody = B>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: hyper::body::Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn finish(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<S, B> Connection for http2::Connection<Stream, S, Streams>
where
    S: hyper::service::HttpService<Incoming, ResBody = B>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: hyper::body::Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    Streams: hyper::rt::bounds::Http2ServerConnExec<S::Future, B>,
{
    fn finish(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Lets a connection go on until it ends or its time is over.
async fn drive<C: Connection, S: Future<Output = ()>>(mut connection: Pin<&mut C>, activity: &Activity, stop: S) {
    let mut stop = pin!(stop);
    let mut is_stopping = false;
    let mut timer = pin!(tokio::time::sleep_until(Instant::now()));
    poll_fn(|cx| {
        activity.set_waker(cx.waker());
        if !is_stopping && stop.as_mut().poll(cx).is_ready() {
            is_stopping = true;
            activity.stop();
        }
        loop {
            if connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            match activity.verdict(Instant::now()) {
                Verdict::Cut => return Poll::Ready(()),
                Verdict::Finish => {
                    activity.finishing();
                    connection.as_mut().finish();
                }
                Verdict::Wait(None) => return Poll::Pending,
                Verdict::Wait(Some(until)) => ready!(wait(timer.as_mut(), until, cx)),
            }
        }
    })
    .await;
}

fn wait(mut timer: Pin<&mut Sleep>, until: Instant, cx: &mut Context<'_>) -> Poll<()> {
    if timer.deadline() != until {
        timer.as_mut().reset(until);
    }
    timer.poll(cx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_for_clients_without_tls_has_its_length() {
        let text = String::from_utf8_lossy(PLAIN);
        let (head, body) = text.split_once("\r\n\r\n").expect("a response has a head");
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{text}");
    }
}
