import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { confirmCancelled } from '../../browser/publish/cancelled.ts';

describe('the request for the outcome of a cancelled upload', () => {
  it('is repeated until the service itself has answered', async () => {
    const answers = [
      [200, '<!doctype html>Sign in to the network first'],
      [503, '{"kind":"refused"}'],
      [200, '{"kind":"running"}'],
      [200, '{"kind":"cancelled"}'],
    ] as const;
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const [status, body] = answers[bodies.length] ?? [500, ''];
      bodies.push(Buffer.concat(await request.toArray()).toString());
      response.writeHead(status).end(body);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const unconfirmed: string[] = [];
      const outcome = await confirmCancelled(
        {
          page: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          freshToken: () => expect.fail('signed in'),
        },
        { key: 'k', token: 't' },
        (why) => unconfirmed.push(why),
        new AbortController().signal,
      );
      expect(outcome).to.deep.equal({ kind: 'cancelled' });
      expect(unconfirmed).to.deep.equal(['unreachable', 'unreachable', 'running']);
      expect(new Set(bodies)).to.deep.equal(new Set(['form=t&key=k']));
    } finally {
      server.close();
    }
  });
});
