//! Temporary.
use std::hint::black_box;
use std::time::Instant;
fn main() {
    let doc = r#"{"id":42,"name":"look","tags":[1,2,3],"active":true}"#;
    let item = r#"{"id":12345,"user":{"name":"someone","email":"someone@example.com","score":12.75},"text":"A longer text with \"quotes\" and a newline\n, as comments have","tags":["a","b","c"],"created":"2026-01-02T03:04:05Z","active":true,"parent":null}"#;
    let big = format!("[{}]", vec![item; 1000].join(","));
    let numbers = format!("[{}]", (0..10000).map(|n| format!("{}.{}", n, n * 7 % 1000)).collect::<Vec<_>>().join(","));
    let mut parser = stdlib::json::Parser::default();
    for (name, text, n) in [("doc", doc, 1_000_000), ("item", item, 200_000), ("big", &big, 200), ("numbers", &numbers, 300)] {
        for _ in 0..3 {
            let start = Instant::now();
            for _ in 0..n { black_box(parser.parse(black_box(text.as_bytes())).unwrap()); }
            let decode = start.elapsed().as_nanos() as f64 / n as f64;
            let value = parser.parse(text.as_bytes()).unwrap();
            let mut out = Vec::new();
            let start = Instant::now();
            for _ in 0..n { out.clear(); stdlib::json::write(&mut out, black_box(&value)).unwrap(); black_box(vm::Str::new(&out)); }
            let encode = start.elapsed().as_nanos() as f64 / n as f64;
            println!("{name}: decode {decode:.1} ns, encode {encode:.1} ns, {} bytes", text.len());
        }
    }
}
