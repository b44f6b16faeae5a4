//! A server that a test starts as a process of its own, and what it answers, byte by byte.

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// No test waits longer than this for anything.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Lets this process and those it starts open as many files as the system allows, and gives that number.
///
/// # Panics
/// The system refuses what it says it allows.
pub fn raise_file_limit() -> usize {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("a limit may be raised to its maximum");
    maximum.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Sends a signal to a process that the test has started.
///
/// # Panics
/// There is no such process.
pub fn send_signal(process: u32, signal: Signal) {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw).expect("a process has a number");
    kill_process(pid, signal).expect("the process is there");
}

/// A running `gander serve`. Dropping it ends the process.
#[derive(Debug)]
pub struct Server {
    child: Child,
    urls: Vec<String>,
    told: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts `gander serve` for a program on a port that the system chooses, with further arguments, and waits until it listens.
    ///
    /// # Errors
    /// It ended instead: with what it wrote to standard error.
    pub fn start(gander: &str, args: &[&str], file: &Path) -> Result<Self, String> {
        let mut command = Command::new(gander);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--log-format", "text"])
            .args(args)
            .arg(file);
        Self::run(command)
    }

    /// Starts a command that serves, and waits until it says that it is ready.
    ///
    /// # Errors
    /// It ended instead: with what it wrote to standard error.
    pub fn run(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let stderr = child.stderr.take().ok_or("no standard error")?;
        let mut lines = BufReader::new(stderr).lines();
        let (mut urls, mut told) = (Vec::new(), Vec::new());
        loop {
            let Some(Ok(line)) = lines.next() else {
                let status = child.wait().map_err(|error| error.to_string())?;
                return Err(format!("{}\n({status})", told.join("\n")));
            };
            let words = line.split(|c: char| c.is_whitespace() || c == '"');
            urls.extend(words.filter(|word| word.contains("://")).map(str::to_owned));
            let is_ready = line.contains("ready after");
            told.push(line);
            if is_ready {
                break;
            }
        }
        let told = Arc::new(Mutex::new(told));
        let heard = told.clone();
        // Reads on, so that the server never waits for its log to be read.
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Ok(Self { child, urls, told, reader: Some(reader) })
    }

    /// Where it says that it can be reached.
    #[must_use]
    pub fn urls(&self) -> &[String] {
        &self.urls
    }

    /// Its address number `at`.
    ///
    /// # Panics
    /// It has none.
    #[must_use]
    pub fn address(&self, at: usize) -> SocketAddr {
        let url = self.urls.get(at).map(String::as_str).unwrap_or_default();
        let address = url.split("://").nth(1).unwrap_or_default().trim_end_matches('/');
        address.parse().unwrap_or_else(|_| panic!("the server names an address, not {:?}", self.urls))
    }

    /// The process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to standard error so far.
    #[must_use]
    pub fn told(&self) -> String {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }

    /// Waits until it has written a text to standard error.
    ///
    /// # Panics
    /// It does not.
    pub fn wait_for(&self, text: &str) {
        let began = Instant::now();
        while !self.told().contains(text) {
            assert!(began.elapsed() < PATIENCE, "the server says {text:?}; it said:\n{}", self.told());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// A new connection.
    ///
    /// # Panics
    /// There can be none.
    #[must_use]
    pub fn connect(&self) -> Client {
        Client::connect(self.address(0)).expect("the server accepts connections")
    }

    /// Sends a request on a connection of its own and gives the response.
    ///
    /// # Panics
    /// There is none.
    #[must_use]
    pub fn ask(&self, request: &str) -> Reply {
        self.connect().ask(request)
    }

    /// `GET` of a path.
    ///
    /// # Panics
    /// There is no response.
    #[must_use]
    pub fn get(&self, path: &str) -> Reply {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// The process is gone.
    pub fn signal(&self, signal: Signal) {
        send_signal(self.child.id(), signal);
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// It does not.
    pub fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "the server ends; it said:\n{}", self.told());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Has it ended?
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to stop, waits for that, and gives how it ended and all that it wrote.
    ///
    /// # Panics
    /// It does not stop.
    pub fn stop(mut self) -> (ExitStatus, String) {
        self.signal(Signal::TERM);
        let status = self.wait();
        if let Some(reader) = self.reader.take() {
            // It has printed what went wrong.
            let _ = reader.join();
        }
        (status, self.told())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    /// What has arrived behind the last response.
    left: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// The server does not accept it.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, left: Vec::new() })
    }

    /// The socket.
    #[must_use]
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Reads the response to a request of this method.
    ///
    /// # Errors
    /// The connection ended before, or what came is not a response.
    pub fn read(&mut self, method: &str) -> io::Result<Reply> {
        let end = loop {
            if let Some(at) = find(&self.left, b"\r\n\r\n") {
                break at + 4;
            }
            self.fill()?;
        };
        let head: Vec<u8> = self.left.drain(..end).collect();
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut reply = Reply::parse(&head).ok_or_else(|| io::Error::other(format!("no response: {head:?}")))?;
        if reply.status == 100 {
            return self.read(method);
        }
        if method == "HEAD" || matches!(reply.status, 204 | 304) {
            return Ok(reply);
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            reply.body = self.read_chunks()?;
        } else if let Some(length) = reply.header("content-length") {
            let length: usize = length.parse().map_err(io::Error::other)?;
            reply.body = self.take(length)?;
        } else {
            while self.fill().is_ok() {}
            reply.body = std::mem::take(&mut self.left);
        }
        Ok(reply)
    }

    fn read_chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(at) = find(&self.left, b"\r\n") {
                    break at;
                }
                self.fill()?;
            };
            let line: Vec<u8> = self.take(end + 2)?;
            let size = String::from_utf8_lossy(&line).trim().to_owned();
            let size = usize::from_str_radix(&size, 16).map_err(io::Error::other)?;
            body.extend(self.take(size)?);
            self.take(2)?;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.left.len() < length {
            self.fill()?;
        }
        Ok(self.left.drain(..length).collect())
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut part = [0; 16 * 1024];
        match self.stream.read(&mut part)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                self.left.extend(part.iter().take(count));
                Ok(())
            }
        }
    }

    /// Sends a request and reads its response.
    ///
    /// # Panics
    /// There is none.
    #[must_use]
    pub fn ask(&mut self, request: &str) -> Reply {
        self.send(request).expect("the server reads");
        let method = request.split(' ').next().unwrap_or_default();
        self.read(method).unwrap_or_else(|error| panic!("the server answers {request:?}: {error}"))
    }

    /// Has the server closed the connection? Waits for it.
    #[must_use]
    pub fn is_closed(&mut self) -> bool {
        self.left.is_empty() && self.fill().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// A response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The code.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Without the framing.
    pub body: Vec<u8>,
}

impl Reply {
    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let fields = lines.filter_map(|line| line.split_once(": "));
        let headers = fields.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Some(Self { status, headers, body: Vec::new() })
    }

    /// The first header of this name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All headers of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
