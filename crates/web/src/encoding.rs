//! Compression of responses, as client and content allow.
//!
//! What is compressed: text-like content of some size that the program has not encoded itself. What is quickly done is done at
//! once, the rest on a helper thread.

use crate::reply::Reply;
use http::{Payload, Status};
use std::cell::RefCell;
use std::io::Write;
use vm::Thrown;

/// Smaller bodies gain nothing.
const LEAST: usize = 1024;

/// Levels that take about as long as sending what they save would.
const GZIP_LEVEL: u32 = 4;
/// Bits: the largest there is.
const GZIP_WINDOW: u8 = 15;
const BROTLI_QUALITY: u32 = 4;
const ZSTD_LEVEL: i32 = 3;

/// How a body may be coded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

/// Of those that a client likes equally, the first is taken: the one that takes the least time.
pub(crate) const QUICKEST: [Coding; 3] = [Coding::Zstd, Coding::Gzip, Coding::Brotli];

/// The same for what was compressed beforehand: the one that is the smallest.
pub(crate) const SMALLEST: [Coding; 3] = [Coding::Brotli, Coding::Zstd, Coding::Gzip];

thread_local! {
    /// Its tables are larger than most bodies: making them anew takes longer than to compress.
    static GZIP: RefCell<Option<flate2::Compress>> = const { RefCell::new(None) };
}

impl Coding {
    /// As headers name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Of the names of files that are compressed.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Zstd => "zst",
            Self::Brotli => "br",
            Self::Gzip => "gz",
        }
    }

    /// Bodies up to this length are compressed in less time than it takes to ask another thread, or not much more.
    fn inline(self) -> usize {
        match self {
            Self::Zstd | Self::Gzip => 16 * 1024,
            Self::Brotli => 0,
        }
    }

    fn compress(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Zstd => zstd::bulk::compress(bytes, ZSTD_LEVEL).ok(),
            Self::Brotli => {
                let mut out = Vec::with_capacity(bytes.len() / 3);
                let mut writer = brotli::CompressorWriter::new(&mut out, 4096, BROTLI_QUALITY, 20);
                writer.write_all(bytes).and_then(|()| writer.flush()).ok()?;
                drop(writer);
                Some(out)
            }
            Self::Gzip if bytes.len() <= self.inline() => GZIP.with_borrow_mut(|kept| gzip(kept, bytes)),
            Self::Gzip => gzip(&mut None, bytes),
        }
    }
}

fn gzip(kept: &mut Option<flate2::Compress>, bytes: &[u8]) -> Option<Vec<u8>> {
    let level = flate2::Compression::new(GZIP_LEVEL);
    let compress = kept.get_or_insert_with(|| flate2::Compress::new_gzip(level, GZIP_WINDOW));
    compress.reset();
    // What cannot be made smaller is sent as it is.
    let mut out = Vec::with_capacity(bytes.len());
    match compress.compress_vec(bytes, &mut out, flate2::FlushCompress::Finish) {
        Ok(flate2::Status::StreamEnd) => Some(out),
        _ => None,
    }
}

/// The codings that a client takes, the best first (RFC 9110, section 12.5.3); of those that it likes equally, in this order.
pub(crate) fn acceptable(accept: Option<&[u8]>, order: [Coding; 3]) -> Vec<Coding> {
    let Some(accept) = accept.and_then(|value| str::from_utf8(value).ok()) else { return Vec::new() };
    let mut weights = [None; 3];
    let mut rest = 0;
    for item in accept.split(',') {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let weight = weight.map_or(1000, weight_of);
        if name == "*" {
            rest = weight;
        }
        for (known, coding) in weights.iter_mut().zip(order) {
            let is_meant = name.eq_ignore_ascii_case(coding.name());
            if is_meant || (coding == Coding::Gzip && name.eq_ignore_ascii_case("x-gzip")) {
                *known = Some(weight);
            }
        }
    }
    let mut liked: Vec<(u16, Coding)> =
        weights.iter().zip(order).map(|(weight, coding)| (weight.unwrap_or(rest), coding)).collect();
    liked.retain(|(weight, _)| *weight > 0);
    liked.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    liked.into_iter().map(|(_, coding)| coding).collect()
}

/// Thousandths; what is no weight counts as none.
fn weight_of(text: &str) -> u16 {
    match text.parse::<f32>() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
        Ok(weight) if (0.0..=1.0).contains(&weight) => (weight * 1000.0) as u16,
        _ => 0,
    }
}

/// Does content of this type become smaller?
pub(crate) fn is_compressible(content_type: &[u8]) -> bool {
    let end = content_type.iter().position(|byte| *byte == b';').unwrap_or(content_type.len());
    let kind = content_type.get(..end).unwrap_or_default().trim_ascii().to_ascii_lowercase();
    kind.starts_with(b"text/") && kind != b"text/event-stream"
        || kind.ends_with(b"+json")
        || kind.ends_with(b"+xml")
        || matches!(
            kind.as_slice(),
            b"application/json"
                | b"application/javascript"
                | b"application/xml"
                | b"application/wasm"
                | b"application/manifest+json"
                | b"application/x-ndjson"
                | b"font/ttf"
                | b"font/otf"
                | b"application/vnd.ms-fontobject"
                | b"image/bmp"
                | b"image/x-icon"
        )
}

/// Compresses the body of an answer if that is worth while; `accept` is what the client says of it. On a fiber.
///
/// # Errors
/// The request ends meanwhile.
pub(crate) fn apply(reply: &mut Reply, body: Payload, accept: Option<&[u8]>) -> Result<Payload, Thrown> {
    let length = body.bytes().len();
    let is_whole = !matches!(reply.status, Status::PARTIAL_CONTENT | Status::NOT_MODIFIED);
    if length < LEAST || !is_whole || !is_compressible(reply.content_type()) || reply.has_header("content-encoding") {
        return Ok(body);
    }
    reply.vary("Accept-Encoding");
    let Some(coding) = acceptable(accept, QUICKEST).first().copied() else { return Ok(body) };
    if reply.forbids_change() {
        return Ok(body);
    }
    let (body, compressed) = if length <= coding.inline() {
        let compressed = coding.compress(body.bytes());
        (body, compressed)
    } else {
        stdlib::helper::run(move || {
            let compressed = coding.compress(body.bytes());
            (body, compressed)
        })?
    };
    match compressed.filter(|compressed| compressed.len() < length) {
        Some(compressed) => {
            reply.set_coding(coding.name());
            Ok(Payload::Owned(compressed))
        }
        None => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn names(accept: &str) -> Vec<&'static str> {
        acceptable(Some(accept.as_bytes()), QUICKEST).into_iter().map(Coding::name).collect()
    }

    #[test]
    fn the_client_says_what_it_takes() {
        assert_eq!(names("gzip, deflate, br, zstd"), ["zstd", "gzip", "br"]);
        assert_eq!(names("gzip;q=1.0, br;q=0.5"), ["gzip", "br"]);
        assert_eq!(names("br;q=0, *"), ["zstd", "gzip"]);
        assert_eq!(names("*;q=0, GZIP ; q=0.1"), ["gzip"]);
        assert_eq!(names("x-gzip"), ["gzip"]);
        for none in ["", "identity", "gzip;q=0", "gzip;q=2", "gzip;q=x", "deflate"] {
            assert_eq!(names(none), [""; 0], "{none}");
        }
        assert_eq!(acceptable(None, SMALLEST), []);
        assert_eq!(acceptable(Some(b"\xff"), SMALLEST), []);
    }

    #[test]
    fn what_is_compressed_can_be_read() {
        for (coding, count) in QUICKEST.into_iter().flat_map(|coding| [(coding, 100), (coding, 4000), (coding, 101)]) {
            let text = b"the same again and again, ".repeat(count);
            let compressed = coding.compress(&text).expect("it can be compressed");
            assert!(compressed.len() < text.len() / 10, "{coding:?}: {}", compressed.len());
            let mut back = Vec::new();
            match coding {
                Coding::Zstd => back = zstd::bulk::decompress(&compressed, text.len()).expect("zstd"),
                Coding::Brotli => {
                    brotli::Decompressor::new(compressed.as_slice(), 4096).read_to_end(&mut back).expect("brotli");
                }
                Coding::Gzip => {
                    flate2::read::GzDecoder::new(compressed.as_slice()).read_to_end(&mut back).expect("gzip");
                }
            }
            assert_eq!(back, text, "{coding:?}");
        }
    }

    #[test]
    fn pictures_are_left_alone() {
        for kind in ["text/html; charset=utf-8", "application/json", "image/svg+xml", "Application/Problem+JSON"] {
            assert!(is_compressible(kind.as_bytes()), "{kind}");
        }
        for kind in ["image/png", "video/mp4", "application/octet-stream", "text/event-stream", "application/zip", ""] {
            assert!(!is_compressible(kind.as_bytes()), "{kind}");
        }
    }
}
