import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PinfoldClient } from '@pinfold/client';
import { publishFolder } from '@pinfold/client/node';
import { packFiles } from '@pinfold/client/zip';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createMemory, type Memory } from '@pinfold/memory';
import { expect } from 'chai';
import express from 'express';
import { contractKeys, openService, type TestService } from 'pinfold-test-servers/service';
import { all, failure } from './answers.ts';

const PAGE = new TextEncoder().encode('<!doctype html><title>x</title>');

describe('PinfoldClient, with the API itself', () => {
  let service: TestService<Memory>;
  let client: PinfoldClient;
  let key: string;
  let archive: Uint8Array;

  before(async () => {
    service = await openService(createMemory(), ({ useCases, keys, history, views, publicPort }) => {
      const publicUrl = `http://127.0.0.1:${publicPort}`;
      return express().use(
        createApi({
          useCases,
          openArchive: useCases.openArchive,
          history,
          views,
          publicUrl,
          authenticate: apiKeyAuthentication(keys),
        }),
      );
    });
    key = (await contractKeys(service.keys)).first;
    client = new PinfoldClient({ url: `http://127.0.0.1:${service.port}`, key });
    archive = (
      await packFiles([
        { path: 'index.html', bytes: PAGE },
        { path: '_redirects', bytes: PAGE },
      ])
    ).bytes;
  });

  after(() => service.close());

  it('reads views, lists in pages of any size, and finds what a key published', async () => {
    const { pin, idempotencyKey } = await client.publish(archive, { title: 'One' });
    expect(await client.get(pin.id, { views: true })).to.deep.equal({ pin, views: [] });
    const other = await client.publish(archive, { title: 'Two' });
    const listed = await all(client.list({ pageSize: 1 }));
    expect(listed.map(({ id }) => id)).to.have.members([pin.id, other.pin.id]);
    await client.stop(pin.id);
    const { pins } = await client.listPage({ idempotencyKey });
    expect(pins.map(({ id, state }) => [id, state])).to.deep.equal([[pin.id, 'deleted']]);
  });

  it('returns the ZIP byte by byte, and a range of it', async () => {
    const { pin } = await client.publish(archive, { title: 'Back' });
    const whole = await client.archive(pin.id);
    expect([whole.status, new Uint8Array(await whole.arrayBuffer())]).to.deep.equal([200, archive]);
    const part = await client.archive(pin.id, { range: 'bytes=-22' });
    expect([part.status, new Uint8Array(await part.arrayBuffer())]).to.deep.equal([206, archive.slice(-22)]);
    expect(part.headers.get('etag')).to.equal(whole.headers.get('etag'));
    const beyond = await failure(client.archive(pin.id, { range: 'bytes=9999999-' }));
    expect(beyond).to.include({ code: 'invalid_answer', status: 416, retryable: false });
    await client.stop(pin.id);
    expect(await failure(client.archive(pin.id))).to.include({ code: 'invalid_state', status: 409 });
  });

  it('reads events, continues after any of them, and receives new ones', async () => {
    const events = await all(client.events());
    expect(events.map(({ event }) => event.type)).to.include.members(['pin.published', 'pin.stopped']);
    const middle = events.at(2)?.cursor;
    expect(await all(client.events({ after: middle }))).to.deep.equal(events.slice(3));
    const { pin } = await client.publish(archive, { title: 'Three' });
    const [own] = await all(client.events({ after: events.at(-1)?.cursor, pin: pin.id }));
    expect(own?.event).to.include({ type: 'pin.published', pin: pin.id });
    for await (const { event } of client.events({ after: events.at(-1)?.cursor, follow: true })) {
      expect(event).to.deep.equal(own?.event);
      break;
    }
  });

  it('publishes a folder once although connections break', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinfold-client-'));
    const site = join(folder, 'site');
    await mkdir(site);
    for (const name of ['index.html', '.env.local']) await writeFile(join(site, name), PAGE);
    const sockets = new Set<Socket>();
    let remainingCuts = 2;
    // The first connections end once the server has answered, and the answer is lost.
    const proxy = createServer((socket) => {
      sockets.add(socket);
      const upstream = connect(service.port, '127.0.0.1');
      socket.pipe(upstream);
      if (remainingCuts > 0) {
        remainingCuts -= 1;
        upstream.once('data', () => socket.destroy());
      } else upstream.pipe(socket);
      socket.on('error', () => upstream.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const proxiedClient = new PinfoldClient({ url, key });
      const before = await all(client.list());
      const { pin, replayed, leftOut } = await publishFolder(proxiedClient, site);
      expect([replayed, leftOut, pin.original_filename]).to.deep.equal([true, ['.env.local'], 'site.zip']);
      const after = await all(client.list());
      expect(after.map(({ id }) => id)).to.have.members([pin.id, ...before.map(({ id }) => id)]);
    } finally {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await rm(folder, { recursive: true });
    }
  });
});
