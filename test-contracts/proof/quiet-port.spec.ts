import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { quietPort } from 'pinfold-test-servers';

describe('a quiet port', () => {
  it('can be listened on', async () => {
    const server = createServer().listen(await quietPort(), '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });

  // Other systems have the range elsewhere.
  if (process.platform === 'linux')
    it('is outside of the range from which the system assigns ports', async () => {
      const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
      const [least = 0, greatest = 0] = range.trim().split(/\s+/).map(Number);
      for (let n = 0; n < 20; n += 1) expect(await quietPort()).not.to.be.within(least, greatest);
    });
});
