//! Requests that must be refused, and with which status. One table, for the state machine and for real sockets.

/// What is wrong, the status, the bytes.
pub(crate) type Case = (&'static str, u16, Vec<u8>);

/// All cases. Each is complete: nothing would have to follow for it to be refused.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut add = |name, status, bytes: &[u8]| cases.push((name, status, bytes.to_vec()));

    add("method_empty", 400, b" / HTTP/1.1\r\nHost: a\r\n\r\n");
    add("method_with_control", 400, b"GE\x01T / HTTP/1.1\r\nHost: a\r\n\r\n");
    add("method_with_colon", 400, b"GET: / HTTP/1.1\r\nHost: a\r\n\r\n");
    add("no_target", 400, b"GET HTTP/1.1\r\nHost: a\r\n\r\n");
    add("no_version", 400, b"GET /\r\nHost: a\r\n\r\n");
    add("two_spaces", 400, b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n");
    add("space_before_version", 400, b"GET /  HTTP/1.1\r\nHost: a\r\n\r\n");
    add("space_after_version", 400, b"GET / HTTP/1.1 \r\nHost: a\r\n\r\n");
    add("tab_in_line", 400, b"GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n");
    add("space_in_target", 400, b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n");
    add("control_in_target", 400, b"GET /a\x00b HTTP/1.1\r\nHost: a\r\n\r\n");
    add("target_not_utf8", 400, b"GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n");
    add("fragment_in_target", 400, b"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n");
    add("fragment_in_query", 400, b"GET /a?b#c HTTP/1.1\r\nHost: a\r\n\r\n");
    add("relative_target", 400, b"GET a HTTP/1.1\r\nHost: a\r\n\r\n");
    add("star_without_options", 400, b"GET * HTTP/1.1\r\nHost: a\r\n\r\n");
    add("foreign_scheme", 400, b"GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
    add("absolute_without_host", 400, b"GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n");
    add("absolute_with_user", 400, b"GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n");
    add("connect", 501, b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n");
    add("version_2", 505, b"GET / HTTP/2.0\r\nHost: a\r\n\r\n");
    add("version_1_2", 505, b"GET / HTTP/1.2\r\nHost: a\r\n\r\n");
    add("version_0_9", 505, b"GET / HTTP/0.9\r\nHost: a\r\n\r\n");
    add("preface_of_http_2", 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    add("version_long", 400, b"GET / HTTP/1.10\r\nHost: a\r\n\r\n");
    add("version_lower_case", 400, b"GET / http/1.1\r\nHost: a\r\n\r\n");
    add("version_foreign", 400, b"GET / SIP/2.0\r\nHost: a\r\n\r\n");
    add("tls_hello", 400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n");

    add("bare_lf_after_line", 400, b"GET / HTTP/1.1\nHost: a\r\n\r\n");
    add("bare_lf_after_field", 400, b"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n");
    add("bare_lf_at_end", 400, b"GET / HTTP/1.1\r\nHost: a\r\n\n");
    add("bare_lf_everywhere", 400, b"GET / HTTP/1.1\nHost: a\n\n");
    add("bare_lf_in_front", 400, b"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    add("bare_cr_in_line", 400, b"GET / HTTP/1.1\rHost: a\r\n\r\n");
    add("bare_cr_in_value", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX: b\rY: c\r\n\r\n");
    add("bare_cr_in_front", 400, b"\rGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    add("two_cr", 400, b"GET / HTTP/1.1\r\r\nHost: a\r\n\r\n");
    add("blank_lines_without_end", 400, &b"\r\n".repeat(20));

    add("name_empty", 400, b"GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n");
    add("name_without_colon", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n");
    add("space_before_colon", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n");
    add("space_before_colon_of_length", 400, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\nx");
    add("space_before_colon_of_encoding", 400, b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n");
    add("tab_before_colon", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX\t: b\r\n\r\n");
    add("space_in_name", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n");
    add("name_not_ascii", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX\xc3\xa4: b\r\n\r\n");
    add("null_in_name", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX\x00: b\r\n\r\n");
    add("null_in_value", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX: b\x00c\r\n\r\n");
    add("control_in_value", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX: b\x08\r\n\r\n");
    add("delete_in_value", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX: b\x7f\r\n\r\n");
    add("folded_by_space", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n");
    add("folded_by_tab", 400, b"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\n\r\n");
    add("folded_encoding", 400, b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n");
    add("first_field_folded", 400, b"GET / HTTP/1.1\r\n Host: a\r\n\r\n");

    add("no_host", 400, b"GET / HTTP/1.1\r\n\r\n");
    add("two_hosts", 400, b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    add("two_equal_hosts", 400, b"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n");
    add("two_hosts_in_1_0", 400, b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n");
    add("host_with_space", 400, b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n");
    add("host_list", 400, b"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n");
    add("host_with_path", 400, b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n");
    add("host_with_user", 400, b"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n");

    for (name, value) in [
        ("length_empty", ""),
        ("length_word", "x"),
        ("length_negative", "-1"),
        ("length_plus", "+1"),
        ("length_hexadecimal", "0x1"),
        ("length_fraction", "1.0"),
        ("length_list", "1, 1"),
        ("length_with_space", "1 1"),
        ("length_with_comma", "1,"),
    ] {
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {value}\r\n\r\nx");
        add(name, 400, head.as_bytes());
    }
    add("length_twice", 400, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx");
    add("length_twice_equal", 400, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\nx");
    add("length_above_limit", 413, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10485761\r\n\r\n");
    add("length_beyond_64_bits", 413, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n");
    add(
        "length_and_encoding",
        400,
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    add(
        "encoding_and_length",
        400,
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    );

    for (name, value) in [
        ("encoding_empty", ""),
        ("encoding_unknown", "chunkedx"),
        ("encoding_prefixed", "xchunked"),
        ("encoding_quoted", "\"chunked\""),
        ("encoding_identity", "identity"),
        ("encoding_gzip", "gzip, chunked"),
        ("encoding_not_last", "chunked, gzip"),
        ("encoding_list_twice", "chunked, chunked"),
        ("encoding_with_comma", "chunked,"),
        ("encoding_with_parameter", "chunked;q=1"),
        ("encoding_with_vertical_tab", "\x0bchunked"),
    ] {
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: {value}\r\n\r\n0\r\n\r\n");
        add(name, 400, head.as_bytes());
    }
    add(
        "encoding_twice",
        400,
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    add("encoding_in_1_0", 400, b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    add("expectation_unknown", 417, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 200-ok\r\n\r\nx");

    for (name, status, body) in [
        ("chunk_size_empty", 400, "\r\n"),
        ("chunk_size_word", 400, "z\r\n"),
        ("chunk_size_negative", 400, "-1\r\n"),
        ("chunk_size_prefixed", 400, "0x5\r\nhello\r\n0\r\n\r\n"),
        ("chunk_size_with_space", 400, "5 \r\nhello\r\n0\r\n\r\n"),
        ("chunk_size_bare_lf", 400, "5\nhello\r\n0\r\n\r\n"),
        ("chunk_size_bare_cr", 400, "5\rhello\r\n0\r\n\r\n"),
        ("chunk_size_overflow", 400, "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("chunk_size_above_limit", 413, "a00001\r\n"),
        ("chunk_size_far_above_limit", 413, "ffffffffffffffff\r\n"),
        ("chunk_extension_bare_lf", 400, "5;a\nhello\r\n0\r\n\r\n"),
        ("chunk_extension_control", 400, "5;\x01\r\nhello\r\n0\r\n\r\n"),
        ("chunk_longer_than_size", 400, "4\r\nhello\r\n0\r\n\r\n"),
        ("chunk_end_bare_lf", 400, "5\r\nhello\n0\r\n\r\n"),
        ("chunk_end_missing", 400, "5\r\nhello0\r\n\r\n"),
        ("last_chunk_bare_lf", 400, "0\n\r\n"),
        ("trailer_bare_lf", 400, "0\r\nX: y\n\r\n"),
        ("trailer_folded", 400, "0\r\nX: y\r\n z\r\n\r\n"),
        ("trailer_without_colon", 400, "0\r\nX\r\n\r\n"),
        ("trailer_control", 400, "0\r\nX: \x00\r\n\r\n"),
    ] {
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        add(name, status, head.as_bytes());
    }
    let chunked = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    add("chunk_line_long", 400, &[chunked, b"5;".as_slice(), &[b'x'; 400], b"\r\nhello\r\n0\r\n\r\n"].concat());
    add("trailer_long", 400, &[chunked, b"0\r\n".as_slice(), &b"X: yyyyyyyy\r\n".repeat(1000)].concat());

    let long = [b'x'; 70_000];
    add(
        "target_long",
        414,
        &[b"GET /", long.get(..9000).unwrap_or_default(), b" HTTP/1.1\r\nHost: a\r\n\r\n"].concat(),
    );
    add("target_endless", 414, &[b"GET /", long.as_slice()].concat());
    add("method_endless", 414, &long);
    add(
        "value_long",
        431,
        &[b"GET / HTTP/1.1\r\nHost: a\r\nX: ", long.get(..33_000).unwrap_or_default(), b"\r\n\r\n"].concat(),
    );
    add("value_endless", 431, &[b"GET / HTTP/1.1\r\nHost: a\r\nX: ", long.as_slice()].concat());
    add("name_endless", 431, &[b"GET / HTTP/1.1\r\nHost: a\r\n", long.as_slice()].concat());
    add("fields_many", 431, &[b"GET / HTTP/1.1\r\nHost: a\r\n".as_slice(), &b"A: b\r\n".repeat(100), b"\r\n"].concat());
    add("fields_endless", 431, &[b"GET / HTTP/1.1\r\nHost: a\r\n".as_slice(), &b"A: b\r\n".repeat(2000)].concat());
    cases
}
