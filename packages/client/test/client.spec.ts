import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { ARCHIVE, all, failure, ID, KEY, PIN, PIN_ANSWER, PUBLISHED, problem, WAIT_1_S } from './answers.ts';
import { type Answer, clientOf, openServer, server } from './scripted-server.ts';

describe('PinfoldClient', () => {
  beforeEach(openServer);

  it('publishes, and returns the server’s answer with the key and whether it was a replay', async () => {
    server.answer(PUBLISHED, { ...PUBLISHED, status: 200, headers: { 'idempotent-replayed': 'true' } });
    const first = await clientOf().publish(ARCHIVE, { filename: 'ä.zip', title: 'T' });
    expect(first.idempotencyKey).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const { idempotencyKey } = first;
    expect(first).to.deep.equal({ pin: PIN, warnings: [], replayed: false, idempotencyKey });
    const again = await clientOf().publish(new File([ARCHIVE], 'ä.zip'), { title: 'T', idempotencyKey });
    expect(again).to.deep.equal({ ...first, replayed: true });
    const [one, two] = server.requests;
    expect(one?.headers).to.include({ authorization: `Bearer ${KEY}`, 'idempotency-key': idempotencyKey });
    expect(two?.body).to.equal(one?.body);
    expect(Buffer.from(one?.body ?? '', 'latin1').toString()).to.include('filename="ä.zip"');
  });

  it('treats null as an option that is not given', async () => {
    server.answer(PUBLISHED, PUBLISHED);
    const nulls = { filename: null, title: null, name: null, password: null, idempotencyKey: null };
    await clientOf().publish(ARCHIVE, nulls as never);
    await clientOf().publish(ARCHIVE);
    const sent = server.requests.map(({ path, body, headers }) => {
      return { path, body: body.replaceAll(/formdata-\S+/g, ''), password: headers['pinfold-password'] };
    });
    expect(sent[0]).to.deep.equal(sent[1]);
    expect(server.requests[0]?.headers['idempotency-key']).to.have.length(36);
  });

  it('refuses an archive that is neither a Blob nor bytes', async () => {
    for (const archive of ['PK', [80, 75], new Blob([ARCHIVE]).stream(), {}, null, undefined]) {
      const refused: unknown = await clientOf()
        .publish(archive as never)
        .catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(TypeError);
      expect(`${refused}`).to.include('archive must be a Blob, a Uint8Array or an ArrayBuffer');
    }
    expect(server.requests).to.have.length(0);
  });

  it('sends the password of a publication percent-encoded, with every attempt', async () => {
    server.answer({ status: 503, headers: WAIT_1_S }, PUBLISHED);
    await clientOf().publish(ARCHIVE, { password: 'café + 灯台' });
    const sent = server.requests.map(({ headers }) => headers['pinfold-password']);
    const encoded = 'caf%C3%A9%20%2B%20%E7%81%AF%E5%8F%B0';
    expect(sent).to.deep.equal([encoded, encoded]);
  });

  it('publishes the archive as it was when publish was called', async () => {
    server.answer({ status: 503, headers: WAIT_1_S }, PUBLISHED);
    const changing = ARCHIVE.slice();
    const publishing = clientOf({ onRetry: () => void changing.fill(0) }).publish(changing);
    await publishing;
    expect(server.requests[1]?.body).to.equal(server.requests[0]?.body).and.to.include('PK');
  });

  it('throws a refusal at once, with all details of the problem', async () => {
    const errors = [{ rule: 'missing_index', detail: 'No index.', path: 'a' }, { rule: 5 }, null];
    for (const status of [400, 401, 403, 404, 409, 413, 415, 422, 500]) {
      server.answer(problem(status, 'a_code', {}, { errors, retryable: false }));
      expect(await failure(clientOf().publish(ARCHIVE, { idempotencyKey: 'mine' }))).to.deep.include({
        name: 'PinfoldError',
        message: 'What to do.',
        detail: 'What to do.',
        code: 'a_code',
        status,
        errors: [errors[0]],
        retryable: false,
        requestId: 'the id',
        idempotencyKey: 'mine',
      });
    }
    expect(server.requests).to.have.length(9);
  });

  it('rejects with the reason of an aborted signal: before, during and between attempts', async () => {
    const reason = { why: 'no longer wanted' };
    const rejected = (signal: AbortSignal, onRetry = () => {}): Promise<unknown> =>
      clientOf({ onRetry })
        .publish(ARCHIVE, { signal })
        .catch((error: unknown) => error);
    expect(await rejected(AbortSignal.abort(reason))).to.equal(reason);
    expect(server.requests).to.deep.equal([]);
    const [during, between] = [new AbortController(), new AbortController()];
    server.answer('silent');
    const pending = rejected(during.signal);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    during.abort(reason);
    expect(await pending).to.equal(reason);
    server.answer(problem(503, 'unavailable', { 'retry-after': '60' }));
    expect(await rejected(between.signal, () => between.abort(reason))).to.equal(reason);
  });

  it('follows no redirect, so that the key is sent only to its server', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      server.answer({ status, headers: { location: `${server.url}/elsewhere` } });
      expect(await failure(clientOf().publish(ARCHIVE))).to.include({ code: 'invalid_answer', status });
    }
    expect(server.requests).to.have.length(5);
  });

  it('reads no more than 16 MiB of an answer', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        if (pulled <= 64) controller.enqueue(new Uint8Array(1_048_576));
        else controller.close();
      },
    });
    const large = clientOf({ fetch: async () => new Response(endless) });
    expect((await failure(large.get(ID))).code).to.equal('invalid_answer');
    expect(pulled).to.be.within(1, 32);
  });

  it('reads answers of a fetch whose bodies are streams of Node', async () => {
    server.answer({ status: 200, body: { pins: [PIN], next_cursor: null } });
    const fetchWithNodeBodies: typeof fetch = async (...request) =>
      Object.defineProperty(await fetch(...request), 'body', { value: Readable.from([]) });
    const { pins } = await clientOf({ fetch: fetchWithNodeBodies }).listPage();
    expect(pins).to.have.length(1);
  });

  it('rejects answers that do not come from the API', async () => {
    const wrong: readonly unknown[] = [
      ...['<html>Welcome to the café</html>', '', 'null', '{', { pin: null }, { pin: {} }, { pin: [] }],
      ...[{ pin: { ...PIN, size: '2' } }, { pin: { ...PIN, title: false } }, { pin: PIN, views: 5 }],
    ];
    for (const body of wrong) {
      server.answer({ status: 200, body });
      expect(await failure(clientOf().get(ID))).to.include({
        code: 'invalid_answer',
        status: 200,
        retryable: false,
      });
    }
    for (const warnings of [undefined, 5, [5], [{ rule: 'x' }]]) {
      server.answer({ status: 201, body: { pin: PIN, warnings } });
      expect((await failure(clientOf().publish(ARCHIVE))).code).to.equal('invalid_answer');
    }
    for (const pins of [undefined, {}, [5], [{ ...PIN, id: 5 }]]) {
      server.answer({ status: 200, body: { pins, next_cursor: null } });
      expect((await failure(clientOf().listPage())).code).to.equal('invalid_answer');
    }
    for (const body of ['<html>Welcome to the café</html>', '', 'null', '{']) {
      server.answer({ status: 200, body }, { status: 200, body });
      expect((await failure(clientOf().stop(ID))).code, body).to.equal('invalid_answer');
      expect((await failure(clientOf().names.delete('docs'))).code, body).to.equal('invalid_answer');
    }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const body of [deep, `{"code":"not_found","errors":${deep}}`]) {
      server.answer({ status: 404, body });
      expect(await failure(clientOf({ retryFor: 0 }).get(ID))).to.include({
        code: 'invalid_answer',
        retryable: false,
      });
    }
    server.answer({ status: 404, body: `<html>${'x'.repeat(500)}` });
    const { status, code, detail } = await failure(clientOf().get(ID));
    expect([status, code]).to.deep.equal([404, 'invalid_answer']);
    expect(detail).to.include('<html>xx').and.not.to.include('x'.repeat(200));
  });

  it('accepts an answer without the members that an older server lacks, and passes on unknown ones', async () => {
    const answers: readonly object[] = [
      ...[{ limits: {} }, { limits: { files: 500 }, quotas: {}, rates: { requests: null } }],
      { limits: { lifetime_days: 7, pages: 9 }, rates: { requests: { limit: 5 } }, more: true },
    ];
    for (const body of answers) {
      server.answer({ status: 200, body });
      expect(await clientOf().limits()).to.deep.equal(body);
    }
    const small = { pin: { id: ID, state: 'published' }, pages: 9 };
    server.answer({ status: 200, body: small });
    expect(await clientOf().get(ID)).to.deep.equal(small);
    const named = { ...small, warnings: [], name: { name: 'docs' } };
    server.answer({ status: 201, body: named });
    expect(await clientOf().publish(ARCHIVE)).to.deep.include(named);
    server.answer({ status: 200, body: { events: [{ id: ID }], next_cursor: null } });
    expect(await all(clientOf().history())).to.deep.equal([{ id: ID }]);
    const viewed = { pin: PIN, views: [{ day: '2026-11-20', views: 5 }] };
    server.answer({ status: 200, body: viewed });
    expect(await clientOf().get(ID, { views: true })).to.deep.equal(viewed);
    const checked = { pin: null, archive: { file_count: 1 }, warnings: [] };
    server.answer({ status: 200, body: checked });
    expect(await clientOf().check(ARCHIVE)).to.deep.equal(checked);
    server.answer({ status: 200, body: { limits: { files: '500' } } });
    expect((await failure(clientOf().limits())).code).to.equal('invalid_answer');
  });

  it('lists page after page, and ends at a repeated cursor', async () => {
    const page = (next_cursor: string | null): Answer => ({
      status: 200,
      body: { pins: [PIN], next_cursor },
    });
    server.answer(page('a&b'), page(null));
    const pins = await all(clientOf().list({ state: 'expired', pageSize: 1 }));
    expect(pins).to.deep.equal([PIN, PIN]);
    expect(server.requests.map(({ path }) => path)).to.deep.equal([
      '/api/v1/pins?state=expired&limit=1',
      '/api/v1/pins?state=expired&cursor=a%26b&limit=1',
    ]);
    server.answer(page('a'), page('a'));
    expect((await failure(all(clientOf().list()))).code).to.equal('invalid_answer');
    expect(server.requests).to.have.length(4);
  });

  it('calls the function for the key before each attempt', async () => {
    const keys = ['one', 'two'];
    server.answer({ status: 503, headers: WAIT_1_S }, PIN_ANSWER);
    await clientOf({ key: async () => keys.shift() ?? '' }).get(ID);
    expect(server.requests.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer one',
      'Bearer two',
    ]);
  });

  it('never shows the key', async () => {
    const shown = (value: unknown): string =>
      `${inspect(value, { depth: 9, showHidden: true })}${JSON.stringify(value)}${(value as Error).stack}`;
    expect(shown(clientOf())).not.to.include(KEY);
    const errors = [{ rule: 'x', detail: KEY, path: KEY, more: KEY }];
    const echo = { status: 400, body: { code: 'x', detail: `you sent ${KEY}`, errors } };
    for (const answer of [echo, { status: 400, body: `<pre>Authorization: Bearer ${KEY}` }]) {
      server.answer(answer);
      const error = await failure(clientOf().publish(ARCHIVE));
      expect(shown(error)).not.to.include(KEY);
      expect(error.detail).to.include('[key]');
    }
    const leaking = async (): Promise<never> => {
      throw new Error('failed', { cause: new Error(`with ${KEY}`) });
    };
    expect(shown(await failure(clientOf({ fetch: leaking, retryFor: 0 }).get(ID)))).not.to.include(KEY);
    for (const key of [`${KEY}\n`, '', 'ä']) {
      const error = await clientOf({ key })
        .get(ID)
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
      expect(shown(error)).not.to.include(KEY);
    }
    const refused = await clientOf()
      .publish(ARCHIVE, { idempotencyKey: `my ${KEY}` })
      .catch((reason: unknown) => reason);
    expect(refused).to.be.instanceOf(TypeError);
    expect(shown(refused)).not.to.include(KEY);
    expect(server.requests).to.have.length(2);
  });

  it('keeps the path of the address, and refuses an address with a password', async () => {
    server.answer(PIN_ANSWER);
    await clientOf({ url: `${server.url}/share/?x#y` }).get('../x');
    expect(server.requests[0]?.path).to.equal('/share/api/v1/pins/..%2Fx');
    for (const url of ['share.example', 'ftp://share.example', 'https://me:secret@share.example']) {
      expect(() => clientOf({ url })).to.throw(TypeError);
    }
  });

  it('refuses an id or a name that fetch would turn into another path', async () => {
    for (const id of ['', '.', '..']) {
      const client = clientOf();
      for (const call of [() => client.get(id), () => client.createGrant(id), () => client.stop(id)])
        expect(await call().catch((error: unknown) => error)).to.be.instanceOf(TypeError);
      const renamed = client.update(id, { title: null }).catch((error: unknown) => error);
      expect(await renamed).to.be.instanceOf(TypeError);
      expect(await client.names.delete(id).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    }
    expect(server.requests).to.deep.equal([]);
  });

  it('rejects, and does not throw, for an id or a name with a lone surrogate', async () => {
    const client = clientOf();
    for (const call of [() => client.get('\ud800'), () => client.names.get('\ud800')]) {
      server.answer(problem(404, 'not_found', {}, { retryable: false }));
      expect((await failure(call())).code).to.equal('not_found');
    }
    expect(server.requests[0]?.path).to.equal('/api/v1/pins/%EF%BF%BD');
  });

  it('sends the given User-Agent', async () => {
    server.answer(PIN_ANSWER);
    await clientOf({ userAgent: 'relay/1' }).get(ID, { views: true });
    expect(server.requests[0]).to.include({ path: `/api/v1/pins/${ID}?include=views` });
    expect(server.requests[0]?.headers['user-agent']).to.equal('relay/1');
  });
});
