import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens this many connections, sends something on each, and reads no answer. */
export function sayAndTakeNothing(port: number, ...words: readonly string[]): Promise<readonly Socket[]> {
  return Promise.all(
    words.map(async (text) => {
      const socket = connect(port, '127.0.0.1').pause();
      // A server may close the connection of such a client.
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    }),
  );
}

/** The smallest request for a file. */
export function get(path: string, host: string, more: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...more, '', ''].join('\r\n');
}
