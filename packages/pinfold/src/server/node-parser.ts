import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';

// Undocumented parts of node:http, which the limit on pipelined requests needs:
// - `socket.parser.incoming`: the request whose body is being parsed, or was parsed last;
// - `socket._paused`: whether parsing is paused because the client does not take its answers;
// - the `data` listeners of a new connection: only the parser, until others add theirs.

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

export function listParsers(socket: Duplex): readonly Parser[] {
  return socket.listeners('data') as Parser[];
}

/** Whether this runtime has these parts; tries them with a connection in memory. */
export function hasKnownParser(): boolean {
  const { createServer } = process.getBuiltinModule('node:http');
  const results: unknown[] = [];
  const socket = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() });
  const server = createServer((request) => results.push(requestBeingParsed(socket) === request));
  try {
    server.emit('connection', socket);
    const { _paused: paused } = socket as Internals;
    const parsers = listParsers(socket);
    for (const parse of parsers) parse.call(socket, Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    return parsers.length === 1 && results.length === 1 && results[0] === true && paused === false;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
