//! RSA signatures with SHA-256, as JSON web tokens name them RS256.

use super::{BASE64_URL, decode_base64};
use rsa::pkcs1::{DecodeRsaPrivateKey, DecodeRsaPublicKey};
use rsa::pkcs8::{DecodePrivateKey, DecodePublicKey};
use rsa::traits::PublicKeyParts;
use rsa::{PrivateKey, PublicKey};
use sha2::Sha256;
use std::borrow::Cow;
use std::fmt::Display;
use vm::Thrown;

/// The signature of `data`.
///
/// # Errors
/// Names `function` and what is wrong with the key.
pub(super) fn sign(function: &str, data: &[u8], pem: &[u8]) -> Result<Vec<u8>, Thrown> {
    let text = pem_text(pem);
    let key = match label(&text) {
        Some("PRIVATE KEY") => PrivateKey::from_pkcs8_pem(&text).map_err(|error| broken(function, &error))?,
        Some("RSA PRIVATE KEY") => PrivateKey::from_pkcs1_pem(&text).map_err(|error| broken(function, &error))?,
        other => return Err(wrong_kind(function, other, "PRIVATE KEY or RSA PRIVATE KEY")),
    };
    key.pkcs1v15_sign::<Sha256>(data).map_err(|error| broken(function, &error))
}

/// True when `signature` (bytes or base64url) belongs to `data`.
///
/// # Errors
/// Names `function` and what is wrong with the key.
pub(super) fn verify(function: &str, data: &[u8], signature: &[u8], pem: &[u8]) -> Result<bool, Thrown> {
    let text = pem_text(pem);
    let key = match label(&text) {
        Some("PUBLIC KEY") => PublicKey::from_public_key_pem(&text).map_err(|error| broken(function, &error))?,
        Some("RSA PUBLIC KEY") => PublicKey::from_pkcs1_pem(&text).map_err(|error| broken(function, &error))?,
        other => return Err(wrong_kind(function, other, "PUBLIC KEY or RSA PUBLIC KEY")),
    };
    // As text a signature is a third longer than as bytes, so its length says which it is.
    let signature = if signature.len() == key.size() {
        Cow::Borrowed(signature)
    } else {
        match decode_base64(&BASE64_URL, signature) {
            Some(bytes) => Cow::Owned(bytes),
            None => return Ok(false),
        }
    };
    Ok(key.pkcs1v15_verify::<Sha256>(data, &signature).is_ok())
}

fn pem_text(pem: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(pem.trim_ascii())
}

/// What the first line of a PEM text says it is.
fn label(text: &str) -> Option<&str> {
    text.lines().next()?.trim_end().strip_prefix("-----BEGIN ")?.strip_suffix("-----")
}

#[cold]
fn broken(function: &str, error: &dyn Display) -> Thrown {
    Thrown::error(format!("{function}(): the key cannot be used: {error}"))
}

#[cold]
fn wrong_kind(function: &str, found: Option<&str>, wanted: &str) -> Thrown {
    let found = match found {
        Some("ENCRYPTED PRIVATE KEY") => "a key with a password, which has to be taken off first".to_owned(),
        Some(label) => format!("{}", label.escape_debug()),
        None => "text without a -----BEGIN line".to_owned(),
    };
    Thrown::error(format!("{function}(): the key must be {wanted} in PEM form, found {found}"))
}
