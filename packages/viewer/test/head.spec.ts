import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemory } from '@pinfold/memory';
import { expect } from 'chai';
import { openService } from 'pinfold-test-servers/service';
import { createViewer } from '../src/index.ts';

describe('A viewer in a server that takes no body for HEAD', () => {
  let server: Server;
  let url: string;
  let close: () => Promise<void>;

  before(async () => {
    const { useCases, close: closeService } = await openService(createMemory(), () => () => {});
    close = closeService;
    const view = createViewer({ useCases, publicUrl: 'http://127.0.0.1', mode: 'path', log: () => {} });
    server = createServer({ rejectNonStandardBodyWrites: true }, view).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await close();
  });

  it('answers HEAD with only the head of a page', async () => {
    const [head, page] = [await fetch(`${url}/nothing`, { method: 'HEAD' }), await fetch(`${url}/nothing`)];
    expect([head.status, page.status]).to.deep.equal([404, 404]);
    expect(head.headers.get('content-length')).to.equal(page.headers.get('content-length'));
    expect(await head.text()).to.equal('');
  });
});
