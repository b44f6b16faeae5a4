//! Hashes, encodings, randomness and signatures.

mod rs256;

use crate::nullable::Nullable;
use crate::random;
use crate::text::Text;
use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit, Mac};
use macros::module;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use vm::Thrown;

/// Padding may be missing when decoding: both kinds are in use for both alphabets.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
pub(crate) const BASE64_URL: GeneralPurpose =
    GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG.with_encode_padding(false));

/// The most random bytes of one call.
const MAX_RANDOM: usize = 4096;

/// Decodes base64 that may be broken into lines.
fn decode_base64(engine: &GeneralPurpose, text: &[u8]) -> Option<Vec<u8>> {
    if text.iter().any(u8::is_ascii_whitespace) {
        let text: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return engine.decode(text).ok();
    }
    engine.decode(text).ok()
}

fn hmac_of(data: &[u8], key: &[u8]) -> Result<Vec<u8>, Thrown> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key)
        .map_err(|error| Thrown::error(format!("crypto::hmac_sha256(): {error}")))?;
    mac.update(data);
    Ok(mac.finalize().into_bytes().to_vec())
}

fn random_bytes_of(function: &str, count: i64) -> Result<Vec<u8>, Thrown> {
    let len = usize::try_from(count).ok().filter(|len| (1..=MAX_RANDOM).contains(len)).ok_or_else(|| {
        Thrown::error(format!("{function}(): $count must be between 1 and {MAX_RANDOM}, got {count}"))
    })?;
    let mut bytes = vec![0; len];
    random::fill(function, &mut bytes)?;
    Ok(bytes)
}

#[module(name = "crypto")]
pub mod builtins {
    //! Hashes, encodings, randomness and signatures.

    use super::*;

    /// The SHA-256 hash of the data, as 64 hexadecimal digits.
    ///
    /// ```look
    /// print(crypto::sha256("abc"))   // ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
    /// ```
    #[builtin(pure)]
    fn sha256(data: Text<'_>) -> String {
        base16ct::lower::encode_string(&Sha256::digest(data.as_bytes()))
    }

    /// The HMAC-SHA256 of the data under a key, as 64 hexadecimal digits: who does not know the key cannot make it.
    ///
    /// ```look
    /// $mac = crypto::hmac_sha256("what do ya want for nothing?", "Jefe")
    /// print(string::substr($mac, 0, 16))   // 5bdcc146bf60754e
    /// ```
    #[builtin(pure)]
    fn hmac_sha256(data: Text<'_>, key: Text<'_>) -> Result<String, Thrown> {
        Ok(base16ct::lower::encode_string(&hmac_of(data.as_bytes(), key.as_bytes())?))
    }

    /// The HMAC-SHA256 of the data under a key, as 32 bytes.
    ///
    /// ```look
    /// print(strlen(crypto::hmac_sha256_raw("data", "key")))   // 32
    /// ```
    #[builtin(pure)]
    fn hmac_sha256_raw(data: Text<'_>, key: Text<'_>) -> Result<Vec<u8>, Thrown> {
        hmac_of(data.as_bytes(), key.as_bytes())
    }

    /// The data in base64.
    ///
    /// ```look
    /// print(crypto::base64_encode("foob"))   // Zm9vYg==
    /// ```
    #[builtin(pure)]
    fn base64_encode(data: Text<'_>) -> String {
        BASE64.encode(data.as_bytes())
    }

    /// The data that a base64 text stands for, or `null` when it is not base64. Padding may be missing, and
    /// line breaks are skipped.
    ///
    /// ```look
    /// print(crypto::base64_decode("Zm9vYg"), crypto::base64_decode("Zm9v!") == null)   // foob true
    /// ```
    #[builtin(pure)]
    fn base64_decode(text: &[u8]) -> Option<Vec<u8>> {
        decode_base64(&BASE64, text)
    }

    /// The data in base64 with the letters that may stand in addresses, without padding.
    ///
    /// ```look
    /// print(crypto::base64url_encode("a>b?"))   // YT5iPw
    /// ```
    #[builtin(pure)]
    fn base64url_encode(data: Text<'_>) -> String {
        BASE64_URL.encode(data.as_bytes())
    }

    /// The data that a base64url text stands for, or `null` when it is not base64url.
    ///
    /// ```look
    /// print(crypto::base64url_decode("YT5iPw"))   // a>b?
    /// ```
    #[builtin(pure)]
    fn base64url_decode(text: &[u8]) -> Option<Vec<u8>> {
        decode_base64(&BASE64_URL, text)
    }

    /// Each byte as two hexadecimal digits.
    ///
    /// ```look
    /// print(crypto::hex_encode("AZ"))   // 415a
    /// ```
    #[builtin(pure)]
    fn hex_encode(data: Text<'_>) -> String {
        base16ct::lower::encode_string(data.as_bytes())
    }

    /// The bytes that hexadecimal digits stand for, or `null` when the text is something else.
    ///
    /// ```look
    /// print(crypto::hex_decode("415A"), crypto::hex_decode("4g") == null)   // AZ true
    /// ```
    #[builtin(pure)]
    fn hex_decode(text: &[u8]) -> Option<Vec<u8>> {
        base16ct::mixed::decode_vec(text).ok()
    }

    /// A random UUID (version 4).
    ///
    /// ```look
    /// print(strlen(crypto::uuid()))   // 36
    /// ```
    #[builtin(reads)]
    fn uuid() -> Result<String, Thrown> {
        let mut bytes = [0; 16];
        random::fill("crypto::uuid", &mut bytes)?;
        Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
    }

    /// This many random bytes, 1 to 4096, as hexadecimal digits: twice as many characters.
    ///
    /// ```look
    /// print(strlen(crypto::random_bytes(16)))   // 32
    /// ```
    #[builtin(reads)]
    fn random_bytes(count: i64) -> Result<String, Thrown> {
        Ok(base16ct::lower::encode_string(&random_bytes_of("crypto::random_bytes", count)?))
    }

    /// This many random bytes, 1 to 4096, as base64url: a token that cannot be guessed, safe in addresses.
    ///
    /// ```look
    /// print(strlen(crypto::random_string(32)))   // 43
    /// ```
    #[builtin(reads)]
    fn random_string(count: i64) -> Result<String, Thrown> {
        Ok(BASE64_URL.encode(random_bytes_of("crypto::random_string", count)?))
    }

    /// True when both texts are equal; takes as long when they differ early as when they differ late.
    ///
    /// `null` is equal to nothing, so that a missing signature is a wrong one.
    ///
    /// ```look
    /// print(crypto::constant_compare("secret", "secret"), crypto::constant_compare(null, ""))   // true false
    /// ```
    #[builtin(pure)]
    fn constant_compare(given: Nullable<&[u8]>, expected: Nullable<&[u8]>) -> bool {
        match (given.0, expected.0) {
            (Some(given), Some(expected)) => given.ct_eq(expected).into(),
            _ => false,
        }
    }

    /// The RSA signature (PKCS#1 v1.5 with SHA-256) of the data under a private key in PEM form, as bytes.
    ///
    /// The key is a `PRIVATE KEY` (PKCS#8) or `RSA PRIVATE KEY` (PKCS#1) without a password.
    ///
    /// ```look
    /// try {
    ///     crypto::rs256_sign("data", "no key")
    /// } catch ($e) {
    ///     print(string::contains($e, "PEM form"))   // true
    /// }
    /// ```
    #[builtin(pure)]
    fn rs256_sign(data: Text<'_>, pem: &[u8]) -> Result<Vec<u8>, Thrown> {
        rs256::sign("crypto::rs256_sign", data.as_bytes(), pem)
    }

    /// The RSA signature of the data as base64url, as a JSON web token wants it; see `crypto::rs256_sign`.
    ///
    /// ```look
    /// try {
    ///     crypto::rs256_sign_b64url("data", "no key")
    /// } catch ($e) {
    ///     print(string::contains($e, "PEM form"))   // true
    /// }
    /// ```
    #[builtin(pure)]
    fn rs256_sign_b64url(data: Text<'_>, pem: &[u8]) -> Result<String, Thrown> {
        Ok(BASE64_URL.encode(rs256::sign("crypto::rs256_sign_b64url", data.as_bytes(), pem)?))
    }

    /// True when the signature, as bytes or base64url, is that of the data under the private key to this public key.
    ///
    /// The key is a `PUBLIC KEY` or `RSA PUBLIC KEY` in PEM form.
    ///
    /// ```look
    /// try {
    ///     crypto::rs256_verify("data", "", "no key")
    /// } catch ($e) {
    ///     print(string::contains($e, "PEM form"))   // true
    /// }
    /// ```
    #[builtin(pure)]
    fn rs256_verify(data: Text<'_>, signature: &[u8], pem: &[u8]) -> Result<bool, Thrown> {
        rs256::verify("crypto::rs256_verify", data.as_bytes(), signature, pem)
    }
}

#[cfg(test)]
mod tests;
