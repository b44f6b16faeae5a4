// Node's own server. Run: node node.js PORT
const http = require('http');

function compute() {
  const end = Date.now() + 1000;
  let sum = 0;
  while (Date.now() < end) for (let i = 0; i < 1000; i++) sum = (sum + 7) % 1000003;
  return sum;
}

http.createServer((request, response) => {
  const body = request.url === '/hog' ? String(compute()) : JSON.stringify({ ok: true, msg: 'hello' });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}).listen(+process.argv[2], '127.0.0.1', 16384);
