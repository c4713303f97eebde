import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Env, failureOf, run } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Stub, startStub } from '../servers/stub.ts';

const ID = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

function pin(title: string): object {
  const numbers = { file_count: 1, size: 2, original_filename: 'site.zip' };
  const dates = { published_at: '2026-11-20T12:00:00.000Z', expires_at: null, deleted_at: null };
  const states = { state: 'published', password_protected: false, pinned: true };
  return { id: ID, shared_url: `https://share.example/s/${ID}`, title, ...states, ...dates, ...numbers };
}

describe('the answer of a remote server', () => {
  let server: Stub;
  let answers: Answer[];
  let requests: number;
  let env: Env;
  let page: string;

  before(async () => {
    page = join(newFolder(), 'page.html');
    await writeFile(page, 'hi');
  });

  beforeEach(async () => {
    [answers, requests] = [[], 0];
    server = await startStub(async (request, response) => {
      // Reads the whole body: otherwise the connection would end while the client still sends, which fails in the client.
      await buffer(request);
      requests += 1;
      const [status, body, headers] = answers.shift() ?? [500, {}];
      response.writeHead(status, { connection: 'close', ...headers }).end(JSON.stringify(body));
    });
    env = { PINFOLD_URL: server.url, PINFOLD_KEY: 'secret' };
  });

  it('cannot control the terminal', async () => {
    answers = [[200, { pins: [pin('\u001b]0;x\u0007\u009b2J\u202egnp.exe\n')], next_cursor: null }]];
    const { out } = await run(env, 'list');
    expect(out.trimEnd()).not.to.match(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(out).to.include('gnp.exe');
  });

  it('cannot control the terminal by a refusal or a warning', async () => {
    const hostile = '\u001b]52;c;eA==\u0007\u009b2J\u202egnp.exe';
    const errors = [{ rule: hostile, detail: hostile, path: hostile }];
    answers = [
      [422, { code: hostile, detail: hostile, suggestion: hostile, errors }],
      [201, { pin: { ...pin('x'), shared_url: `http://${hostile}` }, warnings: errors }],
    ];
    for (let n = 0; n < 2; n += 1) {
      const { out, err } = await run(env, 'publish', page);
      expect(out + err).to.include('gnp.exe');
      expect((out + err).replaceAll('\n', '')).not.to.match(/[\p{Cc}\p{Bidi_Control}]/u);
    }
  });

  it('cannot begin a line, which CI could take for a command', async () => {
    const hostile = 'x\n::stop-commands::x';
    const errors = [{ rule: hostile, detail: hostile, path: hostile }];
    const changed = { ...pin('x'), expires_at: hostile, shared_url: `http://${hostile}` };
    answers = [
      [422, { code: 'invalid_archive', detail: hostile, errors }],
      [422, { code: hostile, detail: hostile, errors }],
      [422, { code: hostile, detail: hostile, errors: [] }],
      [401, { code: hostile, detail: hostile, errors: [] }],
      [201, { pin: changed, warnings: errors }],
    ];
    for (const [status] of [...answers]) {
      const { out, err } = await run(env, 'publish', page);
      expect(out + err, String(status)).to.include('::stop-commands');
      expect((out + err).split('\n').filter((line) => line.startsWith('::'))).to.deep.equal([]);
    }
  });

  it('cannot control the terminal as JSON, whose value is unchanged', async () => {
    const hostile = '\u001b]0;x\u0007\u009b2J\u202egnp.exe\u2028\u007f';
    const answer: Answer = [200, { pin: { ...pin(hostile), id: hostile } }];
    for (const args of [
      ['rename', ID, 'x'],
      ['show', ID, '--json'],
    ]) {
      answers = [answer];
      const { out } = await run(env, ...args);
      expect(out).to.include('gnp.exe');
      expect(out.trimEnd()).not.to.match(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
      if (args.includes('--json')) expect(JSON.parse(out).pin).to.include({ id: hostile, title: hostile });
    }
  });

  it('is opened only if its URL is a web address', async () => {
    for (const shared_url of ['file:///etc/passwd', 'javascript:0', '--help', 'calc.exe']) {
      answers = [[201, { grant: { url: shared_url, expires_at: '2026-11-20T12:00:00.000Z' } }]];
      expect(failureOf(await run(env, 'open', ID, '--json'))).to.equal('1 invalid_answer');
    }
  });

  it('is refused if it does not come from Pinfold', async () => {
    for (const args of [['list'], ['show', ID], ['publish', page]]) {
      answers = [[200, 'Welcome']];
      const { code, err } = await run(env, ...args);
      expect([code, err]).to.deep.equal([1, 'pinfold: the answer does not come from Pinfold\n']);
    }
  });

  it('is requested again after 503 and 502; a publication that failed names its Idempotency-Key', async () => {
    const busy: Answer = [503, { code: 'unavailable', detail: 'Later.' }, { 'retry-after': '1' }];
    answers = [busy, [502, '<html>'], [201, { pin: pin('x'), warnings: [] }]];
    const { code, out, err } = await run(env, 'publish', page, '--idempotency-key', 'mine', '--json');
    expect(code, err).to.equal(0);
    expect(JSON.parse(out)).to.deep.equal({
      ...{ pin: pin('x'), warnings: [], replayed: false, idempotency_key: 'mine' },
    });
    expect(err)
      .to.include('127.0.0.1:')
      .and.include(' is unavailable (503 unavailable): Later; trying again in 1 s (for up to 150 s)\n');
    expect(err).to.match(
      /127\.0\.0\.1:\d+ answered with 502 Bad Gateway and no reason; [^\n]+; trying again in 1 s \(for up to 150 s\)\n/,
    );
    answers = [[503, { code: 'unavailable', detail: 'Later.', retryable: true }, { 'retry-after': '3600' }]];
    const late = await run(env, 'publish', page, '--idempotency-key', 'mine');
    expect([late.code, requests]).to.deep.equal([3, 4]);
    expect(late.err)
      .to.include('--idempotency-key mine')
      .and.to.include(' is unavailable (503 unavailable): Later.');
  });

  it('is requested again within one period for all requests of a publication', async () => {
    const busy: Answer = [503, { code: 'unavailable', detail: 'Later.' }, { 'retry-after': '1' }];
    const notFound: Answer = [404, { code: 'not_found', detail: 'There is none.' }];
    const checked: Answer = [200, { pin: null, archive: { file_count: 1, size: 1 }, warnings: [] }];
    answers = [busy, notFound, busy, checked, [201, { pin: pin('x'), warnings: [] }]];
    const { code, err } = await run(env, 'publish', page, '--to', 'docs', '--strict');
    expect(code, err).to.equal(0);
    const waits = [...err.matchAll(/trying again in 1 s \(for up to (\d+) s\)/g)].map(([, period]) =>
      Number(period),
    );
    expect(waits).to.have.length(2);
    expect(waits[0]).to.equal(150);
    expect(waits[1]).to.be.within(120, 149);
  });

  it('is final if the server does not speak TLS, with exit code 1', async () => {
    const overTls = { ...env, PINFOLD_URL: String(env.PINFOLD_URL).replace('http:', 'https:') };
    for (const args of [['publish', page], ['list']]) {
      const { code, out, err } = await run(overTls, ...args, '--json');
      expect(failureOf({ code, out }), err).to.equal('1 network_error');
      expect(err).to.include('http://?').and.not.include('trying again');
    }
  });

  it('names no Idempotency-Key if a request before the upload failed', async () => {
    const late: Answer = [503, { code: 'unavailable', detail: 'Later.' }, { 'retry-after': '3600' }];
    for (const args of [['--dry-run'], ['--strict'], ['--to', 'docs']]) {
      answers = [late];
      const { code, out, err } = await run(env, 'publish', page, ...args, '--json');
      expect(code, err).to.equal(3);
      expect(err + out).not.to.match(/idempotency.key/i);
    }
  });

  it('is one JSON object for scripts if it is a failure', async () => {
    const errors = [{ rule: 'missing_index', detail: 'Put one there.', path: 'a\u202eb' }];
    answers = [[422, { code: 'invalid_archive', detail: 'Correct it.', errors }]];
    const refused = await run(env, 'publish', page, '--json', '--idempotency-key', 'mine');
    expect(refused.code).to.equal(1);
    expect(refused.out).not.to.include('\u202e');
    expect(JSON.parse(refused.out)).to.deep.equal({
      error: { code: 'invalid_archive', detail: 'Correct it.', errors, status: 422, idempotency_key: 'mine' },
    });
    expect(refused.err).to.include('Put one there. (missing_index)');
    expect(failureOf(await run(env, 'list', '--state', 'none', '--json'))).to.equal('2 usage');
  });
});
