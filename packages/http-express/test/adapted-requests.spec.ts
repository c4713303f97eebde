import type { IncomingMessage } from 'node:http';
import { accountId, OPERATOR } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import { expect } from 'chai';
import express from 'express';
import { openService, type TestService } from 'pinfold-test-servers/service';
import { siteZip } from './client.ts';
import { apiAlone } from './rig.ts';

/** A request of a serverless platform's adapter: it has `headers`, and nothing that Node's own parser adds. */
function adapted(request: IncomingMessage, missing: 'absent' | 'empty'): void {
  const [rawHeaders, headersDistinct] = missing === 'absent' ? [undefined, undefined] : [[], {}];
  Object.defineProperties(request, {
    rawHeaders: { value: rawHeaders },
    headersDistinct: { value: headersDistinct },
  });
}

describe('requests of a serverless adapter', () => {
  for (const missing of ['absent', 'empty'] as const) {
    it(`keep their key and Idempotency-Key while headersDistinct is ${missing}`, async () => {
      const service: TestService<Memory> = await openService(createMemory(), (parts) =>
        express()
          .use((request, _, next) => {
            adapted(request, missing);
            next();
          })
          .use(apiAlone(parts)),
      );
      try {
        const { text } = await service.keys.create({ by: OPERATOR, account: accountId('ada') });
        const body = new FormData();
        body.set('archive', new File([siteZip()], 'site.zip', { type: 'application/zip' }));
        const publish = (headers: Record<string, string>): Promise<Response> =>
          fetch(`http://127.0.0.1:${service.port}/api/v1/pins`, { method: 'POST', headers, body });
        const authorization = `Bearer ${text}`;
        expect((await publish({ authorization, 'idempotency-key': 'one' })).status).to.equal(201);
        expect((await publish({ authorization, 'idempotency-key': 'one' })).status, 'a replay').to.equal(200);
        expect((await publish({ authorization })).status, 'without a key').to.equal(400);
        expect((await publish({ authorization: 'Bearer other', 'idempotency-key': 'two' })).status).to.equal(
          401,
        );
      } finally {
        await service.close();
      }
    });
  }

  it('are refused with a clear error if they are not of node:http', async () => {
    const service = await openService(createMemory(), (parts) => apiAlone(parts));
    try {
      const api = apiAlone({ ...service, publicPort: service.port } as Parameters<typeof apiAlone>[0]);
      const call = api as unknown as {
        handle(request: object, response: object, next: (e: unknown) => void): void;
      };
      const url = `http://127.0.0.1:${service.port}/api/v1/pins`;
      const request = { method: 'GET', url: '/api/v1/pins', headers: new Request(url).headers };
      const error = await new Promise((resolve) => call.handle(request, { setHeader: () => {} }, resolve));
      expect(error).to.be.an.instanceOf(TypeError).with.property('message').that.includes('node:http');
    } finally {
      await service.close();
    }
  });
});
