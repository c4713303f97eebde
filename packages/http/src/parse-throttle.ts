import type { Socket } from 'node:net';

/** Bytes that Node may parse at once of a connection whose client does not wait for its answers: some forty requests. */
const PIECE = 4_096;

const inPieces: WeakSet<Socket> = new WeakSet();

/**
 * From the next time that a connection is read on, hands Node what it brings piece by piece, and leaves the rest in the
 * connection while requests of it wait. Node by itself parses the 64 KiB that it reads at once, hundreds of requests, in
 * one turn of the event loop. A piece takes Node a little longer, so it is not for every connection.
 */
export function readInPieces(socket: Socket, waits: () => boolean): void {
  if (inPieces.has(socket)) return;
  inPieces.add(socket);
  const begin = (): void => {
    // Node's parser reads by itself up to here, and what it has stopped would stay stopped.
    if (socket.isPaused()) return;
    socket.off('resume', begin);
    const parsers = socket.listeners('data');
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => {
      for (const parse of parsers) parse.call(socket, bytes.subarray(0, PIECE));
      if (waits()) socket.pause();
      // Where nothing waits, it comes back at once.
      if (bytes.length > PIECE) socket.unshift(bytes.subarray(PIECE));
    });
  };
  socket.on('resume', begin);
}
