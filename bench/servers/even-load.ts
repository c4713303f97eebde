// Asks a server for a page at even intervals, whether or not earlier answers have come. What an answer took counts from
// when its request was due. A separate process, since wrk sends the next request only after an answer.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const [port = '', host = '', path = '', ...numbers] = process.argv.slice(2);
const [rate = 0, connections = 0, seconds = 0] = numbers.map(Number);
const REQUEST = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\n\r\n`;
const total = rate * seconds;

/** Times in milliseconds, in order of the answers. */
const times = new Float64Array(total);
let [asked, answered, length] = [0, 0, 0];
const sockets: Socket[] = [];

/** All answers have as many bytes as the first, whose headers end with that number. */
function lengthOf(answer: Buffer): number {
  const head = answer.indexOf('\r\n\r\n') + 4;
  const [, body] = /content-length: (\d+)/i.exec(answer.toString('latin1', 0, head)) ?? [];
  if (!answer.toString('latin1', 0, 12).endsWith('200') || body === undefined)
    throw new Error(String(answer));
  return head + Number(body);
}

class Line {
  readonly #socket: Socket;
  #due = 0;
  #received = 0;

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay();
    socket.on('data', (bytes) => this.#take(bytes));
  }

  ask(due: number): void {
    this.#due = due;
    this.#socket.write(REQUEST, 'latin1');
  }

  #take(bytes: Buffer): void {
    if (length === 0) length = lengthOf(bytes);
    this.#received += bytes.length;
    if (this.#received < length) return;
    if (this.#received > length) throw new Error('an answer of another length');
    this.#received = 0;
    if (this.#due > 0) times[answered++] = performance.now() - this.#due;
    lines.push(this);
  }
}

/** Lines without an answer. */
const lines: Line[] = [];
for (let n = 0; n < connections; n += 1) {
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  sockets.push(socket);
  new Line(socket).ask(0);
}
while (lines.length < connections) await new Promise(setImmediate);

const start = performance.now();
while (answered < total) {
  const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1_000));
  for (; asked < due; asked += 1) {
    const line = lines.shift();
    if (line === undefined) break;
    line.ask(start + (asked * 1_000) / rate);
  }
  await new Promise(setImmediate);
}
times.sort();
const percentile = (part: number) => times[Math.floor((total - 1) * part)];
console.log(JSON.stringify({ p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99) }));
for (const socket of sockets) socket.destroy();
