//! Forms as clients send them, whole and broken.

use super::*;
use crate::upload::content::{MAX_IN_MEMORY, Stored};
use std::io::Write;

const TYPE: &[u8] = b"multipart/form-data; boundary=XX";

fn with_limits(body: &[u8], limits: &Limits) -> Result<Parts, Error> {
    parse(TYPE, Body::Memory(body), &std::env::temp_dir(), limits)
}

fn parsed(body: &[u8]) -> Result<Parts, Error> {
    with_limits(body, &Limits::default())
}

/// A part with these header parameters.
fn part(parameters: &str, data: &[u8]) -> Vec<u8> {
    [format!("--XX\r\nContent-Disposition: form-data; {parameters}\r\n\r\n").as_bytes(), data, b"\r\n"].concat()
}

fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat().as_slice(), b"--XX--\r\n"].concat()
}

fn message(result: Result<Parts, Error>) -> String {
    result.map_or_else(|error| error.to_string(), |parts| format!("{parts:?}"))
}

#[test]
fn fields_and_files_are_told_apart() -> Result<(), Error> {
    let body = form(&[
        part("name=\"title\"", "Größe".as_bytes()),
        part("name=\"photo\"; filename=\"C:\\a\\b.jpg\"\r\nContent-Type: image/jpeg", b"\xff\xd8\r\n--X\r\n"),
    ]);
    let parts = parsed(&body)?;
    assert_eq!(parts.field(b"title"), Some("Größe".as_bytes()));
    assert_eq!(parts.field(b"photo"), None);
    assert!(parts.file(b"title").is_none());
    let Some(photo) = parts.file(b"photo") else { panic!("no file") };
    assert_eq!(photo.filename, "b.jpg");
    assert!(matches!(photo.content.stored(), Stored::Memory(bytes) if bytes == b"\xff\xd8\r\n--X\r\n"));
    assert_eq!(photo.content.size(), 9);
    Ok(())
}

#[test]
fn the_last_duplicate_of_a_field_wins_and_order_is_kept() -> Result<(), Error> {
    let body = form(&[part("name=a", b"1"), part("name=b", b"2"), part("name=a", b"3")]);
    let expected = [(b"a".to_vec(), b"3".to_vec()), (b"b".to_vec(), b"2".to_vec())];
    assert_eq!(parsed(&body)?.fields, expected);
    Ok(())
}

#[test]
fn all_files_of_one_field_are_kept() -> Result<(), Error> {
    let body = form(&[part("name=f; filename=1", b"a"), part("name=f; filename=2", b"b")]);
    let parts = parsed(&body)?;
    assert_eq!(parts.files.len(), 2);
    assert_eq!(parts.file(b"f").map(|file| file.filename.as_str()), Some("2"));
    Ok(())
}

#[test]
fn a_file_field_left_empty_is_no_file_and_no_text() -> Result<(), Error> {
    let empty = part("name=\"f\"; filename=\"\"\r\nContent-Type: application/octet-stream", b"");
    let parts = parsed(&form(&[empty, part("name=\"g\"; filename=\"empty.txt\"", b"")]))?;
    assert!(parts.file(b"f").is_none() && parts.field(b"f").is_none());
    assert_eq!(parts.file(b"g").map(|file| file.content.size()), Some(0));
    Ok(())
}

#[test]
fn a_form_may_be_empty_and_have_text_around_it() -> Result<(), Error> {
    assert!(parsed(b"--XX--")?.fields.is_empty());
    let body = [b"preamble\r\n", form(&[part("name=a", b"1")]).as_slice(), b"epilogue --XX"].concat();
    assert_eq!(parsed(&body)?.field(b"a"), Some(&b"1"[..]));
    Ok(())
}

#[test]
fn a_large_file_goes_to_disk_from_memory_and_from_a_file() -> Result<(), Box<dyn std::error::Error>> {
    // A boundary-like text at every distance from the ends of pieces.
    let data = b"0123456789\r\n--X".repeat(3 * pieces::BYTES / 15);
    let body = form(&[part("name=a", b"1"), part("name=f; filename=big", &data), part("name=z", b"26")]);
    let mut file = tempfile::tempfile()?;
    file.write_all(&body)?;
    file.write_all(b"beyond the body")?;
    let folder = std::env::temp_dir();
    for body in [Body::Memory(&body), Body::File(&file, body.len() as u64)] {
        assert!(!is_small(&body));
        let parts = parse(TYPE, body, &folder, &Limits::default())?;
        assert_eq!(parts.fields.len(), 2);
        let content = parts.file(b"f").map(|file| &file.content).ok_or("no file")?;
        assert!(matches!(content.stored(), Stored::File(_)));
        assert!(content.read(0, usize::MAX)? == data);
    }
    Ok(())
}

#[test]
fn data_survives_whatever_the_place_of_the_cut() -> Result<(), Error> {
    let pattern = b"\r\n--X\r\r\n--\r\n-";
    for shift in 0..20 {
        let data = [&vec![b'.'; pieces::BYTES - 80 + shift], pattern.repeat(9).as_slice()].concat();
        let parts = parsed(&form(&[part("name=a", &data), part("name=b", b"x")]))?;
        assert!(parts.field(b"a") == Some(&data) && parts.field(b"b") == Some(b"x"), "shifted by {shift}");
    }
    Ok(())
}

#[test]
fn small_bodies_need_no_disk() -> Result<(), Error> {
    let overhead = form(&[part("name=f; filename=f", b"")]).len();
    let body = form(&[part("name=f; filename=f", &vec![0; MAX_IN_MEMORY - overhead])]);
    assert!(is_small(&Body::Memory(&body)));
    let parts = parse(TYPE, Body::Memory(&body), Path::new("/nonexistent"), &Limits::default())?;
    assert!(matches!(parts.file(b"f").map(|file| file.content.stored()), Some(Stored::Memory(_))));
    Ok(())
}

#[test]
fn other_content_types_and_bad_boundaries_are_refused() {
    let body = form(&[part("name=a", b"1")]);
    let long = format!("multipart/form-data; boundary={}", "X".repeat(71));
    for (content_type, status) in [
        ("", 415),
        ("text/plain; boundary=XX", 415),
        ("multipart/mixed; boundary=XX", 415),
        ("multipart/form-data", 400),
        ("multipart/form-data; boundary=\"\"", 415),
        (long.as_str(), 400),
    ] {
        let result = parse(content_type.as_bytes(), Body::Memory(&body), Path::new("/"), &Limits::default());
        assert_eq!(result.map_err(|error| error.status().code()).err(), Some(status), "{content_type}");
    }
    let quoted = b"Multipart/Form-Data; charset=utf-8; boundary=\"XX\"";
    assert!(parse(quoted, Body::Memory(&body), Path::new("/"), &Limits::default()).is_ok());
    assert!(parse(b"\xff", Body::Memory(&body), Path::new("/"), &Limits::default()).is_err());
}

#[test]
fn every_cut_of_a_form_is_an_error_and_no_panic() {
    let body = form(&[part("name=a", b"1"), part("name=f; filename=f", b"data")]);
    let last = body.len() - "\r\n".len();
    for length in 0..last {
        let cut = body.get(..length).unwrap_or_default();
        assert!(parsed(cut).is_err_and(|error| error.status() == Status::BAD_REQUEST), "cut at {length}");
    }
    assert!(parsed(body.get(..last).unwrap_or_default()).is_ok());
}

#[test]
fn parts_without_a_name_are_named_by_number() {
    let nameless = b"--XX\r\nContent-Type: text/plain\r\n\r\n1\r\n".to_vec();
    let expected = "part 2 of the form data has no line Content-Disposition: form-data; name=\"…\"";
    assert_eq!(message(parsed(&form(&[part("name=a", b"1"), nameless]))), expected);
    let broken = b"--XX\r\nContent Disposition: form-data\r\n\r\n1\r\n".to_vec();
    assert_eq!(message(parsed(&form(&[broken]))), "the header of part 1 of the form data is malformed");
}

#[test]
fn limits_are_exact_and_say_what_they_are() {
    let limits = Limits { parts: 2, file_bytes: 4, text_bytes: 6, header_bytes: 100 };
    let (a, f) = (part("name=a", b"12345"), part("name=f; filename=f", b"1234"));
    assert!(with_limits(&form(&[a.clone(), f.clone()]), &limits).is_ok());
    let cases = [
        (vec![a.clone(), f, a], "the form data has more than 2 parts"),
        (vec![part("name=f; filename=f", b"12345")], "the file of field \"f\" has more than 4 bytes"),
        (
            vec![part("name=a", b"1"), part("name=b", b"1234")],
            "the text fields of the form data have more than 6 bytes",
        ),
        (
            vec![part(&format!("name=a; x={}", "x".repeat(100)), b"")],
            "the header of part 1 of the form data has more than 100 bytes",
        ),
    ];
    for (parts, expected) in cases {
        let result = with_limits(&form(&parts), &limits);
        assert_eq!(result.as_ref().err().map(Error::status), Some(Status::CONTENT_TOO_LARGE));
        assert_eq!(message(result), expected);
    }
}

#[test]
fn an_endless_header_or_preamble_is_not_collected() {
    let endless = [&b"--XX\r\nX: "[..], &vec![b'x'; 1 << 20]].concat();
    assert!(matches!(parsed(&endless), Err(Error::HeaderTooLarge(1, _))));
    assert!(matches!(parsed(&vec![b'-'; 1 << 20]), Err(Error::HeaderTooLarge(1, _))));
}

#[test]
fn a_temporary_file_that_cannot_be_made_is_our_fault() {
    let body = form(&[part("name=f; filename=f", &vec![0; MAX_IN_MEMORY + 1])]);
    let result = parse(TYPE, Body::Memory(&body), Path::new("/nonexistent"), &Limits::default());
    assert!(result.is_err_and(|error| error.status() == Status::INTERNAL_SERVER_ERROR));
}

#[test]
fn changed_bytes_never_panic() {
    let body = form(&[part("name=\"a\"", b"1"), part("name=\"f\"; filename=\"f\"", b"data")]);
    for at in 0..body.len() {
        for byte in *b"\0\r\n\"-;=X\xff" {
            let mut changed = body.clone();
            if let Some(place) = changed.get_mut(at) {
                *place = byte;
            }
            let _ = parsed(&changed);
        }
    }
}
