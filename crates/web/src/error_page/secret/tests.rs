//! What is hidden and what is not.

use super::*;

fn request(content_type: &str, body: &[u8]) -> RequestShown {
    RequestShown {
        method: "POST".to_owned(),
        target: "/".to_owned(),
        headers: vec![("Content-Type".to_owned(), content_type.into())],
        body: body.to_vec(),
        body_bytes: body.len() as u64,
        form: Vec::new(),
        peer: String::new(),
        server: String::new(),
        is_tls: false,
    }
}

fn body_of(content_type: &str, text: &str) -> String {
    String::from_utf8_lossy(&body(&request(content_type, text.as_bytes()))).into_owned()
}

#[test]
fn names_tell_what_is_secret() {
    for name in [
        "password",
        "user[password]",
        "PASSWORD2",
        "$pass",
        "new-pass",
        "X-Api-Key",
        "api_key",
        "Authorization",
        "Cookie",
        "csrf_token",
        "accessToken",
        "client_secret",
        "LOOK_SESSION",
        "pin",
        "user[pin]",
        "Sifre",
    ] {
        assert!(is_secret(name), "{name}");
    }
    for name in ["name", "author", "shipping", "opinion", "compass", "id", "email", "Host", "key", "", "$user", "ı"] {
        assert!(!is_secret(name), "{name}");
    }
}

#[test]
fn headers_keep_scheme_and_cookie_names() {
    let shown = |name: &str, value: &str| String::from_utf8_lossy(&header(name, value.as_bytes())).into_owned();
    assert_eq!(shown("Authorization", "Bearer abc.def"), "Bearer <hidden>");
    assert_eq!(shown("authorization", "abcdef"), "<hidden>");
    assert_eq!(shown("authorization", "s3cr3t value"), "<hidden>");
    assert_eq!(shown("X-API-KEY", "k"), "<hidden>");
    assert_eq!(shown("Cookie", "LOOK_SESSION=1f; theme=dark; flag"), "LOOK_SESSION=<hidden>; theme=<hidden>; flag");
    assert_eq!(shown("Accept", "*/*"), "*/*");
    assert_eq!(shown("Referer", "http://h/p?token=1&a=2"), "http://h/p?token=<hidden>&a=2");
}

#[test]
fn addresses_lose_secret_parameters_and_passwords() {
    let shown = |text: &str| String::from_utf8_lossy(&url(text.as_bytes())).into_owned();
    assert_eq!(shown("/a?x=1&pass%77ord=2&y=token"), "/a?x=1&pass%77ord=<hidden>&y=token");
    assert_eq!(shown("http://u:p@h/a@b?x=1"), "http://<hidden>@h/a@b?x=1");
    for same in ["/a", "/a?", "/?token", "/?token=", "http://h/@", "", "?", "/%", "/?%&%p=1&%zz=2"] {
        assert_eq!(shown(same), same);
    }
}

#[test]
fn secret_fields_of_bodies_are_hidden() {
    let form = "application/x-www-form-urlencoded; charset=utf-8";
    assert_eq!(body_of(form, "email=a&password=b%20c"), "email=a&password=<hidden>");
    let json = r#"{"name": "a", "password" : "b\"c", "n": {"token": [1, {"x": "]"}], "pin": 1234 , "k": true}}"#;
    let hidden = r#"{"name": "a", "password" : "<hidden>", "n": {"token": "<hidden>", "pin": "<hidden>" , "k": true}}"#;
    assert_eq!(body_of("application/json", json), hidden);
    let part = |name: &str, text: &str| format!("--b\r\nContent-Disposition: form-data; {name}\r\n\r\n{text}\r\n");
    let (plain, secret) = (part("filename=\"password\"; name=\"f\"", "1"), "name=\"password\"");
    assert_eq!(
        body_of("multipart/form-data; boundary=b", &format!("{plain}{}--b--\r\n", part(secret, "geheim\r\nx"))),
        format!("{plain}{}--b--\r\n", part(secret, "<hidden>"))
    );
}

#[test]
fn a_body_that_is_cut_or_broken_gives_nothing_away() {
    assert_eq!(body_of("application/json", r#"{"password":"abc"#), r#"{"password":"<hidden>""#);
    assert_eq!(body_of("", r#"{"password":{"a":"abc"#), r#"{"password":"<hidden>""#);
    let cut = "--b\r\nContent-Disposition: form-data; name=password\r\n\r\nabc";
    assert!(!body_of("multipart/form-data", cut).contains("abc"));
    for text in ["\"", "\"\\", "{\"token\":", "{\"token\"", "--", "--\r\n", "\r\n\r\n", "]]}}", "\u{0}"] {
        for media in ["application/json", "multipart/form-data", "application/x-www-form-urlencoded", "x"] {
            let _ = body_of(media, text);
        }
    }
}
