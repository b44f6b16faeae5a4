//! The bytes of a connection: the socket below TLS, and what is inside of it in the form that `hyper` reads and writes.

use super::activity::Activity;
use hyper::rt::ReadBufCursor;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// The socket, which notes whether the client takes what is sent to it.
pub(super) struct Socket {
    tcp: TcpStream,
    activity: Rc<Activity>,
}

impl Socket {
    pub(super) fn new(tcp: TcpStream, activity: Rc<Activity>) -> Self {
        Self { tcp, activity }
    }

    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        self.activity.sent(written.is_pending());
        written
    }

    /// Reads and drops what comes, to the end. A close with bytes unread would be a reset, and take the last response along.
    pub(super) fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut bytes = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.tcp).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write(cx, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write_vectored(cx, parts);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}

/// What is inside of TLS.
pub(super) struct Stream {
    tls: TlsStream<Socket>,
    activity: Rc<Activity>,
    is_ended: bool,
}

impl Stream {
    pub(super) fn new(tls: TlsStream<Socket>, activity: Rc<Activity>) -> Self {
        Self { tls, activity, is_ended: false }
    }
}

impl hyper::rt::Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { tls, activity, .. } = &mut *self;
        let bytes = ready!(Pin::new(&mut *tls).poll_fill_buf(cx))?;
        let taken = bytes.get(..buffer.remaining()).unwrap_or(bytes);
        let count = taken.len();
        buffer.put_slice(taken);
        if count > 0 {
            activity.received();
            Pin::new(tls).consume(count);
        }
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tls).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tls).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.tls.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tls).poll_flush(cx)
    }

    /// Ends our side, then waits for the client to end its own; the connection's verdict bounds that.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.activity.ended();
        if !self.is_ended {
            ready!(Pin::new(&mut self.tls).poll_shutdown(cx))?;
            self.is_ended = true;
        }
        self.tls.get_mut().0.poll_drain(cx)
    }
}
