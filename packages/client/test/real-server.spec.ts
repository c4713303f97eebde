import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PinfoldClient, PinfoldError } from '@pinfold/client';
import { publishFolder } from '@pinfold/client/node';
import { packFiles } from '@pinfold/client/zip';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createMemory, type Memory } from '@pinfold/memory';
import { expect } from 'chai';
import express from 'express';
import { contractKeys, openService, type TestService } from 'pinfold-test-servers/service';
import { all } from './answers.ts';

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
        createApi({ useCases, history, views, publicUrl, authenticate: apiKeyAuthentication(keys) }),
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

  it('checks, publishes, reads, changes, lists and stops', async () => {
    const checked = await client.check(archive);
    expect(checked.archive).to.deep.equal({ file_count: 2, size: 2 * PAGE.length });
    const { pin, warnings, idempotencyKey } = await client.publish(archive, {
      filename: 'a.zip',
      title: 'One',
    });
    expect(warnings.map(({ rule }) => rule)).to.deep.equal(['unused_server_file']);
    expect(checked.warnings).to.deep.equal(warnings);
    expect(pin).to.include({ title: 'One', original_filename: 'a.zip' });
    const again = await client.publish(archive, { filename: 'a.zip', title: 'One', idempotencyKey });
    expect(again).to.deep.include({ pin, replayed: true });
    expect(await client.get(pin.id)).to.deep.equal({ pin });
    expect(await client.get(pin.id, { views: true })).to.deep.equal({ pin, views: [] });
    expect((await client.update(pin.id, { title: null })).pin.title).to.equal(null);
    expect((await client.update(pin.id, { password: 'correct horse' })).pin.password_protected).to.equal(
      true,
    );
    expect((await client.update(pin.id, { reset_expiration: true })).pin.state).to.equal('published');
    const other = await client.publish(archive, { title: 'Two' });
    const ids = (await all(client.list({ pageSize: 1 }))).map(({ id }) => id);
    expect(ids).to.have.members([pin.id, other.pin.id]);
    await client.stop(pin.id);
    expect((await client.get(pin.id)).pin.state).to.equal('deleted');
    expect((await all(client.list({ state: 'deleted' }))).map(({ id }) => id)).to.deep.equal([pin.id]);
    expect((await client.limits()).limits.files).to.equal(500);
  });

  it('reads events, goes on after any of them, and gets those that come', async () => {
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

  it('throws what the API refuses', async () => {
    const codeOf = (work: Promise<unknown>) =>
      work.catch((error: unknown) => (error instanceof PinfoldError ? error.code : error));
    expect(await codeOf(client.publish(PAGE))).to.equal('invalid_archive');
    expect(await codeOf(client.get('0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20'))).to.equal('not_found');
    const stranger = new PinfoldClient({ url: `http://127.0.0.1:${service.port}`, key: 'wrong' });
    expect(await codeOf(stranger.limits())).to.equal('unauthorized');
  });

  it('publishes a folder once through connections that are cut', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinfold-client-'));
    const site = join(folder, 'site');
    await mkdir(site);
    for (const name of ['index.html', '.env.local']) await writeFile(join(site, name), PAGE);
    const sockets = new Set<Socket>();
    let cuts = 2;
    // The first connections end once the server has answered, and the answer is lost.
    const proxy = createServer((socket) => {
      sockets.add(socket);
      const upstream = connect(service.port, '127.0.0.1');
      socket.pipe(upstream);
      if (cuts > 0) {
        cuts -= 1;
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
      const through = new PinfoldClient({ url, key });
      const before = await all(client.list());
      const { pin, replayed, leftOut } = await publishFolder(through, site);
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
