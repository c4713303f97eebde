// The limit of the runtime: the same bytes from memory, nothing decided.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, relative } from 'node:path';

const { ROOT, PORT } = process.env;
const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};
const bodies = new Map();
for (const name of readdirSync(ROOT, { recursive: true })) {
  const file = join(ROOT, name);
  if (!name.endsWith('.gz') || !statSync(file).isFile()) continue;
  const path = `/${relative(ROOT, file).slice(0, -3)}`;
  const body = readFileSync(file);
  const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const etag = `"${body.length}"`;
  bodies.set(path, {
    body,
    etag,
    headers: {
      'content-type': type,
      'content-encoding': 'gzip',
      'content-length': body.length,
      etag,
      vary: 'Accept-Encoding',
    },
    // What RFC 9110, section 15.4.5 wants in a 304 beside the date.
    unchanged: { etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' },
  });
}
const server = createServer((request, response) => {
  const found = bodies.get(request.url);
  if (request.headers['if-none-match'] === found.etag) {
    response.writeHead(304, found.unchanged).end();
    return;
  }
  response.writeHead(200, found.headers);
  response.end(found.body);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
