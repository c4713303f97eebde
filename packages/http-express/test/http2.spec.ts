import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { CreateGrant } from '@pinfold/http';
import { archivePart, multipart } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { apiKeyAuthentication, createApi } from '../src/index.ts';
import { siteZip } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('The API over HTTP/2', () => {
  let rig: Rig;
  let server: Http2Server;
  let client: ClientHttp2Session;

  beforeEach(async () => {
    rig = await openRig();
    const createGrant: CreateGrant = async () => ({
      kind: 'created',
      url: 'https://share.example/grant',
      expiresAt: rig.clock.now(),
    });
    const api = createApi({
      useCases: rig.useCases,
      publicUrl: rig.baseUrl,
      authenticate: apiKeyAuthentication(rig.manageKeys),
      createGrant,
    });
    server = createServer((request, response) =>
      api(request as never, response as never, (error?: unknown) => response.destroy(error as Error)),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends a request without Content-Length, as HTTP/2 permits. */
  async function send(
    path: string,
    headers: Readonly<Record<string, string | readonly string[]>>,
    body: string | Uint8Array = '',
  ): Promise<unknown> {
    const stream = client.request({
      ':method': 'POST',
      ':path': path,
      authorization: `Bearer ${rig.keys.first}`,
      ...(headers as Record<string, string>),
    });
    stream.end(body);
    const [answer] = await once(stream, 'response');
    const { code } = (await json(stream)) as { readonly code?: string };
    return [answer[':status'], code];
  }

  it('refuses an Idempotency-Key and a password that are sent twice', async () => {
    const { contentType, body } = multipart([archivePart(siteZip())]);
    const type = { 'content-type': contentType };
    const publish = (headers: Readonly<Record<string, string | readonly string[]>>) =>
      send('/api/v1/pins', { ...type, ...headers }, body);
    expect(await publish({ 'idempotency-key': ['one', 'two'] })).to.deep.equal([
      400,
      'invalid_idempotency_key',
    ]);
    const passwords = ['correct horse', 'battery staple'].map(encodeURIComponent);
    expect(await publish({ 'idempotency-key': 'one', 'pinfold-password': passwords })).to.deep.equal([
      400,
      'invalid_request',
    ]);
    expect(await publish({ 'idempotency-key': 'one' })).to.deep.equal([201, undefined]);
  });

  it('reads a body without Content-Length before it creates a grant', async () => {
    const path = '/api/v1/pins/0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20/grants';
    const type = { 'content-type': 'application/json' };
    expect(await send(path, type, '{"password":"x"}')).to.deep.equal([422, 'invalid_update']);
    for (const body of ['', '{}']) expect(await send(path, type, body)).to.deep.equal([201, undefined]);
    expect(await send(path, {})).to.deep.equal([201, undefined]);
  });
});
