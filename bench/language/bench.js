// The 17 rows of the language benchmark in JavaScript, and `exception_error_obj`, which only JavaScript has.
// Each row runs once as a warm-up and once timed, and prints `name,checksum,milliseconds`. Arguments choose rows.
'use strict';

const M = 1000000007;

function int_arith() {
  let s = 0;
  for (let i = 0; i < 20000000; i++) s = (s + i * 3 + 7) % M;
  return s;
}

function float_arith() {
  let x = 1.0;
  for (let i = 0; i < 20000000; i++) {
    x = x * 1.0000003 + 0.5;
    if (x > 1e6) x -= 1e6;
  }
  return Math.floor(x * 1000) % M;
}

function loop() {
  let s = 0;
  for (let i = 0; i < 100000000; i++) s = (s + 1) % M;
  return s;
}

function plus_one(x) { return x + 1; }

function fn_call() {
  let s = 0;
  for (let i = 0; i < 20000000; i++) s = (s + plus_one(i)) % M;
  return s;
}

function inner(x) { return x + 1; }
function middle(x) { return inner(x) + 1; }
function outer(x) { return middle(x) + 1; }

function nested_fn() {
  let s = 0;
  for (let i = 0; i < 10000000; i++) s = (s + outer(i)) % M;
  return s;
}

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

function recursion() { return fib(32); }

function array_create_iterate() {
  let s = 0;
  for (let i = 0; i < 20000; i++) {
    const a = [];
    for (let j = 0; j < 1000; j++) a.push(j);
    let sum = 0;
    for (let j = 0; j < a.length; j++) sum += a[j];
    s = (s + sum) % M;
  }
  return s;
}

function array_push_pop() {
  let s = 0;
  for (let i = 0; i < 20000; i++) {
    const a = [];
    for (let j = 0; j < 1000; j++) a.push(j);
    let sum = 0;
    while (a.length > 0) sum += a.pop();
    s = (s + sum) % M;
  }
  return s;
}

function assoc_access() {
  const map = {};
  for (let i = 0; i < 100; i++) map['k' + i] = i;
  let s = 0;
  for (let i = 0; i < 5000000; i++) {
    const key = 'k' + (i % 100);
    s = (s + map[key]) % M;
  }
  return s;
}

function object_create() {
  let s = 0;
  for (let i = 0; i < 5000000; i++) {
    const r = { a: i, b: i + 1, c: i + 2, d: i + 3, e: i + 4 };
    s = (s + r.c) % M;
  }
  return s;
}

function string_concat() {
  let s = 0;
  for (let i = 0; i < 20000; i++) {
    let t = '';
    for (let j = 0; j < 1000; j++) t += 'x';
    s += t.length;
  }
  return s;
}

function string_search() {
  const hay = 'a'.repeat(984) + 'needle' + 'b'.repeat(10);
  let s = 0;
  for (let i = 0; i < 1000000; i++) s = (s + hay.indexOf('needle')) % M;
  return s;
}

function string_slice() {
  const hay = 'a'.repeat(1000);
  let s = 0;
  for (let i = 0; i < 2000000; i++) {
    const start = i % 900;
    s += hay.substring(start, start + 50).length;
  }
  return s;
}

function json_parse() {
  const src = '{"id":42,"name":"look","tags":[1,2,3],"active":true}';
  let s = 0;
  for (let i = 0; i < 1000000; i++) s += JSON.parse(src).id;
  return s;
}

function json_serialize() {
  const o = { id: 42, name: 'look', tags: [1, 2, 3], active: true };
  let s = 0;
  for (let i = 0; i < 1000000; i++) s += JSON.stringify(o).length;
  return s;
}

function regex() {
  const t = 'contact alice@example.com or bob@test.org or carol@mail.net today';
  let s = 0;
  for (let i = 0; i < 500000; i++) {
    const matches = t.match(/[a-z]+@[a-z]+\.[a-z]+/g);
    s += matches.length;
  }
  return s;
}

function exception() {
  let s = 0;
  for (let i = 0; i < 2000000; i++) {
    try {
      if (i % 2 === 0) throw 'err';
      s = (s + 1) % M;
    } catch (e) {
      s = (s + 2) % M;
    }
  }
  return s;
}

function exception_error_obj() {
  let s = 0;
  for (let i = 0; i < 2000000; i++) {
    try {
      if (i % 2 === 0) throw new Error('err');
      s = (s + 1) % M;
    } catch (e) {
      s = (s + 2) % M;
    }
  }
  return s;
}

const rows = {
  int_arith,
  float_arith,
  loop,
  fn_call,
  nested_fn,
  recursion,
  array_create_iterate,
  array_push_pop,
  assoc_access,
  object_create,
  string_concat,
  string_search,
  string_slice,
  json_parse,
  json_serialize,
  regex,
  exception,
  exception_error_obj,
};

const only = process.argv.slice(2);
for (const [name, row] of Object.entries(rows)) {
  if (only.length > 0 && !only.includes(name)) continue;
  row();
  const start = process.hrtime.bigint();
  const checksum = row();
  const nanoseconds = process.hrtime.bigint() - start;
  console.log(`${name},${checksum},${(Number(nanoseconds) / 1e6).toFixed(2)}`);
}
