// Bun's own server. Run: bun bun.js PORT
function compute() {
  const end = Date.now() + 1000;
  let sum = 0;
  while (Date.now() < end) for (let i = 0; i < 1000; i++) sum = (sum + 7) % 1000003;
  return sum;
}

Bun.serve({
  port: +process.argv[2],
  hostname: '127.0.0.1',
  development: false,
  fetch(request) {
    if (request.url.endsWith('/hog')) return new Response(String(compute()));
    return Response.json({ ok: true, msg: 'hello' });
  },
});
