import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connects, says something and takes nothing of what is answered, until it is told to. */
export async function sayAndTakeNothing(port: number, words: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  // A server may well hang up on such a client.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(words);
  return socket;
}

/** A request for a file, by its bare least. */
export function get(path: string, host: string, more: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...more, '', ''].join('\r\n');
}
