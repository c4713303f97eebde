// What Node can do at the most: one fixed answer, made in one of several ways, nothing looked at.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';

const { ROOT, PORT, WAY } = process.env;
const unchanged = [
  ...['ETag', '"3229a99-4110-gzip"', 'Vary', 'Accept-Encoding', 'Cache-Control', 'no-cache'],
  ...['Referrer-Policy', 'same-origin', 'X-Content-Type-Options', 'nosniff', 'X-Robots-Tag', 'noindex'],
];
const body = readFileSync(join(ROOT, 'swagger-ui-bundle.js.gz'));
const whole = ['Content-Encoding', 'gzip', 'Content-Length', String(body.length)];
const pieces = Array.from({ length: Math.ceil(body.length / 65_536) }, (_, n) =>
  body.subarray(n * 65_536, (n + 1) * 65_536),
);

function headOf(status, headers) {
  const lines = Array.from(
    { length: headers.length / 2 },
    (_, n) => `${headers[2 * n]}: ${headers[2 * n + 1]}`,
  );
  const own = [`Date: ${new Date().toUTCString()}`, 'Connection: keep-alive', 'Keep-Alive: timeout=75'];
  return [`HTTP/1.1 ${status}`, ...lines, ...own, '', ''].join('\r\n');
}

async function sendPieces(response) {
  response.writeHead(200, whole);
  for (const piece of pieces) {
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

function tcp(answer) {
  return createTcpServer({ noDelay: true }, (socket) => {
    socket.on('data', () => socket.write(answer)).on('error', () => socket.destroy());
  });
}

const ways = {
  '304 with its headers': () => createServer((_, response) => response.writeHead(304, unchanged).end()),
  '304 without headers': () => createServer((_, response) => response.writeHead(304).end()),
  '304 over bare TCP': () => tcp(Buffer.from(headOf('304 Not Modified', unchanged))),
  'script in one piece': () => createServer((_, response) => response.writeHead(200, whole).end(body)),
  'script in pieces': () => createServer((_, response) => void sendPieces(response)),
  'script over bare TCP': () => tcp(Buffer.concat([Buffer.from(headOf('200 OK', whole)), body])),
};
ways[WAY]().listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
