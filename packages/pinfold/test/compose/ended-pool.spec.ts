import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { openDatabase } from '../../src/compose/stores.ts';

/** A message of PostgreSQL's protocol. */
function message(type: string, ...parts: readonly (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const READY = message('Z', 'I');
const HELLO = Buffer.concat([message('R', [0, 0, 0, 0]), READY]);
const FAILURE = message('E', 'SERROR\0VERROR\0C42P01\0Mno such table\0\0');
const SHUTDOWN = message(
  'E',
  'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
);

describe('The pool of a PostgreSQL database', () => {
  it('ignores the error of a connection that fails after the pool has ended', async () => {
    let failedConnections = 0;
    const server = createServer((socket) => {
      let hasGreeted = false;
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          if (!hasGreeted) socket.write(HELLO);
          else if (bytes[0] === 'X'.charCodeAt(0)) {
            failedConnections += 1;
            socket.end(SHUTDOWN);
          } else socket.write(Buffer.concat([FAILURE, READY]));
          hasGreeted = true;
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const opened = await openDatabase({ kind: 'postgres', url: `postgres://a:b@127.0.0.1:${port}/c` }, '');
    const persistence = await opened.persistence();
    await persistence.check().catch(() => undefined);
    await persistence.close();
    const closed = new Promise((resolve) => server.close(resolve));
    await opened.end();
    // Without a listener, the process would end here.
    await closed;
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(failedConnections, 'connections').to.be.above(0);
  });
});
