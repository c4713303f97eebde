// The limit of the runtime: bytes and headers of another server, answered from memory; nothing is decided. With GATHER,
// the answers of one turn of the event loop are written together, as Pinfold does.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { ANSWERS, PORT, GATHER } = process.env;
/** Node writes these by itself. */
const OWN = new Set(['date', 'connection', 'keep-alive']);
/** The largest body that is one write with its head when it is a text. */
const TEXT = 65_536;

const flat = (headers) => headers.filter((_, n) => !OWN.has(headers[n - (n % 2)].toLowerCase()));
const answers = new Map(
  Object.entries(JSON.parse(readFileSync(ANSWERS, 'utf8'))).map(
    ([path, { etag, headers, body, unchanged }]) => [
      path,
      {
        etag,
        headers: flat(headers),
        body: body.length < TEXT ? body : Buffer.from(body, 'latin1'),
        unchanged: flat(unchanged),
      },
    ],
  ),
);
let endings = [];
const endAll = () => {
  const all = endings;
  endings = [];
  for (const [response, body] of all) response.end(body, 'latin1');
};
const end = (response, body) => {
  if (GATHER === undefined) return response.end(body, 'latin1');
  endings.push([response, body]);
  if (endings.length === 1) setImmediate(endAll);
};
const server = createServer((request, response) => {
  const { etag, headers, body, unchanged } = answers.get(request.url);
  if (request.headers['if-none-match'] === etag) end(response.writeHead(304, unchanged), '');
  else end(response.writeHead(200, headers), body);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
