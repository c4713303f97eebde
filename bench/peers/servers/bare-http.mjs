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
  bodies.set(path, {
    body,
    headers: {
      'content-type': type,
      'content-encoding': 'gzip',
      'content-length': body.length,
      vary: 'Accept-Encoding',
    },
  });
}
const server = createServer((request, response) => {
  const found = bodies.get(request.url);
  response.writeHead(200, found.headers);
  response.end(found.body);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
