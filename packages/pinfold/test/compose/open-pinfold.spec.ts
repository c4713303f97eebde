import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { accountId, days, hours, isFault, MEMBER_SCOPES, OPERATOR, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import express from 'express';
import { zipSync } from 'fflate';
import { openPinfold, type Pinfold, type PinfoldOptions } from '../../src/index.ts';
import { callApi, publish, publishPin } from '../servers/api-calls.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Stub, startStub } from '../servers/stub.ts';

const ada = accountId('ada');

describe('Pinfold in a server of your own', () => {
  let dataDir: string;
  let stub: Stub;
  let publicUrl: string;
  let pinfold: Pinfold | undefined;

  beforeEach(async () => {
    dataDir = newFolder();
    stub = await startStub();
    publicUrl = stub.url;
  });

  afterEach(async () => {
    await stub.close();
    await pinfold?.close();
    pinfold = undefined;
  });

  async function open(options: Partial<PinfoldOptions> = {}): Promise<Pinfold> {
    const opened = await openPinfold({ dataDir, publicUrl, log: () => undefined, ...options });
    pinfold = opened;
    const { viewer, api, management } = opened;
    stub.server.on('request', express().use(viewer, api).use('/manage', management));
    return opened;
  }

  it('publishes from code, and calls beforePublish before and onEvent after it', async () => {
    const observed: string[] = [];
    publicUrl += '/';
    const { publish: publishFromCode } = await open({
      onEvent: ({ type, account }) => {
        observed.push(`${type} ${account}`);
        throw new Error('a bug of the team');
      },
      beforePublish: ({ entries }) =>
        entries.length > 1
          ? { kind: 'refused', code: 'refused_by_host', rule: 'host:one-page', words: { en: 'One page.' } }
          : undefined,
    });
    const request = { by: ada, filename: 'site.zip' };
    const two = { 'index.html': new Uint8Array(1), 'two.html': new Uint8Array(1) };
    const refused = await publishFromCode({
      ...request,
      key: 'two',
      archive: zipSync(two, { mtime: '2026-11-20' }),
    });
    expect(refused).to.include({ kind: 'refused', rule: 'host:one-page' });
    expect(observed).to.deep.equal([]);
    const one = zipSync({ 'index.html': new Uint8Array(1) }, { mtime: '2026-11-20' });
    const outcome = await publishFromCode({ ...request, key: 'one', archive: one });
    if (outcome.kind === 'refused') throw new Error(outcome.code);
    expect(outcome.publication.sharedUrl).to.equal(`${publicUrl}s/${outcome.publication.id}`);
    expect(observed).to.deep.equal(['pin.published ada']);
  });

  it('continues after an observer throws or rejects, and logs it', async () => {
    const log: string[] = [];
    const reject = async (): Promise<never> => Promise.reject(new Error('a bug of the team'));
    const fail = (): never => {
      throw new Error('a bug of the team');
    };
    const { useCases } = await open({
      onEvent: reject,
      onRequest: reject,
      observe: fail,
      log: (line) => log.push(line),
    });
    const { text } = await useCases.keys.create({ by: OPERATOR, account: ada });
    await publishPin(publicUrl, text, 'a');
    const loggedMessages = (): ReadonlySet<unknown> => new Set(log.map((line) => JSON.parse(line).msg));
    while (!loggedMessages().has('onRequest threw an error'))
      await new Promise((resolve) => setImmediate(resolve));
    expect([...loggedMessages()]).to.include.members([
      'onEvent threw an error',
      'onRequest threw an error',
      'observe threw an error',
    ]);
  });

  it('continues although its log throws or rejects, and reports that on standard error', async () => {
    const { error: print } = console;
    const printed = new Set<unknown>();
    console.error = (message, { message: bug }) => printed.add(`${message}: ${bug}`);
    try {
      let lines = 0;
      const log = (): Promise<never> => {
        lines += 1;
        if (lines % 2 === 0) throw new Error('a thrown bug');
        return Promise.reject(new Error('a rejection'));
      };
      await open({ log, logLevel: 'info' });
      for (let n = 0; n < 3; n += 1) await fetch(`${publicUrl}/api/v1/pins`);
    } finally {
      console.error = print;
    }
    expect(printed).to.have.keys('log threw an error: a thrown bug', 'log threw an error: a rejection');
  });

  it('describes your sign-in, and uses your branding', async () => {
    await open({
      authenticate: async () => undefined,
      signIn: { detail: 'Sign in at /login.', challenge: 'Cookie', securityScheme: { type: 'apiKey' } },
      branding: { productName: 'Harbour', signInUrl: '/login' },
    });
    const answer = await fetch(`${publicUrl}/api/v1/pins`);
    expect(await answer.json()).to.include({ detail: 'Sign in at /login.' });
    const page = await (await fetch(`${publicUrl}/manage/`)).text();
    expect(page).to.contain('· Harbour</title>').and.contain('href="/login"');
  });

  it('applies your limits for an account', async () => {
    const { publish: publishFromCode } = await open({ limitsOf: () => ({ lifetime: days(30) }) });
    const archive = zipSync({ 'index.html': new Uint8Array(1) }, { mtime: '2026-11-20' });
    const outcome = await publishFromCode({ by: ada, key: 'one', filename: 'site.zip', archive });
    if (outcome.kind === 'refused') throw new Error(outcome.code);
    expect(outcome.publication.expiresAt).to.equal(outcome.publication.publishedAt + days(30));
  });

  it('shows publications only to viewers whom your access rules admit', async () => {
    await open({
      authenticate: async () => ({ account: ada, scopes: MEMBER_SCOPES }),
      access: {
        identify: ({ headers }) => headers['user-agent'] ?? { signIn: '/login' },
        mayView: (viewer, role) => (viewer === 'grace' && role.account === ada ? 'yes' : 'no'),
      },
    });
    const { shared_url: url } = await publishPin(publicUrl, 'ada', 'a');
    const view = (viewer: string): Promise<Response> =>
      fetch(url, { redirect: 'manual', headers: { 'user-agent': viewer } });
    expect((await view('eve')).status).to.equal(403);
    expect((await view('grace')).headers.get('location')).to.match(
      /~[\w-]{100,}\/\?pinfold-cookie=1$|grant=/,
    );
  });

  /** Counts at once, because folders of archives are removed, too, and a walk in several steps could miss one. */
  function countArchives(): number {
    const entries = readdirSync(join(dataDir, 'archives'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  }

  it('publishes, shows and manages for callers of your sign-in', async () => {
    await open({
      authenticate: async ({ headers }) =>
        headers.authorization === 'Bearer ada' ? { account: ada, scopes: MEMBER_SCOPES } : undefined,
    });
    expect((await publish(publicUrl, 'grace', 'a')).status).to.equal(401);
    const pin = await publishPin(publicUrl, 'ada', 'a');
    expect(pin.shared_url).to.equal(`${publicUrl}/s/${pin.id}`);
    expect(await (await fetch(pin.shared_url)).text()).to.include('<p>a');
    const screen = await fetch(`${publicUrl}/manage/`, { headers: { authorization: 'Bearer ada' } });
    expect(await screen.text()).to.include(pin.id);
  });

  describe('with a sign-in that gives every caller every scope', () => {
    const everything = [...MEMBER_SCOPES, 'admin'] as const;
    const paths = ['/admin/v1/pins', '/manage/administration'];
    let log: string[];
    const warnings = () => log.filter((line) => JSON.parse(line).msg.includes('"admin"'));

    async function answersOf(options: Partial<PinfoldOptions>): Promise<readonly number[]> {
      log = [];
      const authenticate = async () => ({ account: ada, scopes: everything });
      await open({ authenticate, log: (line) => log.push(line), ...options });
      const answers = await Promise.all([...paths, '/manage/'].map((path) => fetch(publicUrl + path)));
      return answers.map(({ status }) => status);
    }

    it('has no operators unless administration is enabled, and logs that once', async () => {
      expect(await answersOf({})).to.deep.equal([404, 404, 200]);
      await publishPin(publicUrl, 'ada', 'a');
      expect(warnings()).to.have.length(1);
    });

    it('has operators if administration is enabled', async () => {
      expect(await answersOf({ administration: true })).to.deep.equal([200, 200, 200]);
      expect(warnings()).to.deep.equal([]);
      const service = await fetch(`${publicUrl}/manage/administration/service`);
      expect(await service.text()).to.match(/Database<[\s\S]+Working<[\s\S]+Version<[\s\S]+\d+\.\d+\.\d+/);
    });
  });

  it('accepts API keys if you provide no sign-in', async () => {
    const { useCases } = await open();
    const { text } = await useCases.keys.create({ by: OPERATOR, account: ada });
    await publishPin(publicUrl, text, 'a');
    expect((await fetch(`${publicUrl}/manage/`, { redirect: 'manual' })).headers.get('location')).to.match(
      /sign-in/,
    );
  });

  it('removes expired archives by itself', async () => {
    const clock = createManualClock();
    const { useCases } = await open({ clock, machine: clock, limits: { lifetime: hours(1) } });
    await useCases.cleanUp();
    const { text } = await useCases.keys.create({ by: OPERATOR, account: ada });
    await publishPin(publicUrl, text, 'a');
    expect(countArchives()).to.equal(1);
    clock.advance(hours(3));
    while (countArchives() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('counts views, and stores them within ten seconds', async () => {
    const clock = createManualClock();
    const { useCases } = await open({ clock });
    const { text } = await useCases.keys.create({ by: OPERATOR, account: ada });
    const { id, shared_url } = await publishPin(publicUrl, text, 'a');
    for (const accept of ['text/html', 'text/html', '*/*'])
      await fetch(`${shared_url}/`, { headers: { accept } });
    const readViews = async () => {
      const answer = await callApi(publicUrl, text, 'GET', `/api/v1/pins/${id}?include=views`);
      return ((await answer.json()) as { readonly views: readonly object[] }).views;
    };
    expect(await readViews()).to.deep.equal([]);
    clock.advance(seconds(10));
    while ((await readViews()).length === 0);
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    expect(await readViews()).to.deep.equal([{ day, views: 2, refused_passwords: 0 }]);
  });

  it('keeps publications, and releases its stores when closed', async () => {
    const first = await open();
    const { text } = await first.useCases.keys.create({ by: OPERATOR, account: ada });
    const pin = await publishPin(publicUrl, text, 'a');
    await Promise.all([first.close(), first.close()]);
    const outcome = await first.useCases.keys
      .list({ by: ada })
      .catch((error: unknown) => isFault(error) && error.code);
    expect(outcome).to.equal('store_unavailable');
    stub.server.removeAllListeners('request');
    await open({ limits: { lifetime: days(30) } });
    expect(await (await fetch(pin.shared_url)).text()).to.include('<p>a');
  });

  it('waits on close for a publication from code that has not read its archive yet', async () => {
    const accountLimits = Promise.withResolvers<object>();
    const { publish: publishFromCode, close } = await open({ limitsOf: () => accountLimits.promise });
    const archive = zipSync({ 'index.html': new Uint8Array(1) }, { mtime: '2026-11-20' });
    const outcome = publishFromCode({ by: ada, filename: 'a.zip', key: 'late', name: 'a-name', archive });
    await Promise.all([close(), accountLimits.resolve({})]);
    expect((await outcome).kind).to.equal('published');
  });
});
