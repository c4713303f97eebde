import { after, minutes, seconds } from '@pinfold/core';
import { outgoingBytes } from '@pinfold/http/internal';
import { archivePart, type FormPart, multipart, titlePart } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { type Answer, ask, siteZip, until } from './client.ts';
import type { Rig } from './rig.ts';
import { ADDRESS_HEADER, openTrustingRig } from './trusting-rig.ts';

type Json = { readonly [name: string]: Json };

/** A request of an operation. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
}

/** Makes an invalid request from a valid one. */
type Alteration = (call: Call) => Call | Promise<Call>;

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Other answers to a download, and the headers that request them. */
const PARTS = [
  [206, { range: 'bytes=0-9' }],
  [412, { 'if-match': '"another"' }],
  [416, { range: 'bytes=999999-' }],
] as const;

/** The parts of a problem that do not depend on the reason; of its suggestion, whether it mentions the key. */
function errorsOf({
  type,
  title,
  status,
  code,
  retryable,
  suggestion,
  errors,
}: Readonly<Record<string, unknown>>) {
  const mentionsKey = /Idempotency-Key/.test(String(suggestion));
  return { type, title, status, code, retryable, mentionsKey, hasErrors: Array.isArray(errors) };
}

describe('Every answer that the document lists', () => {
  let rig: Rig;
  let committing = Promise.withResolvers<void>();
  let mayCommit = Promise.withResolvers<void>();
  let pending: Promise<unknown> | undefined;
  let sites = 0;
  const { memory } = outgoingBytes;
  let countedBytes = 0;
  beforeEach(async () => {
    committing = Promise.withResolvers();
    mayCommit = Promise.withResolvers();
    rig = await openTrustingRig(() => {
      committing.resolve();
      return mayCommit.promise;
    });
    await patch('/admin/v1/accounts/blocked', { blocked: { reason: 'a test', sites: 'keep' } });
    await patch('/admin/v1/accounts/others', { blocked: false });
  });
  afterEach(async () => {
    outgoingBytes.countLoaded(-countedBytes);
    outgoingBytes.memory = memory;
    mayCommit.resolve();
    rig.clock.advance(minutes(1));
    await pending;
  });

  const send = ({ path, ...call }: Call): Promise<Answer> =>
    ask(rig, path, {
      ...call,
      headers: { authorization: 'ada', ...call.headers },
      ...({ duplex: 'half' } as object),
    });
  const patch = (path: string, body: object) =>
    send({ method: 'PATCH', path, headers: JSON_TYPE, body: JSON.stringify(body) });
  function newPublication(
    parts: readonly FormPart[] = [archivePart(newSite())],
    key = `key ${sites}`,
    path = '/api/v1/pins',
  ): Call {
    const { contentType, body } = multipart(parts);
    const headers = { 'content-type': contentType, 'idempotency-key': key };
    return { method: 'POST', path, headers, body: new Uint8Array(body) };
  }

  function newSite(): Uint8Array {
    sites += 1;
    return siteZip(`site ${sites}`);
  }

  /** A path with existing items as its parameters. */
  async function fillPath(path: string): Promise<string> {
    const named = '/api/v1/names/{name}';
    if (path.startsWith(named)) return path.replace(named, (await nameRequest()).path);
    if (!/\{(?:id|sha256)\}/.test(path)) return path.replace('{name}', 'others');
    const { json } = await send(newPublication());
    if (path.includes('{id}')) return path.replace('{id}', json.pin.id);
    const taken = await takeDown(json.pin.id, false);
    return path.replace('{sha256}', (taken.json.pin as unknown as { sha256: string }).sha256);
  }

  const takeDown = (id: string, purge: boolean): Promise<Answer> =>
    send({
      method: 'POST',
      path: `/admin/v1/pins/${id}/takedown`,
      headers: JSON_TYPE,
      body: JSON.stringify({ reason: 'a test', purge }),
    });

  const newName = (): string => `name-${sites}`;

  /** A request that points a name at a new publication: a name that exists, unless another is given. */
  async function nameRequest(name?: string, authorization = 'ada'): Promise<Call> {
    const known = name ?? newName();
    const query = name === undefined ? `?name=${known}` : '';
    if (name === undefined) await send(newPublication(undefined, undefined, `/api/v1/pins${query}`));
    const { headers, ...published } = newPublication();
    const { json } = await send({ ...published, headers: { ...headers, authorization } });
    const body = JSON.stringify({ pin: json.pin.id });
    return { method: 'PUT', path: `/api/v1/names/${known}`, headers: { ...JSON_TYPE, authorization }, body };
  }

  /** The valid requests of an operation: those of its examples, or the only one. */
  async function requests(pattern: string, method: string, { requestBody }: Json): Promise<readonly Call[]> {
    if (method === 'PUT') return [await nameRequest(), await nameRequest(newName())];
    if (requestBody?.content?.['multipart/form-data'] !== undefined) {
      const again = newPublication();
      return [again, again, newPublication(undefined, '', `${pattern}?dry_run=true`)];
    }
    if (pattern.endsWith('/events')) {
      const plain = { method, path: pattern, headers: {} };
      return [plain, await withoutPlace(plain)];
    }
    const bodies = Object.values(requestBody?.content?.['application/json']?.examples ?? {});
    const sent = requestBody === undefined ? { headers: {} } : { headers: JSON_TYPE, body: '{}' };
    if (bodies.length === 0) return [{ method, path: await fillPath(pattern), ...sent }];
    return Promise.all(
      bodies.map(async ({ value }) => ({
        method,
        path: await fillPath(pattern),
        headers: JSON_TYPE,
        body: JSON.stringify(value),
      })),
    );
  }

  /** A request that may not wait for events, since the maximum of requests already waits. */
  async function withoutPlace(call: Call): Promise<Call> {
    const waiting = { ...call, path: `${call.path}?order=asc&after=latest&wait=30` };
    const five = Array.from({ length: 5 }, () => send(waiting));
    pending = Promise.allSettled([pending, ...five]);
    // One of them could not wait, so the others do.
    await Promise.race(five);
    return waiting;
  }

  /** A request for a large answer, while other clients leave the maximum of bytes unread. */
  function fullMemory(call: Call): Call {
    outgoingBytes.memory = 0;
    outgoingBytes.countLoaded(1);
    countedBytes += 1;
    return { ...call, headers: { 'accept-encoding': 'identity' } };
  }

  const as =
    (authorization: string): Alteration =>
    (call) => ({ ...call, headers: { ...call.headers, authorization } });
  const withBody =
    (body: object): Alteration =>
    (call) => ({ ...call, body: JSON.stringify(body) });
  const withHeaders =
    (headers: Readonly<Record<string, string>>): Alteration =>
    (call) => ({ ...call, headers: { ...call.headers, ...headers } });

  const alterations: Readonly<Record<string, Alteration>> = {
    unauthorized: as('nobody'),
    forbidden: as('powerless'),
    account_blocked: as('blocked'),
    internal_error: as('unlucky'),
    unavailable: (call) => (call.path.endsWith('/openapi.json') ? fullMemory(call) : as('too early')(call)),
    quota_exceeded: (call) => (call.method === 'PUT' ? nameRequest(newName(), 'nameless') : as('full')(call)),
    rate_limited: async (call) => {
      if (call.path.startsWith('/admin/')) return await fromBusyAddress(call);
      await send({ method: 'GET', path: '/api/v1/limits', headers: { authorization: 'busy' } });
      return as('busy')(call);
    },
    not_found: (call) =>
      call.method === 'PUT'
        ? withBody({ pin: UNKNOWN })(call)
        : call.path.startsWith('/api/')
          ? { ...call, path: call.path.replace(/[^/]+$/, UNKNOWN) }
          : as('powerless')(call),
    invalid_request: (call) => ({ ...call, path: `${call.path}?unknown=1` }),
    cursor_expired: async (call) => {
      await send(newPublication());
      const { json } = await send({ ...call, path: `${call.path}?order=asc&limit=1` });
      await rig.memory.history.drop(after(rig.clock.now(), minutes(1)), 1_000);
      return { ...call, path: `${call.path}?order=asc&after=${json.next_cursor}` };
    },
    unsupported_media_type: withHeaders({ 'content-type': 'text/html' }),
    request_timeout: (call) => ({
      ...call,
      body: new ReadableStream({ start: (body) => body.enqueue(Uint8Array.of(0x2d)) }),
    }),
    invalid_name: (call) =>
      call.method === 'PUT' ? { ...call, path: '/api/v1/names/-' } : { ...call, path: `${call.path}?name=-` },
    invalid_update: withBody({ title: 'two', password: 'changes at once' }),
    invalid_password: (call) =>
      (call.method === 'PATCH'
        ? withBody({ password: 'short' })
        : withHeaders({ 'pinfold-password': 'short' }))(call),
    invalid_title: (call) =>
      call.method === 'PATCH'
        ? withBody({ title: 'a\nb' })(call)
        : newPublication([archivePart(newSite()), titlePart('a\nb')]),
    invalid_state: async (call) => {
      if (call.path.includes('/others')) return { ...call, path: call.path.replace('others', 'erased%3A1') };
      const id = call.method === 'PUT' ? JSON.parse(String(call.body)).pin : call.path.split('/')[4];
      await send({ method: 'DELETE', path: `/api/v1/pins/${id}`, headers: {} });
      if (call.path.startsWith('/admin/')) await takeDown(id, true);
      return call;
    },
    idempotency_key_required: ({ headers, ...call }) => {
      const { 'idempotency-key': _, ...others } = headers;
      return { ...call, headers: others };
    },
    invalid_idempotency_key: withHeaders({ 'idempotency-key': '' }),
    idempotency_mismatch: async (call) => {
      await send(call);
      const key = call.headers['idempotency-key'];
      return newPublication(undefined, key);
    },
    idempotency_in_progress: async () => {
      const call = newPublication([archivePart(newSite(), 'slow.zip')]);
      pending = send(call);
      await committing.promise;
      return call;
    },
    archive_too_large: () => newPublication([archivePart(new Uint8Array(1_001))]),
    invalid_form: () => newPublication([]),
    invalid_archive: () => newPublication([archivePart(Buffer.from('no zip'))]),
  };

  /** Administration counts towards no account's rate: only wrong keys are limited. */
  async function fromBusyAddress(call: Call): Promise<Call> {
    const headers = { authorization: 'nobody', [ADDRESS_HEADER]: 'busy' };
    for (let n = 0; n < 60; n += 1) await send({ method: 'GET', path: '/api/v1/limits', headers });
    return { ...call, headers: { ...call.headers, ...headers } };
  }

  /** Advances the clock until the wait for a body that never arrives is over. */
  async function answered(call: Call): Promise<Answer> {
    const answer = send(call);
    if (!(call.body instanceof ReadableStream)) return answer;
    let isOver = false;
    void answer.finally(() => {
      isOver = true;
    });
    await until(() => {
      rig.clock.advance(seconds(30));
      return isOver;
    });
    return answer;
  }

  it('occurs, with exactly the headers that it lists', async () => {
    const { document, administrationDocument } = rig;
    for (const [pattern, item] of Object.entries({ ...document.paths, ...administrationDocument.paths })) {
      for (const [method, operation] of Object.entries(item)) {
        if (method === 'parameters') continue;
        const seen = new Map<string, Set<string>>();
        const note = ({ status, headers }: Answer, what: string) => {
          const listed = Object.keys(operation.responses?.[status]?.headers ?? {});
          const names = seen.get(String(status)) ?? new Set();
          for (const name of listed) if (headers.has(name)) names.add(name);
          seen.set(String(status), names);
          expect(listed, what).not.to.deep.equal([]);
        };
        for (const call of await requests(pattern, method.toUpperCase(), operation)) {
          const answer = await answered(call);
          expect(answer.status, answer.text).to.be.lessThan(300);
          note(answer, pattern);
          const etag = answer.headers.get('etag');
          if (etag === null) continue;
          const again = await answered({ ...call, headers: { ...call.headers, 'if-none-match': etag } });
          expect(again.status).to.equal(304);
          expect(again.headers.get('vary')).to.equal(answer.headers.get('vary'));
          note(again, `${pattern} unchanged`);
          for (const [status, headers] of pattern.endsWith('/archive') ? PARTS : []) {
            const part = await answered({ ...call, headers: { ...call.headers, ...headers } });
            expect(part.status, JSON.stringify(headers)).to.equal(status);
            note(part, `${pattern} ${status}`);
          }
        }
        for (const [status, { content }] of Object.entries(operation.responses ?? {})) {
          const examples = content?.['application/problem+json']?.examples ?? {};
          for (const [code, { value }] of Object.entries(examples)) {
            const [call] = await requests(pattern, method.toUpperCase(), operation);
            if (call === undefined) throw new Error(`no request of ${pattern}`);
            const answer = await answered(await (alterations[code] ?? expect.fail(code))(call));
            expect(`${answer.status} ${answer.json.code}`, `${method} ${pattern}`).to.equal(
              `${status} ${code}`,
            );
            expect(errorsOf(answer.json), `${method} ${pattern}`).to.deep.equal(errorsOf(value ?? {}));
            note(answer, `${pattern} ${code}`);
          }
        }
        const listed = Object.entries(operation.responses ?? {}).map(([status, { headers }]) => [
          status,
          new Set(Object.keys(headers ?? {})),
        ]);
        expect(Object.fromEntries(seen), `${method} ${pattern}`).to.deep.equal(Object.fromEntries(listed));
      }
    }
  });
});
