import { expect } from 'chai';
import { multipart } from '../fixtures/multipart.ts';
import { ApiClient, expectProblem, publishSite, UNKNOWN_ID } from './api-client.ts';
import { type ApiDocument, readDocument } from './api-document.ts';
import { type ApiAnswer, type ApiRequest, exchange } from './api-exchange.ts';
import { siteZip } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function pinOperations(id: string): readonly ApiRequest[] {
  const json = { 'Content-Type': 'application/json' };
  const { contentType, body } = multipart([]);
  return [
    { path: '/api/v1/pins' },
    { path: '/api/v1/limits' },
    { path: `/api/v1/pins/${id}` },
    { method: 'HEAD', path: `/api/v1/pins/${id}` },
    { method: 'PATCH', path: `/api/v1/pins/${id}`, headers: json, body: '{"title":"x"}' },
    {
      method: 'POST',
      path: '/api/v1/pins',
      headers: { 'Content-Type': contentType, 'Idempotency-Key': 'k' },
      body,
    },
    { method: 'DELETE', path: `/api/v1/pins/${id}` },
  ];
}

/** A request of each documented operation under /api/v1, with an id as its path parameter. */
async function documentedRequests(service: HttpService, id: string): Promise<readonly ApiRequest[]> {
  return documentedOperations(await readDocument(service))
    .filter(([, path]) => path.startsWith('/api/v1/'))
    .map(([method, path]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, id) }));
}

function documentedOperations({ paths }: ApiDocument): readonly (readonly [method: string, path: string])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((name) => name !== 'parameters')
      .map((method) => [method, path] as const),
  );
}

async function problemAnswers(service: HttpService): Promise<readonly ApiAnswer[]> {
  const client = new ApiClient(service);
  const { id } = await publishSite(service, { key: 'used' });
  const archive = siteZip('other');
  return [
    await client.publish({ archive, key: null }),
    await client.publish({ archive, key: '' }),
    await client.publish({ archive, key: 'used' }),
    await client.publish({ archive: Buffer.from('no zip') }),
    await client.publish({ archive, title: 'a\nb' }),
    await client.publish({ parts: [] }),
    await client.publish({ archive, headers: { 'Content-Type': 'text/plain' } }),
    await client.publish({ archive, query: '?x=1' }),
    await new ApiClient(service, 'wrong').publish({ archive }),
    await new ApiClient(service, service.keys.readOnly).publish({ archive }),
    await client.update(id, {}),
    await client.update(id, { password: 'x' }),
    await client.read(UNKNOWN_ID),
    await client.send({ method: 'PUT', path: '/api/v1/pins' }),
  ];
}

export const generalClauses: HttpClauses = {
  'http/unauthorized: a missing, malformed or unknown key is one and the same 401, with WWW-Authenticate, on every operation':
    async ({ port }) => {
      const { id } = await publishSite(port);
      const { first } = port.keys;
      const [last = ''] = first.slice(-1);
      const changed = `${first.slice(0, -1)}${last === 'x' ? 'y' : 'x'}`;
      const wrong = [
        '',
        first,
        `Basic ${first}`,
        'Bearer',
        'Bearer ',
        `Bearer ${first} x`,
        `Bearer ${first}x`,
        `xBearer ${first}`,
        `Bearer${first}`,
        `Bearer\t${first}`,
      ];
      const headers = [...wrong, `Bearer ${changed}`, `Bearer pf_nobody_${'x'.repeat(43)}`, 'Bearer \u00e9'];
      const answers = new Set<string>();
      for (const authorization of [undefined, ...headers, [`Bearer ${first}`, `Bearer ${first}`]]) {
        const answer = await exchange(port.baseUrl, {
          path: `/api/v1/pins/${id}`,
          headers: authorization === undefined ? {} : { Authorization: authorization },
        });
        expectProblem(answer, 401, 'unauthorized', String(authorization));
        expect(answer.headers['www-authenticate']).to.equal('Bearer');
        answers.add(answer.text.replace(/urn:uuid:[0-9a-f-]+/g, 'urn:uuid:x'));
      }
      expect(answers.size).to.equal(1);
      for (const request of [...pinOperations(id), ...(await documentedRequests(port, id))]) {
        const { status } = await exchange(port.baseUrl, request);
        expect(status, `${request.method} ${request.path}`).to.equal(401);
      }
      expect((await new ApiClient(port).read(id)).body.pin.state).to.equal('published');
      const lower = { path: '/api/v1/limits', headers: { Authorization: `bearer   ${first}` } };
      expect((await exchange(port.baseUrl, lower)).status, 'another case, more spaces').to.equal(200);
    },
  'http/forbidden: a key without the scope is 403: a key for reading publishes, changes and stops nothing':
    async ({ port }) => {
      const pin = await publishSite(port);
      const readOnly = new ApiClient(port, port.keys.readOnly);
      expectProblem(await readOnly.publish({ archive: siteZip() }), 403, 'forbidden');
      expectProblem(await readOnly.update(pin.id, { title: 'x' }), 403, 'forbidden');
      expectProblem(await readOnly.stop(pin.id), 403, 'forbidden');
      const { body } = await readOnly.get('/api/v1/pins');
      expect(body.pins).to.deep.equal([pin]);
      expect((await readOnly.get('/api/v1/limits')).status).to.equal(200);
    },
  'http/routes: under /api/v1 the key is checked first; then an unknown path is 404, and an unsupported method 405 with Allow; anything else under /api is a 404 whatever the key':
    async ({ port }) => {
      const { id } = await publishSite(port);
      const client = new ApiClient(port);
      const role = `/api/v1/pins/${id}`;
      for (const end of ['', '/', '/x', '/pins/', `/pins/${id}/`, `/pins/${id}/x`, '/PINS']) {
        const path = `/api/v1${end}`;
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          expect((await exchange(port.baseUrl, { method, path })).status, path).to.equal(401);
          expectProblem(await client.send({ method, path }), 404, 'not_found', path);
        }
      }
      for (const end of ['', '/', '/v9/pins', `/v2/pins/${id}`, '/v1x', '/V1/limits', '/?x=1']) {
        const path = `/api${end}`;
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
          for (const send of [client.send({ method, path }), exchange(port.baseUrl, { method, path })]) {
            expectProblem(await send, 404, 'not_found', `${method} ${path}`);
          }
        }
      }
      const allowed = [
        ['/api/v1/pins', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
        [role, 'GET, HEAD, PATCH, DELETE', ['PUT', 'POST', 'OPTIONS']],
        ['/api/v1/limits', 'GET, HEAD', ['POST', 'DELETE', 'OPTIONS']],
      ] as const;
      for (const [path, allow, methods] of allowed) {
        for (const method of methods) {
          expect((await exchange(port.baseUrl, { method, path })).status, `${method} ${path}`).to.equal(401);
          const answer = await client.send({ method, path });
          expectProblem(answer, 405, 'method_not_allowed', `${method} ${path}`);
          expect(answer.headers.allow?.split(', ').toSorted()).to.deep.equal(allow.split(', ').toSorted());
        }
      }
    },
  'http/answers: every answer under /api has a request id of its own, must not be stored, and has no header that opens it to other origins':
    async ({ port }) => {
      const { id } = await publishSite(port);
      const client = new ApiClient(port);
      const ids = new Set<unknown>();
      const origin = { Origin: 'https://elsewhere.example', 'X-Request-Id': UNKNOWN_ID };
      const requests = [
        ...pinOperations(id),
        ...(await documentedRequests(port, id)),
        { path: '/api/v1/unknown' },
        { method: 'OPTIONS', path: '/api/v1/pins' },
        { path: '/api/unknown' },
      ];
      for (const request of requests) {
        const what = `${request.method ?? 'GET'} ${request.path}`;
        for (const ask of [client, new ApiClient(port, 'wrong')]) {
          const { headers, body } = await ask.send({
            ...request,
            headers: { ...request.headers, ...origin },
          });
          expect(headers['x-request-id'], what).to.match(REQUEST_ID);
          expect(headers['cache-control'], what).to.equal('no-store');
          expect(
            Object.keys(headers).filter((name) => name.startsWith('access-control')),
            what,
          ).to.deep.equal([]);
          if (body.code !== undefined) expect(body.instance).to.equal(`urn:uuid:${headers['x-request-id']}`);
          ids.add(headers['x-request-id']);
        }
      }
      expect(ids.size).to.equal(requests.length * 2);
      expect(ids.has(UNKNOWN_ID)).to.equal(false);
    },
  'http/head: HEAD answers as GET does, without the body; a body of GET or DELETE is ignored': async ({
    port,
  }) => {
    const { id } = await publishSite(port);
    const client = new ApiClient(port);
    const paths = ['pins', 'limits', `pins/${id}`, `pins/${UNKNOWN_ID}`].map((end) => `/api/v1/${end}`);
    for (const path of [...paths, '/openapi.json', '/llms.txt']) {
      const get = await client.get(path);
      const head = await client.send({ method: 'HEAD', path });
      expect(head.status).to.equal(get.status);
      expect(head.text).to.equal('');
      for (const name of ['content-type', 'content-length'])
        expect(head.headers[name]).to.equal(get.headers[name]);
    }
    const body = '{"not":"looked at"';
    expect((await client.send({ path: `/api/v1/pins/${id}`, body })).status).to.equal(200);
    expect((await client.send({ method: 'DELETE', path: `/api/v1/pins/${id}`, body })).status).to.equal(204);
  },
  'http/problems: every problem has all its members; for a publication it says whether to keep the Idempotency-Key':
    async ({ port }) => {
      for (const { status, headers, body, text } of await problemAnswers(port)) {
        const what = `${status} ${body.code}`;
        expect(headers['content-type']?.split(';')[0], what).to.equal('application/problem+json');
        expect(JSON.parse(text).type, what).to.equal(`urn:pinfold:problem:${body.code}`);
        expect(body.status, what).to.equal(status);
        expect(body.retryable, what).to.equal(false);
        const sentences = [body.detail, body.suggestion];
        for (const sentence of sentences) expect(sentence, what).to.match(/^[^\n]{10,}\.$/);
      }
      const archive = siteZip();
      const client = new ApiClient(port);
      const [key, title] = [
        await client.publish({ archive, key: '' }),
        await client.publish({ archive, title: '\n' }),
      ];
      expect(key.body.suggestion).to.match(/\bnew Idempotency-Key\b/);
      expect(title.body.suggestion).to.match(/\bsame Idempotency-Key\b/);
    },
  'http/urls: URLs in answers come from the settings, whatever Host and forwarding headers say': async ({
    port,
  }) => {
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'gopher',
      Forwarded: 'host=evil.example;proto=gopher',
    };
    const answer = await new ApiClient(port).publish({ archive: siteZip(), headers });
    expect(answer.status).to.equal(201);
    expect(answer.headers.location?.startsWith(`${port.baseUrl}/api/v1/pins/`)).to.equal(true);
    expect(answer.text).not.to.include('evil.example');
  },
  'http/document: GET /openapi.json needs no key and describes every operation in OpenAPI 3.1': async ({
    port,
  }) => {
    const answer = await exchange(port.baseUrl, { path: '/openapi.json' });
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    const document = await readDocument(port);
    const { openapi, paths } = document;
    expect(openapi).to.match(/^3\.1\.\d+$/);
    const operations = documentedOperations(document).map((operation) => operation.join(' '));
    const hasHistory = (await new ApiClient(port).get('/api/v1/events')).status === 200;
    expect(operations).to.include.members([
      'get /api/v1/pins',
      'post /api/v1/pins',
      'get /api/v1/pins/{id}',
      'patch /api/v1/pins/{id}',
      'delete /api/v1/pins/{id}',
      ...('/api/v1/pins/{id}/grants' in paths ? ['post /api/v1/pins/{id}/grants'] : []),
      'get /api/v1/limits',
      ...(hasHistory ? ['get /api/v1/events'] : []),
      'get /api/v1/names',
      'get /api/v1/names/{name}',
      'put /api/v1/names/{name}',
      'delete /api/v1/names/{name}',
      'get /openapi.json',
      'get /llms.txt',
    ]);
    const { status, headers } = await exchange(port.baseUrl, { method: 'POST', path: '/openapi.json' });
    expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD']);
  },
  'http/agent-guide: GET /llms.txt needs no key, and explains in plain text of less than 600 words how to publish here, with the limits in force':
    async ({ port }) => {
      const { status, headers, text } = await exchange(port.baseUrl, { path: '/llms.txt' });
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
      expect(text.split(/\s+/).length).to.be.below(600);
      const { limits } = (await new ApiClient(port).get('/api/v1/limits')).body;
      for (const part of [
        `${port.baseUrl}/api/v1/pins`,
        `${port.baseUrl}/openapi.json`,
        'Idempotency-Key',
        'archive',
        'index.html',
        `${limits.files} files`,
        `${limits.lifetime_days} days`,
      ])
        expect(text).to.include(part);
      expect((await exchange(port.baseUrl, { method: 'POST', path: '/llms.txt' })).status).to.equal(405);
    },
  'http/document-cached: GET /openapi.json and /llms.txt are compressed on request, and 304 for the ETag of the same coding; they must be revalidated':
    async ({ port }) => {
      for (const path of ['/openapi.json', '/llms.txt']) {
        const [tags, texts] = [new Set(), new Set()];
        for (const coding of ['gzip', 'identity']) {
          const first = await exchange(port.baseUrl, { path, headers: { 'accept-encoding': coding } });
          expect(first.headers['content-encoding']).to.equal(coding === 'gzip' ? coding : undefined);
          expect(first.headers['cache-control']).to.equal('no-cache');
          expect(first.headers.vary).to.match(/accept-encoding/i);
          const tag = first.headers.etag ?? '';
          expect(tag).to.match(/^"[^"]+"$/);
          const headers = { 'accept-encoding': coding, 'if-none-match': tag };
          const again = await exchange(port.baseUrl, { path, headers });
          expect([again.status, again.text, again.headers.etag]).to.deep.equal([304, '', tag]);
          expect(again.headers['cache-control']).to.equal('no-cache');
          const other = await exchange(port.baseUrl, {
            path,
            headers: { ...headers, 'if-none-match': '"other"' },
          });
          expect(other.status).to.equal(200);
          tags.add(tag);
          texts.add(first.text);
        }
        expect([tags.size, texts.size], path).to.deep.equal([2, 1]);
      }
    },
};
