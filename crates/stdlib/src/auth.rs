//! Passwords: `auth::hash` and `auth::verify`.
//!
//! New hashes are Argon2id in PHC form. PBKDF2 hashes of earlier programs are verified too. Both are slow on purpose; a
//! hash that asks for more work than [`MAX_PASSES`] or [`MAX_ROUNDS`] is refused, so that no text stops a server.

use crate::crypto::{BASE64, BASE64_URL};
use crate::helper;
use crate::nullable::Nullable;
use crate::random;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, Params, PasswordHasher, PasswordVerifier};
use base64::Engine;
use macros::module;
use sha2::Sha256;
use subtle::ConstantTimeEq;
use vm::{Thrown, text};

/// Memory times passes over it, in KiB: about a second.
const MAX_PASSES: u64 = 1 << 20;
/// Memory in KiB.
const MAX_MEMORY: u32 = 256 << 10;
/// PBKDF2 iterations: a few seconds on a slow machine, and more than anybody recommends.
const MAX_ROUNDS: u32 = 5_000_000;
const SALT_BYTES: usize = 16;

/// True when the password belongs to a hash in PHC form.
fn verify_argon2(password: &[u8], hash: &str) -> Result<bool, String> {
    let Ok(parsed) = PasswordHash::new(hash) else { return Ok(false) };
    let Ok(params) = Params::try_from(&parsed) else { return Ok(false) };
    let passes = u64::from(params.m_cost()) * u64::from(params.t_cost());
    if params.m_cost() > MAX_MEMORY || passes > MAX_PASSES {
        return Err(format!(
            "auth::verify(): the hash asks for {} KiB of memory {} times; \
             at most {MAX_MEMORY} KiB at once and {MAX_PASSES} KiB in all are allowed",
            params.m_cost(),
            params.t_cost()
        ));
    }
    Ok(Argon2::default().verify_password(password, &parsed).is_ok())
}

/// True when the password belongs to `pbkdf2$sha256$ROUNDS$SALT$HASH` with salt and hash in base64 or hexadecimal.
fn verify_pbkdf2(password: &[u8], fields: &str) -> Result<bool, String> {
    let mut fields = fields.split('$');
    let (Some("sha256"), Some(rounds), Some(salt), Some(hash), None) =
        (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Ok(false);
    };
    let Some(rounds @ 1..) = text::parse_int(rounds.as_bytes()) else { return Ok(false) };
    let Some(rounds) = u32::try_from(rounds).ok().filter(|rounds| *rounds <= MAX_ROUNDS) else {
        return Err(format!("auth::verify(): the hash asks for {rounds} rounds; at most {MAX_ROUNDS} are allowed"));
    };
    let (Some(salt), Some(hash)) = (decode(salt), decode(hash)) else { return Ok(false) };
    if !(MIN_HASH..=MAX_HASH).contains(&hash.len()) {
        return Ok(false);
    }
    let mut computed = vec![0; hash.len()];
    pbkdf2::pbkdf2_hmac::<Sha256>(password, &salt, rounds, &mut computed);
    Ok(computed.ct_eq(&hash).into())
}

/// Fewer bytes are too easily hit by chance; more than one block multiplies the work.
const MIN_HASH: usize = 16;
const MAX_HASH: usize = 32;

/// The bytes of a salt or hash, which are 16 or 32: 32 or 64 hexadecimal digits are taken as such, though they could be
/// base64 of another length.
fn decode(text: &str) -> Option<Vec<u8>> {
    if matches!(text.len(), 32 | 64)
        && let Ok(bytes) = base16ct::mixed::decode_vec(text)
    {
        return Some(bytes);
    }
    BASE64.decode(text).or_else(|_not_standard| BASE64_URL.decode(text)).ok()
}

#[module(name = "auth")]
pub mod builtins {
    //! Passwords.

    use super::*;

    /// A hash of the password to store in its place. Each call gives another one; `auth::verify` checks it.
    ///
    /// ```look
    /// $hash = auth::hash("correct horse")
    /// print(string::starts_with($hash, "$argon2id$"), auth::verify("correct horse", $hash))   // true true
    /// ```
    #[builtin(waits)]
    fn hash(password: &[u8]) -> Result<String, Thrown> {
        let mut salt = [0; SALT_BYTES];
        random::fill("auth::hash", &mut salt)?;
        let password = password.to_vec();
        let hash = helper::run_heavy(move || Argon2::default().hash_password_with_salt(&password, &salt))?;
        hash.map(|hash| hash.to_string()).map_err(|error| Thrown::error(format!("auth::hash(): {error}")))
    }

    /// True when the password is the one that was hashed.
    ///
    /// Reads hashes of `auth::hash`, other Argon2 hashes in PHC form, and `pbkdf2$sha256$…` of earlier programs. What
    /// is no hash belongs to no password. A hash that would take many seconds to check is an error.
    ///
    /// ```look
    /// print(auth::verify("guess", auth::hash("correct horse")), auth::verify("", ""))   // false false
    /// ```
    #[builtin(waits)]
    fn verify(password: &[u8], hash: Nullable<&[u8]>) -> Result<bool, Thrown> {
        let Some(Ok(hash)) = hash.0.map(std::str::from_utf8) else { return Ok(false) };
        let (password, hash) = (password.to_vec(), hash.to_owned());
        helper::run_heavy(move || match hash.strip_prefix("pbkdf2$") {
            Some(fields) => verify_pbkdf2(&password, fields),
            None => verify_argon2(&password, &hash),
        })?
        .map_err(Thrown::error)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, error, text};
    use vm::Value;

    fn verified(password: &str, hash: &str) -> String {
        text("auth", "verify", vec![Value::str(password), Value::str(hash)])
    }

    #[test]
    fn a_hash_belongs_to_its_password() {
        let hash = call("auth", "hash", vec![Value::str("pässword")]).expect("hashes");
        let hash = hash.as_str().expect("a string").to_str_lossy().into_owned();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(verified("pässword", &hash), "true");
        assert_eq!(verified("password", &hash), "false");
        assert_ne!(text("auth", "hash", vec![Value::str("pässword")]), hash);
    }

    #[test]
    fn published_vectors() {
        // From the test suite of the reference implementation of Argon2.
        let argon2 = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert_eq!(verified("password", argon2), "true");
        // PBKDF2-HMAC-SHA256 of RFC 7914, section 11, cut to 32 bytes.
        let hash = "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc";
        let salt = "c2FsdA==";
        assert_eq!(verified("passwd", &format!("pbkdf2$sha256$1${salt}${hash}")), "true");
        assert_eq!(verified("passwd", &format!("pbkdf2$sha256$2${salt}${hash}")), "false");
        let base64 = "VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw=";
        assert_eq!(verified("passwd", &format!("pbkdf2$sha256$1${salt}${base64}")), "true");
        assert_eq!(verified("password", &format!("pbkdf2$sha256$1${salt}${base64}")), "false");
    }

    #[test]
    fn what_is_no_hash_belongs_to_no_password() {
        for hash in [
            "",
            "secret",
            "$",
            "pbkdf2$",
            "pbkdf2$sha256$1$c2FsdA==$",
            "pbkdf2$sha256$0$c2FsdA==$AAAA",
            "pbkdf2$sha256$-1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "pbkdf2$sha1$1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==",
            "pbkdf2$sha256$1$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA==$",
            "pbkdf2$sha256$1$!$AAAAAAAAAAAAAAAAAAAAAA==",
            "$argon2id$",
            "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ",
            "$argon2id$v=19$m=0,t=0,p=0$c29tZXNhbHQ$AAAA",
            "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
        ] {
            assert_eq!(verified("", hash), "false", "{hash}");
        }
        assert_eq!(text("auth", "verify", vec![Value::str("x"), Value::NULL]), "false");
    }

    #[test]
    fn hostile_hashes_do_not_stall() {
        let message =
            error("auth", "verify", vec![Value::str("x"), Value::str("pbkdf2$sha256$4000000000$c2FsdA==$AAAA")]);
        assert_eq!(message, "auth::verify(): the hash asks for 4000000000 rounds; at most 5000000 are allowed");
        for costs in ["m=4194304,t=1,p=1", "m=65536,t=4000000000,p=1", "m=262145,t=1,p=4"] {
            let hash = format!("$argon2id$v=19${costs}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
            let message = error("auth", "verify", vec![Value::str("x"), Value::str(&hash)]);
            assert!(message.starts_with("auth::verify(): the hash asks for "), "{message}");
        }
    }
}
