//! The page as a whole, with usual and with hostile input.

use super::*;
use ::source::{Source, Span};

/// A failure as it looks in use.
fn example() -> Failure {
    let program = Source::new("app/users.lk", include_str!("tests/users.lk"));
    let module =
        Source::new("modules/people/list.lk", "function named($ids, $f) {\n    return array::map($ids, $f)\n}\n");
    let place = |source: &Source, word: &str| {
        let at = source.text().rfind(word).map_or(0, |at| at as u32);
        Place::of(source, Span::new(at, at + word.len() as u32))
    };
    let frame = |function: &str, arguments: &[(&str, &str)], place: Place| Frame {
        function: function.to_owned(),
        arguments: arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        is_library: place.file.starts_with("modules/"),
        place,
    };
    Failure {
        status: Status::INTERNAL_SERVER_ERROR,
        kind: "Runtime Error".to_owned(),
        message: "Cannot read field 'name' of null: $user is null".to_owned(),
        hint: Some(
            "users::find gives null when there is no such user; write '$user ?? []' or check it first".to_owned(),
        ),
        error_id: "9f31c0de".to_owned(),
        frames: vec![
            frame("full_name", &[("$user", "null")], place(&program, "$user.name")),
            frame("named", &[("$ids", "[17, 4]"), ("$f", "function")], place(&module, "array::map($ids, $f)")),
            frame("team_names", &[("$team", "{id: 4, members: [17, 4]}")], place(&program, "people::named")),
            frame("show_team", &[("$id", "\"4\""), ("$token", "\"s3cret\"")], place(&program, "team_names($team)")),
        ],
        request: RequestShown {
            method: "POST".to_owned(),
            target: "/teams/4/members?sort=name&token=s3cret".to_owned(),
            headers: [
                ("Host", "localhost:8080"),
                (
                    "User-Agent",
                    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0",
                ),
                ("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"),
                ("Accept-Encoding", "gzip, deflate, br"),
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Cookie", "LOOK_SESSION=s3cret; theme=dark"),
            ]
            .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()))
            .to_vec(),
            body: b"email=ada%40example.org&password=s3cret&role=owner".to_vec(),
            body_bytes: 50,
            form: [("email", "ada@example.org"), ("password", "s3cret"), ("role", "owner")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            peer: "127.0.0.1:53114".to_owned(),
            server: "127.0.0.1:8080".to_owned(),
            is_tls: false,
        },
        route: Some("POST /teams/{id}/members".to_owned()),
        handler: Some("show_team".to_owned()),
        warnings: vec![Finding {
            kind: "Warning".to_owned(),
            message: "$order is assigned but never read".to_owned(),
            place: Some(place(&program, "$order")),
            hint: Some("remove it, or pass it to array::sort".to_owned()),
        }],
        version: "0.1.0".to_owned(),
    }
}

/// A failure with this text wherever a text can be.
fn all(text: &str) -> Failure {
    let own = || text.to_owned();
    let place = Place { file: own(), line: 1, column: 1, end_column: 3, excerpt: vec![(1, own()), (2, own())] };
    let finding = Finding { kind: own(), message: own(), place: Some(place.clone()), hint: Some(own()) };
    let frame = Frame { function: own(), arguments: vec![(own(), own())], place, is_library: true };
    let request = RequestShown {
        method: own(),
        target: own(),
        headers: vec![(own(), text.into()), ("Host".to_owned(), text.into()), ("Connection".to_owned(), text.into())],
        body: text.into(),
        body_bytes: text.len() as u64 + 1,
        form: vec![(own(), own())],
        peer: own(),
        server: own(),
        is_tls: true,
    };
    Failure {
        status: Status::INTERNAL_SERVER_ERROR,
        kind: own(),
        message: own(),
        hint: Some(own()),
        error_id: own(),
        frames: vec![frame.clone(), frame],
        request,
        route: Some(own()),
        handler: Some(own()),
        warnings: vec![finding],
        version: own(),
    }
}

const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "</pre></code></style></title></script><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x='y' `z`",
    "--></textarea><!--<svg onload=alert(1)>",
    "&lt;&#60;&amp;",
    "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}gnp\0\r",
    "a\nError id: forged\n",
];

/// The tags of a document.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).filter_map(|rest| rest.split('>').next()).collect()
}

/// With a form and with a body that is none.
fn pages(text: &str) -> [String; 2] {
    let failure = all(text);
    let request = RequestShown { form: Vec::new(), ..failure.request.clone() };
    [html(&failure), html(&Failure { request, ..failure })]
}

#[test]
fn nothing_from_outside_becomes_markup() {
    let harmless = pages("plain");
    let known: Vec<&str> = harmless.iter().flat_map(|page| tags(page)).collect();
    for page in HOSTILE.iter().flat_map(|text| pages(text)) {
        for tag in tags(&page) {
            // The colours depend on the text, and the one attribute with a text has its own test.
            let is_syntax = tag.starts_with("span class=\"") && tag.len() == "span class=\"k\"".len();
            let is_known = known.iter().any(|known| tag.trim_end() == known.trim_end());
            assert!(is_known || is_syntax || tag.contains("aria-label=\"Source of "), "{tag}\n{page}");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        }
    }
}

#[test]
fn the_attribute_with_a_file_name_keeps_its_quotes() {
    let page = html(&all("\" onmouseover=\"alert(1)"));
    let tag = tags(&page).into_iter().find(|tag| tag.contains("Source of")).unwrap_or_default();
    assert!(tag.ends_with("aria-label=\"Source of &quot; onmouseover=&quot;alert(1)\""), "{tag}");
}

#[test]
fn nothing_from_outside_drives_a_terminal_or_a_reader() {
    for text_of_all in HOSTILE {
        let failure = all(text_of_all);
        for out in [html(&failure), text(&failure), curl(&failure.request)] {
            assert!(!out.contains(visible::is_hidden), "{out}");
        }
    }
}

#[test]
fn text_cannot_forge_a_line_of_its_own() {
    let out = text(&all("a\nError id: forged\n"));
    assert!(out.lines().all(|line| !line.starts_with("Error id: forged")), "{out}");
}

#[test]
fn secrets_are_shown_nowhere() {
    let failure = example();
    for wanted in [Wanted::Html, Wanted::Json, Wanted::Text] {
        let page = failure.page(wanted).body;
        assert!(!page.contains("s3cret"), "{page}");
        assert!(page.contains("<hidden>") || page.contains("&lt;hidden&gt;"), "{page}");
    }
}

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let page = html(&Failure { request: RequestShown { headers: Vec::new(), ..example().request }, ..example() });
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for tag in tags(&page) {
        let is_loading = [" src=", "@import", "url("].iter().any(|part| tag.contains(part));
        assert!(!is_loading && (!tag.contains("href=") || tag.contains("href=\"data:,\"")), "{tag}");
        assert!(!tag.contains(" style=") && !tag.contains(" on"), "the policy would not let it: {tag}");
    }
    assert!(!document::SHELL.style.contains("url(") && !document::SHELL.style.contains("@import"));
    // Only these end the elements that hold them.
    assert!(!document::SHELL.style.contains("</") && !document::SHELL.script.contains("</"));
}

#[test]
fn the_innermost_call_of_the_program_is_open() {
    let mut failure = example();
    failure.frames.rotate_left(1);
    let page = html(&failure);
    let open =
        page.find("<details open><summary><span class=\"fn\">").and_then(|at| page.get(at..)).unwrap_or_default();
    assert!(open.starts_with("<details open><summary><span class=\"fn\">team_names<"), "{open}");
    assert_eq!(page.matches("<details open").count() + page.matches("<details class=\"library\" open").count(), 1);
    failure.frames.iter_mut().for_each(|frame| frame.is_library = true);
    assert!(html(&failure).contains("<details class=\"library\" open><summary><span class=\"fn\">named<"));
}

#[test]
fn a_failure_without_calls_has_a_page() {
    let failure =
        Failure { frames: Vec::new(), hint: None, route: None, handler: None, warnings: Vec::new(), ..example() };
    assert!(html(&failure).contains("no call of the program was running"));
    assert!(text(&failure).starts_with("Runtime Error: Cannot read field"));
    assert!(json(&failure).contains("\"frames\":[]"));
}

#[test]
fn text_shows_the_error_its_place_and_the_calls() {
    let text = text(&example());
    let expected = "Runtime Error: Cannot read field 'name' of null: $user is null\nat app/users.lk:7:12\n\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("\n>  7 |     return $user.name"), "{text}");
    assert!(text.contains("\n     |            ^^^^^^^^^^\n"), "{text}");
    assert!(text.contains("\n  at named (modules/people/list.lk:2:12)"), "{text}");
    assert!(text.ends_with("\nError id: 9f31c0de\nGander 0.1.0\n"), "{text}");
}

#[test]
fn json_begins_with_the_keys_of_all_error_bodies() {
    let json = json(&example());
    assert!(
        json.starts_with(r#"{"error":"Cannot read field 'name' of null: $user is null","code":500,"id":"9f31c0de","#)
    );
    assert!(json.contains(r#""file":"app/users.lk","line":7,"column":12,"end_column":22"#), "{json}");
    assert!(json.contains(r#"{"name":"$token","value":"<hidden>"}"#), "{json}");
}

#[test]
fn a_huge_error_has_a_small_page() {
    let huge = || "<".repeat(1_000_000);
    let mut failure = Failure { message: huge(), hint: Some(huge()), ..example() };
    for frame in &mut failure.frames {
        frame.arguments = vec![(huge(), huge())];
        frame.place.excerpt.iter_mut().for_each(|(_, text)| *text = huge());
    }
    failure.request.form = vec![(huge(), huge())];
    failure.warnings.iter_mut().for_each(|warning| warning.message = huge());
    for wanted in [Wanted::Html, Wanted::Json, Wanted::Text] {
        let bytes = failure.page(wanted).body.len();
        assert!(bytes < 2_000_000, "{wanted:?} {bytes}");
    }
}
