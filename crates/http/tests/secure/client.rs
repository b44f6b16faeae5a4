//! Clients that speak TLS.

use crate::server::PATIENCE;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ALL_VERSIONS, ClientConfig, RootCertStore, SupportedProtocolVersion};

/// Runs a test's client side, which must end in time.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        tokio::time::timeout(PATIENCE, future).await.expect("the client is served in time")
    })
}

pub(crate) fn config(trusted: &[u8], protocols: &[&str]) -> ClientConfig {
    config_of(trusted, protocols, ALL_VERSIONS)
}

pub(crate) fn config_of(
    trusted: &[u8],
    protocols: &[&str],
    versions: &[&'static SupportedProtocolVersion],
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(trusted.to_vec())).expect("it is a certificate");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(versions).expect("the versions are known");
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    config
}

/// Connects and does the handshake.
pub(crate) async fn connect(
    address: SocketAddr,
    trusted: &[u8],
    protocols: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    connect_with(address, Arc::new(config(trusted, protocols))).await
}

pub(crate) async fn connect_with(address: SocketAddr, config: Arc<ClientConfig>) -> io::Result<TlsStream<TcpStream>> {
    let tcp = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").expect("it is a name");
    TlsConnector::from(config).connect(name, tcp).await
}

/// A stream in the form that `hyper` reads and writes.
pub(crate) struct Io(pub(crate) TlsStream<TcpStream>);

impl hyper::rt::Read for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: hyper::rt::ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let bytes = ready!(Pin::new(&mut self.0).poll_fill_buf(cx))?;
        let count = bytes.len().min(buffer.remaining());
        buffer.put_slice(bytes.get(..count).unwrap_or_default());
        Pin::new(&mut self.0).consume(count);
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Io {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[derive(Clone)]
struct Local;

impl<F: Future<Output = ()> + 'static> hyper::rt::Executor<F> for Local {
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}

/// A body in pieces, which may stop coming.
pub(crate) struct Pieces {
    pub(crate) pieces: Vec<Bytes>,
    pub(crate) stalls: bool,
}

impl From<Vec<u8>> for Pieces {
    fn from(bytes: Vec<u8>) -> Self {
        let mut pieces: Vec<Bytes> = bytes.chunks(50_000).map(Bytes::copy_from_slice).collect();
        pieces.reverse();
        Self { pieces, stalls: false }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.pieces.pop() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.stalls => Poll::Pending,
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && !self.stalls
    }
}

/// One connection of either protocol.
pub(crate) enum Client {
    One(http1::SendRequest<Pieces>),
    Two(http2::SendRequest<Pieces>),
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) version: hyper::Version,
    pub(crate) headers: hyper::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("it is text"))
    }
}

pub(crate) fn request(method: &str, path: &str, body: Vec<u8>) -> Request<Pieces> {
    let mut request = Request::new(body.into());
    *request.method_mut() = method.parse().expect("it is a method");
    *request.uri_mut() = path.parse().expect("it is a path");
    request
}

impl Client {
    pub(crate) async fn http1(address: SocketAddr, trusted: &[u8]) -> Self {
        let stream = connect(address, trusted, &["http/1.1"]).await.expect("the handshake succeeds");
        let (sender, connection) = http1::handshake(Io(stream)).await.expect("the connection begins");
        tokio::task::spawn_local(connection);
        Self::One(sender)
    }

    pub(crate) async fn http2(address: SocketAddr, trusted: &[u8]) -> Self {
        Self::http2_with(address, trusted, &http2::Builder::new(Local)).await
    }

    /// One that takes no more of a response than this until it reads.
    pub(crate) async fn http2_with_window(address: SocketAddr, trusted: &[u8], bytes: u32) -> Self {
        let mut builder = http2::Builder::new(Local);
        builder.initial_stream_window_size(bytes);
        Self::http2_with(address, trusted, &builder).await
    }

    async fn http2_with(address: SocketAddr, trusted: &[u8], builder: &http2::Builder<Local>) -> Self {
        let stream = connect(address, trusted, &["h2"]).await.expect("the handshake succeeds");
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let (sender, connection) = builder.handshake(Io(stream)).await.expect("the connection begins");
        tokio::task::spawn_local(connection);
        Self::Two(sender)
    }

    pub(crate) async fn both(address: SocketAddr, trusted: &[u8]) -> [Self; 2] {
        [Self::http1(address, trusted).await, Self::http2(address, trusted).await]
    }

    /// Another hold on the same connection of HTTP/2.
    pub(crate) fn share(&self) -> Self {
        match self {
            Self::One(_) => panic!("HTTP/1.1 has one request at a time"),
            Self::Two(sender) => Self::Two(sender.clone()),
        }
    }

    /// Sends a request on another hold; dropping the future takes the request back.
    pub(crate) async fn share_begin(&mut self, path: &str) -> hyper::Result<Response<Incoming>> {
        self.share().begin(request("GET", path, Vec::new())).await
    }

    pub(crate) async fn is_open(&mut self) -> bool {
        match self {
            Self::One(sender) => sender.ready().await.is_ok(),
            Self::Two(sender) => sender.ready().await.is_ok(),
        }
    }

    /// Sends a request; the response is still to be read.
    pub(crate) async fn begin(&mut self, mut request: Request<Pieces>) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::One(sender) => {
                sender.ready().await?;
                if !request.headers().contains_key("host") {
                    request.headers_mut().insert("host", "localhost".parse().expect("it is a value"));
                }
                sender.send_request(request).await
            }
            Self::Two(sender) => {
                sender.ready().await?;
                let path = request.uri().to_string();
                *request.uri_mut() = format!("https://localhost{path}").parse().expect("it is an address");
                sender.send_request(request).await
            }
        }
    }

    pub(crate) async fn send(&mut self, request: Request<Pieces>) -> hyper::Result<Reply> {
        let (parts, body) = self.begin(request).await?.into_parts();
        let body = read(body).await?;
        Ok(Reply { status: parts.status.as_u16(), version: parts.version, headers: parts.headers, body })
    }

    pub(crate) async fn get(&mut self, path: &str) -> Reply {
        self.send(request("GET", path, Vec::new())).await.expect("the response is complete")
    }

    pub(crate) async fn post(&mut self, path: &str, body: Vec<u8>) -> Reply {
        self.send(request("POST", path, body)).await.expect("the response is complete")
    }
}

/// Reads a body to its end.
pub(crate) async fn read(mut body: Incoming) -> hyper::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        if let Ok(piece) = frame?.into_data() {
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(bytes)
}
