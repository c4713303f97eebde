import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ask } from '../../src/doctor/outside/ask.ts';
import { unanswered } from '../../src/doctor/outside/unanswered.ts';

describe('what pinfold doctor says where no answer came', () => {
  let proxy: Server;

  beforeEach(async () => {
    proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });

  afterEach(() => proxy.close());

  it('is that a certificate is needed, where the proxy has none for the name', async () => {
    const { port } = proxy.address() as AddressInfo;
    const error: unknown = await ask(new URL(`https://127.0.0.1:${port}/livez`), {}, {}).catch((e) => e);
    const [observed, advice] = unanswered(error);
    expect(observed).to.match(/^the proxy refused TLS: \S+ alert [\w ]+$/);
    expect(advice).to.include('certificate for this name');
  });
});
