import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RoleId } from '@pinfold/core';
import type { RequestEntry } from '@pinfold/http';
import { outgoingBytes } from '@pinfold/http/internal';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { createViewer } from '../src/index.ts';
import { openRig, type Rig } from './rig.ts';

const LARGE = new Uint8Array(200_000).fill(97);

describe('a viewer over HTTP/2', () => {
  let rig: Rig;
  let id: RoleId;
  let server: Http2Server;
  let client: ClientHttp2Session;
  let log: RequestEntry[];
  let manifest: {
    readonly requested: PromiseWithResolvers<void>;
    readonly answered: PromiseWithResolvers<void>;
  };

  beforeEach(async () => {
    manifest = { requested: Promise.withResolvers(), answered: Promise.withResolvers() };
    rig = await openRig({
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          loadManifest: async (...archive) => {
            manifest.requested.resolve();
            await manifest.answered.promise;
            return roles.loadManifest(...archive);
          },
        }),
      }),
    });
    id = await rig.publish({ 'index.html': 'home', 'large.bin': { stored: LARGE } });
    log = [];
    const publicUrl = `http://localhost:${rig.port}`;
    const viewer = createViewer({ useCases: rig.useCases, publicUrl, log: (entry) => log.push(entry) });
    server = createServer((request, response) =>
      viewer(request as unknown as IncomingMessage, response as unknown as ServerResponse),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = (path: string, headers = {}) =>
    client.request({ ':path': path, host: rig.siteHost(id), ...headers });

  it('finds a site by :authority, as browsers name it, even beside another Host header', async () => {
    manifest.answered.resolve();
    for (const headers of [{}, { host: 'localhost' }]) {
      const stream = client.request({ ':authority': rig.siteHost(id), ...headers });
      const [answer] = await once(stream, 'response');
      expect([answer[':status'], await text(stream)]).to.deep.equal([200, 'home']);
    }
  });

  it('a client that leaves before the site is loaded holds no memory, and is logged once', async () => {
    const held = outgoingBytes.bytes;
    const serverStream = once(server, 'stream');
    const stream = ask('/large.bin');
    await manifest.requested.promise;
    const [serving] = await serverStream;
    stream.close();
    await once(serving, 'close');
    manifest.answered.resolve();
    while (log.length === 0) await rig.ask('/turn');
    await rig.ask('/turn');
    expect(outgoingBytes.bytes).to.equal(held);
    expect(log.map(({ status }) => status)).to.deep.equal([499]);
  });
});
