import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connects so often at once, says something each time, and takes nothing of what is answered. */
export function sayAndTakeNothing(port: number, ...words: readonly string[]): Promise<readonly Socket[]> {
  return Promise.all(
    words.map(async (text) => {
      const socket = connect(port, '127.0.0.1').pause();
      // A server may well hang up on such a client.
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    }),
  );
}

/** A request for a file, by its bare least. */
export function get(path: string, host: string, more: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...more, '', ''].join('\r\n');
}
