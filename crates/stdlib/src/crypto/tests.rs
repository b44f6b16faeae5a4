//! Published vectors, and what happens with text that is none of what it should be.

use crate::testing::{call, error, text};
use vm::Value;

fn one(name: &str, argument: impl AsRef<[u8]>) -> String {
    text("crypto", name, vec![Value::str(argument)])
}

fn bytes(name: &str, args: Vec<Value>) -> Vec<u8> {
    let value = call("crypto", name, args).expect("no error");
    value.as_str().expect("a string").as_bytes().to_vec()
}

#[test]
fn hashes() {
    // FIPS 180-4 examples and RFC 4231, test cases 1, 2, 6.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(one("sha256", ""), empty);
    let two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_eq!(one("sha256", two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    for (key, data, expected) in [
        (&[0x0b; 20][..], &b"Hi There"[..], "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ] {
        let args = || vec![Value::str(data), Value::str(key)];
        assert_eq!(text("crypto", "hmac_sha256", args()), expected);
        assert_eq!(base16ct::lower::encode_string(&bytes("hmac_sha256_raw", args())), expected);
    }
}

#[test]
fn encodings() {
    // RFC 4648, section 10.
    for (plain, base64, hex) in [
        ("", "", ""),
        ("f", "Zg==", "66"),
        ("fo", "Zm8=", "666f"),
        ("foo", "Zm9v", "666f6f"),
        ("foob", "Zm9vYg==", "666f6f62"),
        ("fooba", "Zm9vYmE=", "666f6f6261"),
        ("foobar", "Zm9vYmFy", "666f6f626172"),
    ] {
        assert_eq!(one("base64_encode", plain), base64);
        assert_eq!(one("base64_decode", base64), plain);
        assert_eq!(one("base64_decode", base64.trim_end_matches('=')), plain);
        assert_eq!(one("base64url_encode", plain), base64.trim_end_matches('='));
        assert_eq!(one("base64url_decode", base64), plain);
        assert_eq!(one("hex_encode", plain), hex);
        assert_eq!(one("hex_decode", hex.to_uppercase()), plain);
    }
    let odd = [0xfb, 0xff, 0xfe, 0x00];
    assert_eq!(one("base64_encode", odd), "+//+AA==");
    assert_eq!(one("base64url_encode", odd), "-__-AA");
    assert_eq!(bytes("base64url_decode", vec![Value::str("-__-AA")]), odd);
    assert_eq!(one("base64_decode", "Zm9v\r\n YmFy\n"), "foobar");
    for (name, wrong) in [
        ("base64_decode", "Z"),
        ("base64_decode", "-__-"),
        ("base64_decode", "Zm9v!"),
        ("base64_decode", "Zh=="),
        ("base64url_decode", "+//+"),
        ("hex_decode", "abc"),
        ("hex_decode", "0x"),
    ] {
        assert_eq!(one(name, wrong), "null", "{name} {wrong}");
    }
}

#[test]
fn randomness_differs_and_has_its_form() {
    let uuid = text("crypto", "uuid", vec![]);
    assert_ne!(uuid, text("crypto", "uuid", vec![]));
    let form: String = uuid.chars().map(|c| if c == '-' { '-' } else { 'x' }).collect();
    assert_eq!(form, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    let marks: Vec<char> = [14, 19].into_iter().filter_map(|at| uuid.chars().nth(at)).collect();
    assert!(matches!(marks.as_slice(), ['4', '8' | '9' | 'a' | 'b']), "version and variant of {uuid}");
    for (name, len) in [("random_bytes", 32), ("random_string", 22)] {
        let random = || text("crypto", name, vec![Value::int(16)]);
        assert_eq!(random().len(), len);
        assert_ne!(random(), random());
        for count in [0, -1, 4097, i64::MAX, i64::MIN] {
            let message = error("crypto", name, vec![Value::int(count)]);
            assert_eq!(message, format!("crypto::{name}(): $count must be between 1 and 4096, got {count}"));
        }
        assert!(call("crypto", name, vec![Value::int(4096)]).is_ok());
    }
}

#[test]
fn comparison() {
    let compare = |a: Value, b: Value| text("crypto", "constant_compare", vec![a, b]);
    assert_eq!(compare(Value::str("abc"), Value::str("abc")), "true");
    assert_eq!(compare(Value::str(""), Value::str("")), "true");
    for (a, b) in [("abc", "abd"), ("abc", "ab"), ("", "a"), ("abc", "ABC")] {
        assert_eq!(compare(Value::str(a), Value::str(b)), "false");
    }
    assert_eq!(compare(Value::NULL, Value::str("")), "false");
    assert_eq!(compare(Value::NULL, Value::NULL), "false");
}

/// Key, signed text and signature of RFC 7515, appendix A.2.
const PRIVATE: [&str; 2] = [include_str!("tests/rfc7515-pkcs1.pem"), include_str!("tests/rfc7515-pkcs8.pem")];
const PUBLIC: [&str; 2] = [include_str!("tests/rfc7515-public-pkcs1.pem"), include_str!("tests/rfc7515-public.pem")];
const SIGNED: &str = "\
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9\
    pc19yb290Ijp0cnVlfQ";
const SIGNATURE: &str = "\
    cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujG\
    bds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K\
    0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6\
    LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

#[test]
fn rs256_signs_and_verifies() {
    for pem in PRIVATE {
        let args = || vec![Value::str(SIGNED), Value::str(pem)];
        assert_eq!(text("crypto", "rs256_sign_b64url", args()), SIGNATURE);
        let raw = bytes("rs256_sign", args());
        for pem in PUBLIC {
            let verify = |data: &str, signature: &[u8]| {
                text("crypto", "rs256_verify", vec![Value::str(data), Value::str(signature), Value::str(pem)])
            };
            assert_eq!(verify(SIGNED, &raw), "true");
            assert_eq!(verify(SIGNED, SIGNATURE.as_bytes()), "true");
            assert_eq!(verify("something else", &raw), "false");
            assert_eq!(verify(SIGNED, &[0; 256]), "false");
            for signature in ["", "AAAA", "no base64!"] {
                assert_eq!(verify(SIGNED, signature.as_bytes()), "false");
            }
        }
    }
}

#[test]
fn keys_that_cannot_be_used_say_why() {
    let sign = |pem: &str| error("crypto", "rs256_sign", vec![Value::str("x"), Value::str(pem)]);
    let wanted = "crypto::rs256_sign(): the key must be PRIVATE KEY or RSA PRIVATE KEY in PEM form, found";
    assert_eq!(sign(""), format!("{wanted} text without a -----BEGIN line"));
    assert_eq!(sign(PUBLIC[1]), format!("{wanted} PUBLIC KEY"));
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    assert_eq!(sign(encrypted), format!("{wanted} a key with a password, which has to be taken off first"));
    let torn: String = PRIVATE[0].lines().take(5).map(|line| format!("{line}\n")).collect();
    assert!(sign(&torn).starts_with("crypto::rs256_sign(): the key cannot be used: "));
    let message = error("crypto", "rs256_verify", vec![Value::str("x"), Value::str("y"), Value::str(PRIVATE[0])]);
    assert_eq!(
        message,
        "crypto::rs256_verify(): the key must be PUBLIC KEY or RSA PUBLIC KEY in PEM form, found RSA PRIVATE KEY"
    );
}
