import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';

// The parts of node:http that have no public name, and on which the server's bound of pipelining rests:
// - `socket.parser.incoming`, the request whose body is parsed, or was last;
// - `socket._paused`, whether nothing may be parsed because too much of the answers is not taken;
// - the `data` listeners of an accepted connection: before others add theirs, they are the parser.

interface Internals {
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
  readonly _paused?: boolean;
}

type Parser = (bytes: Buffer) => void;

export function requestBeingParsed(socket: Duplex): IncomingMessage | null | undefined {
  return (socket as Internals).parser?.incoming;
}

export function isParsingStopped(socket: Duplex): boolean {
  return (socket as Internals)._paused === true;
}

export function parsersOf(socket: Duplex): readonly Parser[] {
  return socket.listeners('data') as Parser[];
}

/** Whether this Node, or what runs in its place, has the parts: tries them with a connection in memory. */
export function hasKnownParser(): boolean {
  const { createServer } = process.getBuiltinModule('node:http');
  const seen: unknown[] = [];
  const socket = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() });
  const server = createServer((request) => seen.push(requestBeingParsed(socket) === request));
  try {
    server.emit('connection', socket);
    const { _paused: paused } = socket as Internals;
    const parsers = parsersOf(socket);
    for (const parse of parsers) parse.call(socket, Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    return parsers.length === 1 && seen.length === 1 && seen[0] === true && paused === false;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
