import { readFile } from 'node:fs/promises';
import { type ClientOptions, PinfoldClient } from '@pinfold/client';
import { openApiDocument } from '@pinfold/http-express';
import { expect } from 'chai';
import { ARCHIVE, failure, ID, KEY } from './answers.ts';
import { WIRE_TABLE, wireTable } from './wire-table.ts';

const SERVER = 'https://share.example';

describe('the objects of the client', () => {
  it('are those of the API document', async () => {
    expect(await readFile(WIRE_TABLE, 'utf8'), 'run `pnpm --filter @pinfold/client wire`').to.equal(
      wireTable(),
    );
  });
});

describe('the methods of the client', () => {
  it('call every operation of the API document that is for accounts', async () => {
    const called = new Set<string>();
    const fetch: ClientOptions['fetch'] = (input, { method = 'GET' } = {}) => {
      const { pathname } = new URL(String(input));
      called.add(`${method} ${pathname.replace(ID, '{id}').replace('docs', '{name}')}`);
      return Promise.resolve(new Response(null, { status: 404 }));
    };
    const client = new PinfoldClient({ url: SERVER, key: KEY, fetch, retryFor: 0 });
    const calls: readonly Promise<unknown>[] = [
      client.publish(ARCHIVE),
      client.get(ID),
      client.update(ID, { title: null }),
      client.stop(ID),
      client.archive(ID),
      client.createGrant(ID),
      client.listPage(),
      client.events().next(),
      client.limits(),
      client.names.listPage(),
      client.names.get('docs'),
      client.names.set('docs', ID),
      client.names.delete('docs'),
    ];
    await Promise.all(calls.map(failure));
    const paths = openApiDocument({ publicUrl: SERVER }).paths as Readonly<Record<string, object>>;
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((member) => member !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...called]).to.have.members(operations.filter((operation) => operation.includes(' /api/')));
  });
});
