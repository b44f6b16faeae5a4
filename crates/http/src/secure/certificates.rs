//! The certificate and key of a server, and their renewal while it runs.

use super::validity::Validity;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, InconsistentKeys, ServerConfig};

/// A longer file holds something else.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// What the client may choose from, the best first.
const PROTOCOLS: [&[u8]; 2] = [HTTP2, b"http/1.1"];

/// The name of HTTP/2 in a handshake (RFC 9113, section 3.1).
pub(super) const HTTP2: &[u8] = b"h2";

/// Why a certificate cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file cannot be read.
    File(PathBuf, io::Error),
    /// The file has no certificate.
    NoCertificate(PathBuf),
    /// The file has a certificate that is malformed.
    BadCertificate(PathBuf),
    /// The file has no private key.
    NoKey(PathBuf),
    /// The private key asks for a passphrase.
    EncryptedKey(PathBuf),
    /// The private key is malformed or of a kind that is not supported.
    BadKey(PathBuf),
    /// The key does not belong to the certificate.
    Mismatch {
        /// File of the certificate.
        certificate: PathBuf,
        /// File of the key.
        key: PathBuf,
    },
    /// The certificate holds no longer.
    Expired(PathBuf, SystemTime),
    /// The certificate does not hold yet.
    NotYetValid(PathBuf, SystemTime),
    /// The system gives no random numbers, or the like.
    Other(rustls::Error),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = |time: &SystemTime| match time.duration_since(SystemTime::UNIX_EPOCH) {
            // The text form of dates ends with the year 9999.
            Ok(since) if since.as_secs() < 253_402_300_800 => httpdate::fmt_http_date(*time),
            _ => "a time that cannot be written".to_owned(),
        };
        match self {
            Self::File(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Self::NoCertificate(path) => write!(
                f,
                "no certificate in {}: the file must have a block that begins with -----BEGIN CERTIFICATE-----",
                path.display()
            ),
            Self::BadCertificate(path) => {
                write!(f, "the certificate in {} is malformed: take the file as the authority gave it", path.display())
            }
            Self::NoKey(path) => write!(
                f,
                "no private key in {}: the file must have a block that begins with -----BEGIN PRIVATE KEY-----",
                path.display()
            ),
            Self::EncryptedKey(path) => write!(
                f,
                "the private key in {} needs a passphrase: take it off with `openssl pkey -in FILE -out NEW_FILE`",
                path.display()
            ),
            Self::BadKey(path) => {
                write!(
                    f,
                    "the private key in {} cannot be used: it must be an RSA, ECDSA or Ed25519 key",
                    path.display()
                )
            }
            Self::Mismatch { certificate, key } => write!(
                f,
                "the private key in {} does not belong to the certificate in {}: give the two files that were made together",
                key.display(),
                certificate.display()
            ),
            Self::Expired(path, until) => {
                write!(f, "the certificate in {} expired on {}: renew it", path.display(), date(until))
            }
            Self::NotYetValid(path, from) => write!(
                f,
                "the certificate in {} is valid only from {}: check the clock of this machine",
                path.display(),
                date(from)
            ),
            Self::Other(error) => write!(f, "TLS cannot be used: {error}"),
        }
    }
}

impl std::error::Error for CertificateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File(_, error) => Some(error),
            Self::Other(error) => Some(error),
            _ => None,
        }
    }
}

/// The certificate chain and key that new connections are served with, read from two files in PEM form.
#[derive(Debug)]
pub struct Certificates {
    certificate: PathBuf,
    key: PathBuf,
    config: Arc<ServerConfig>,
    current: Arc<Current>,
    /// The files as they were when they were last read, whatever came of it.
    read: Mutex<Stamps>,
}

impl Certificates {
    /// Reads the files. The first certificate is the server's, and those of the authorities between it and the root follow.
    /// May wait for the disk.
    ///
    /// # Errors
    /// What is wrong with them, in one line.
    pub fn load(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Result<Self, CertificateError> {
        let (certificate, key) = (certificate.into(), key.into());
        let stamps = Stamps::of(&certificate, &key);
        let current = Arc::new(Current(RwLock::new(read(&certificate, &key)?)));
        let config = config(current.clone()).map_err(CertificateError::Other)?;
        Ok(Self { certificate, key, config: Arc::new(config), current, read: Mutex::new(stamps) })
    }

    /// Reads the files again if they have changed: new connections get the new certificate, others keep theirs. True if there is
    /// a new one. To be called now and then, not on a worker's thread: it waits for the disk.
    ///
    /// # Errors
    /// The changed files cannot be used. The old certificate stays, and the error is given once for each change.
    pub fn reload(&self) -> Result<bool, CertificateError> {
        let mut read_before = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked at before the files are read: what is written meanwhile is a further change.
        let stamps = Stamps::of(&self.certificate, &self.key);
        if *read_before == stamps {
            return Ok(false);
        }
        *read_before = stamps;
        let identity = read(&self.certificate, &self.key)?;
        *self.current.0.write().unwrap_or_else(PoisonError::into_inner) = identity;
        Ok(true)
    }

    /// When the certificate expires that new connections get.
    #[must_use]
    pub fn expires(&self) -> SystemTime {
        self.current.0.read().unwrap_or_else(PoisonError::into_inner).until
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        self.config.clone()
    }
}

fn config(current: Arc<Current>) -> Result<ServerConfig, rustls::Error> {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let mut config = builder.with_safe_default_protocol_versions()?.with_no_client_auth().with_cert_resolver(current);
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    // Sessions live in tickets that clients keep: any worker resumes them, and none holds memory for them.
    config.ticketer = ring::Ticketer::new()?;
    config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
    Ok(config)
}

/// A certificate with its key, and its end.
#[derive(Debug)]
struct Identity {
    key: Arc<CertifiedKey>,
    until: SystemTime,
}

/// The identity that new connections get.
#[derive(Debug)]
struct Current(RwLock<Identity>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).key.clone())
    }
}

/// Two files as the system describes them; None for one that cannot be described.
#[derive(PartialEq, Eq, Debug)]
struct Stamps([Option<Stamp>; 2]);

/// Times of content and of change, size, number.
type Stamp = (i64, i64, i64, i64, u64, u64);

impl Stamps {
    fn of(certificate: &Path, key: &Path) -> Self {
        Self([certificate, key].map(|path| {
            let file = std::fs::metadata(path).ok()?;
            Some((file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec(), file.size(), file.ino()))
        }))
    }
}

/// Reads and checks both files.
fn read(certificate: &Path, key: &Path) -> Result<Identity, CertificateError> {
    let bytes = content(certificate)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let chain = chain.map_err(|_| CertificateError::BadCertificate(certificate.to_owned()))?;
    let Some(first) = chain.first() else { return Err(CertificateError::NoCertificate(certificate.to_owned())) };
    let validity = Validity::of(first).ok_or_else(|| CertificateError::BadCertificate(certificate.to_owned()))?;

    let bytes = content(key)?;
    let private = PrivateKeyDer::from_pem_slice(&bytes).map_err(|error| match error {
        pem::Error::NoItemsFound if is_encrypted(&bytes) => CertificateError::EncryptedKey(key.to_owned()),
        pem::Error::NoItemsFound => CertificateError::NoKey(key.to_owned()),
        _ => CertificateError::BadKey(key.to_owned()),
    })?;
    let signer = ring::sign::any_supported_type(&private);
    let signer = signer.map_err(|_| match is_encrypted(&bytes) {
        true => CertificateError::EncryptedKey(key.to_owned()),
        false => CertificateError::BadKey(key.to_owned()),
    })?;
    let certified = CertifiedKey::new(chain, signer);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => {}
        Err(rustls::Error::InconsistentKeys(_)) => {
            return Err(CertificateError::Mismatch { certificate: certificate.to_owned(), key: key.to_owned() });
        }
        Err(_) => return Err(CertificateError::BadCertificate(certificate.to_owned())),
    }
    let now = SystemTime::now();
    if validity.until < now {
        return Err(CertificateError::Expired(certificate.to_owned(), validity.until));
    }
    if validity.from > now {
        return Err(CertificateError::NotYetValid(certificate.to_owned(), validity.from));
    }
    Ok(Identity { key: Arc::new(certified), until: validity.until })
}

fn content(path: &Path) -> Result<Vec<u8>, CertificateError> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut bytes));
    file.map_err(|error| CertificateError::File(path.to_owned(), error))?;
    Ok(bytes)
}

/// In either of the two forms of keys with a passphrase (RFC 5958 and RFC 1421).
fn is_encrypted(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
}
