<?php
// The 17 rows of the language benchmark in PHP. Each row runs once as a warm-up and once timed, and prints
// `name,checksum,milliseconds`. Arguments choose rows.

const M = 1000000007;

function int_arith() {
    $s = 0;
    for ($i = 0; $i < 20000000; $i++) $s = ($s + $i * 3 + 7) % M;
    return $s;
}

function float_arith() {
    $x = 1.0;
    for ($i = 0; $i < 20000000; $i++) {
        $x = $x * 1.0000003 + 0.5;
        if ($x > 1e6) $x -= 1e6;
    }
    return (int) floor($x * 1000) % M;
}

function loop() {
    $s = 0;
    for ($i = 0; $i < 100000000; $i++) $s = ($s + 1) % M;
    return $s;
}

function plus_one($x) { return $x + 1; }

function fn_call() {
    $s = 0;
    for ($i = 0; $i < 20000000; $i++) $s = ($s + plus_one($i)) % M;
    return $s;
}

function inner($x) { return $x + 1; }
function middle($x) { return inner($x) + 1; }
function outer($x) { return middle($x) + 1; }

function nested_fn() {
    $s = 0;
    for ($i = 0; $i < 10000000; $i++) $s = ($s + outer($i)) % M;
    return $s;
}

function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }

function recursion() { return fib(32); }

function array_create_iterate() {
    $s = 0;
    for ($i = 0; $i < 20000; $i++) {
        $a = [];
        for ($j = 0; $j < 1000; $j++) $a[] = $j;
        $sum = 0;
        $n = count($a);
        for ($j = 0; $j < $n; $j++) $sum += $a[$j];
        $s = ($s + $sum) % M;
    }
    return $s;
}

function array_push_pop() {
    $s = 0;
    for ($i = 0; $i < 20000; $i++) {
        $a = [];
        for ($j = 0; $j < 1000; $j++) $a[] = $j;
        $sum = 0;
        while (count($a) > 0) $sum += array_pop($a);
        $s = ($s + $sum) % M;
    }
    return $s;
}

function assoc_access() {
    $map = [];
    for ($i = 0; $i < 100; $i++) $map['k' . $i] = $i;
    $s = 0;
    for ($i = 0; $i < 5000000; $i++) {
        $key = 'k' . ($i % 100);
        $s = ($s + $map[$key]) % M;
    }
    return $s;
}

function object_create() {
    $s = 0;
    for ($i = 0; $i < 5000000; $i++) {
        $r = ['a' => $i, 'b' => $i + 1, 'c' => $i + 2, 'd' => $i + 3, 'e' => $i + 4];
        $s = ($s + $r['c']) % M;
    }
    return $s;
}

function string_concat() {
    $s = 0;
    for ($i = 0; $i < 20000; $i++) {
        $t = '';
        for ($j = 0; $j < 1000; $j++) $t .= 'x';
        $s += strlen($t);
    }
    return $s;
}

function string_search() {
    $hay = str_repeat('a', 984) . 'needle' . str_repeat('b', 10);
    $s = 0;
    for ($i = 0; $i < 1000000; $i++) $s = ($s + strpos($hay, 'needle')) % M;
    return $s;
}

function string_slice() {
    $hay = str_repeat('a', 1000);
    $s = 0;
    for ($i = 0; $i < 2000000; $i++) $s += strlen(substr($hay, $i % 900, 50));
    return $s;
}

function json_parse() {
    $src = '{"id":42,"name":"look","tags":[1,2,3],"active":true}';
    $s = 0;
    for ($i = 0; $i < 1000000; $i++) $s += json_decode($src, true)['id'];
    return $s;
}

function json_serialize() {
    $o = ['id' => 42, 'name' => 'look', 'tags' => [1, 2, 3], 'active' => true];
    $s = 0;
    for ($i = 0; $i < 1000000; $i++) $s += strlen(json_encode($o));
    return $s;
}

function regex() {
    $t = 'contact alice@example.com or bob@test.org or carol@mail.net today';
    $s = 0;
    for ($i = 0; $i < 500000; $i++) {
        preg_match_all('/[a-z]+@[a-z]+\.[a-z]+/', $t, $matches);
        $s += count($matches[0]);
    }
    return $s;
}

// PHP cannot throw a string: the value thrown is an Exception object.
function exception() {
    $s = 0;
    for ($i = 0; $i < 2000000; $i++) {
        try {
            if ($i % 2 == 0) throw new Exception('err');
            $s = ($s + 1) % M;
        } catch (Exception $e) {
            $s = ($s + 2) % M;
        }
    }
    return $s;
}

$rows = [
    'int_arith', 'float_arith', 'loop', 'fn_call', 'nested_fn', 'recursion', 'array_create_iterate', 'array_push_pop',
    'assoc_access', 'object_create', 'string_concat', 'string_search', 'string_slice', 'json_parse', 'json_serialize',
    'regex', 'exception',
];

$only = array_slice($argv, 1);
foreach ($rows as $name) {
    if ($only && !in_array($name, $only, true)) continue;
    $name();
    $start = hrtime(true);
    $checksum = $name();
    $nanoseconds = hrtime(true) - $start;
    printf("%s,%d,%.2f\n", $name, $checksum, $nanoseconds / 1e6);
}
