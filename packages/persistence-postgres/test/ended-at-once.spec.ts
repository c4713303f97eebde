import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { isFault } from '@pinfold/core';
import { aRoleId, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { examinePostgres } from '../src/examine-postgres.ts';
import { openPostgres } from '../src/index.ts';

/** A message of PostgreSQL's protocol. */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}    ${body}`, 'latin1');
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

const AUTHENTICATED = message('R', '\0\0\0\0');
const READY = message('Z', 'I');
const ENDED = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');

describe('a server that ends a connection in the packet with ReadyForQuery', () => {
  for (const pipeline of [false, true]) {
    for (const [what, runStatement] of Object.entries({
      'a call': async (pool: pg.Pool) => (await openPostgres({ pool, schema: 's' })).roles.load(aRoleId(1)),
      'an examination': (pool: pg.Pool) => examinePostgres(pool, 's'),
    })) {
      it(`fails ${what} and not the process, ${pipeline ? 'with' : 'without'} a pipeline`, async () => {
        const server = createServer((socket) => {
          socket.on('error', () => {});
          socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED])));
        });
        await once(server.listen(0, '127.0.0.1'), 'listening');
        const { port } = server.address() as AddressInfo;
        const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'x', database: 'x', pipeline });
        try {
          const error = await rejectionOf(runStatement(pool));
          // An examination rejects with the error of `pg`.
          expect(isFault(error) && error.code).to.equal(what === 'a call' && 'store_unavailable');
        } finally {
          await pool.end();
          server.close();
        }
      });
    }
  }
});
