import {
  type AccountLimits,
  accountId,
  days,
  minutes,
  type RateText,
  type Refusal,
  seconds,
} from '@pinfold/core';
import { NO_ACCOUNT_LIMITS } from '@pinfold/core/adapter';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { parseList } from 'structured-headers';
import { type Answer, ask, publish, siteZip, update } from './client.ts';
import { openRig, type Rig } from './rig.ts';

const FIRST = accountId('first');

describe('The rate of requests', () => {
  it('is off unless it is set', async () => {
    const rig = await openRig();
    const { headers, json } = await ask(rig, '/api/v1/limits');
    expect(headers.has('ratelimit')).to.equal(false);
    expect(headers.has('ratelimit-policy')).to.equal(false);
    expect(json.rates).to.deep.equal({ requests: null, publications: null });
  });

  it('is in the headers of every answer; beyond it, requests are 429 with Retry-After', async () => {
    const rig = await openRig({ api: { requestRate: { count: 3, window: seconds(60) } } });
    expect(rateHeadersOf(await ask(rig, '/api/v1/limits'))).to.deep.equal({
      requests: { q: 3, w: 60, r: 2, t: 20 },
    });
    expect(rateHeadersOf(await ask(rig, '/api/v1/nothing'))).to.deep.equal({
      requests: { q: 3, w: 60, r: 1, t: 40 },
    });
    expect((await ask(rig, '/api/v1/limits')).json.rates).to.deep.equal({
      requests: { limit: 3, window_seconds: 60, remaining: 0 },
      publications: null,
    });
    const limited = await ask(rig, '/api/v1/pins', { method: 'POST' });
    expect(`${limited.status} ${limited.json.code}`).to.equal('429 rate_limited');
    expect(limited.json).to.include({ retryable: true });
    expect(limited.headers.get('retry-after')).to.equal('20');
    expect(rateHeadersOf(limited)).to.deep.equal({ requests: { q: 3, w: 60, r: 0, t: 20 } });
    const other = { authorization: `Bearer ${rig.keys.second}` };
    expect((await ask(rig, '/api/v1/limits', { headers: other })).status).to.equal(200);
    rig.clock.advance(seconds(20));
    expect((await ask(rig, '/api/v1/limits')).status).to.equal(200);
    expect((await ask(rig, '/api/v1/limits')).status).to.equal(429);
  });

  it('does not apply to a request without a valid key', async () => {
    const rig = await openRig({ api: { requestRate: { count: 1, window: seconds(60) } } });
    for (let n = 0; n < 3; n += 1) {
      const { status, headers } = await ask(rig, '/api/v1/limits', {
        headers: { authorization: 'Bearer no' },
      });
      expect(status).to.equal(401);
      expect(headers.has('ratelimit')).to.equal(false);
    }
  });

  it('may depend on the caller; an account’s own rate takes precedence', async () => {
    const rig = await openRig({
      api: {
        requestRate: ({ account }) => (account === FIRST ? { count: 5, window: minutes(1) } : null),
      },
    });
    expect(rateHeadersOf(await ask(rig, '/api/v1/limits'))).to.have.nested.property('requests.q', 5);
    const other = { authorization: `Bearer ${rig.keys.second}` };
    expect(rateHeadersOf(await ask(rig, '/api/v1/limits', { headers: other }))).to.deep.equal({});
    await setLimits(rig, { requests: '9/1h' as RateText });
    expect(rateHeadersOf(await ask(rig, '/api/v1/limits'))).to.have.nested.property('requests.w', 3_600);
    await setLimits(rig, { requests: 'off' as RateText });
    expect(rateHeadersOf(await ask(rig, '/api/v1/limits'))).to.deep.equal({});
  });

  it('charges ten for a change and one for everything else, with any outcome', async () => {
    const rig = await openRig({ api: { requestRate: { count: 100, window: seconds(100) } } });
    const { json, ...published } = await publish(rig, 'a');
    expect(rateHeadersOf({ json, ...published })).to.have.nested.property('requests.r', 99);
    const pin = `/api/v1/pins/${json.pin.id}`;
    const remaining = async (answer: Promise<Answer>) => rateHeadersOf(await answer).requests?.r;
    expect(await remaining(ask(rig, pin))).to.equal(98);
    expect(await remaining(update(rig, json.pin.id, { title: 'New' }))).to.equal(88);
    expect(await remaining(update(rig, json.pin.id, { title: 1 }))).to.equal(78);
    expect(await remaining(ask(rig, pin, { method: 'DELETE' }))).to.equal(68);
    expect(await remaining(ask(rig, '/api/v1/nothing', { method: 'PUT' }))).to.equal(58);
    expect(await remaining(ask(rig, '/api/v1/pins', { method: 'POST' }))).to.equal(57);
  });

  it('gives the time at which a refused change would pass, and meanwhile admits requests that cost one', async () => {
    const rig = await openRig({ api: { requestRate: { count: 12, window: seconds(12) } } });
    const id = 'b9df3e07-5645-400c-ae31-d009fa487669';
    expect((await update(rig, id, { title: 'New' })).status).to.equal(404);
    const limited = await update(rig, id, { title: 'New' });
    expect(limited.status).to.equal(429);
    expect(limited.headers.get('retry-after')).to.equal('8');
    expect(rateHeadersOf(limited)).to.deep.equal({ requests: { q: 12, w: 12, r: 2, t: 8 } });
    expect((await ask(rig, '/api/v1/limits')).status).to.equal(200);
    rig.clock.advance(seconds(9));
    expect((await update(rig, id, { title: 'New' })).status).to.equal(404);
  });
});

describe('The rate of publications', () => {
  const quotas = { publications: { count: 2, window: minutes(2) } };

  it('is in the headers of publications that were checked against it; beyond it, they are 429', async () => {
    let refusal: Refusal<'refused_by_host'> | undefined;
    const api = { requestRate: { count: 100, window: seconds(100) } };
    const rig = await openRig({ quotas, api, beforePublish: () => refusal });
    const first = await publish(rig, 'a');
    expect(first.status).to.equal(201);
    expect(rateHeadersOf(first)).to.deep.equal({
      requests: { q: 100, w: 100, r: 99, t: 1 },
      publications: { q: 2, w: 120, r: 1, t: 60 },
    });
    expect(
      rateHeadersOf(await publish(rig, 'broken', undefined, Buffer.from('no zip'))),
    ).to.have.nested.property('publications.r', 1);
    const words = { en: 'Add a licence.', ja: 'ライセンスがありません。' };
    refusal = { kind: 'refused', code: 'refused_by_host', rule: 'host:licence', words };
    expect(rateHeadersOf(await publish(rig, 'refused'))).to.have.nested.property('publications.r', 1);
    refusal = undefined;
    expect((await publish(rig, 'b')).status).to.equal(201);
    const limited = await publish(rig, 'c');
    expect(`${limited.status} ${limited.json.code}`).to.equal('429 rate_limited');
    expect(limited.headers.get('retry-after')).to.equal('60');
    expect(rateHeadersOf(limited).publications).to.deep.equal({ q: 2, w: 120, r: 0, t: 60 });
    expect((await ask(rig, '/api/v1/limits')).json.rates).to.deep.include({
      publications: { limit: 2, window_seconds: 120, remaining: 0 },
    });
    rig.clock.advance(seconds(60));
    expect((await publish(rig, 'c')).status).to.equal(201);
  });

  it('charges nothing for a replay, a mismatch, a refusal or a dry run, whose answers lack its headers', async () => {
    const rig = await openRig({ quotas });
    await publish(rig, 'a');
    await publish(rig, 'b');
    const replayed = await publish(rig, 'a');
    expect(replayed.status).to.equal(200);
    expect(rateHeadersOf(replayed)).to.deep.equal({});
    const mismatch = await publish(rig, 'a', 'Another title');
    expect(`${mismatch.status} ${mismatch.json.code}`).to.equal('409 idempotency_mismatch');
    expect(rateHeadersOf(mismatch)).to.deep.equal({});
    const dry = await publish(rig, 'c', undefined, siteZip(), '?dry_run=true');
    expect(dry.status).to.equal(200);
    expect(rateHeadersOf(dry)).to.deep.equal({});
    expect(dry.json, 'no name was requested').to.have.all.keys('pin', 'archive', 'warnings');
  });

  it('of an account takes precedence over that for all', async () => {
    const rig = await openRig({ quotas });
    await setLimits(rig, { publications: '1/1h' as RateText });
    expect((await publish(rig, 'a')).status).to.equal(201);
    expect((await publish(rig, 'b')).status).to.equal(429);
    await setLimits(rig, { publications: 'off' as RateText });
    expect((await publish(rig, 'b')).status).to.equal(201);
  });
});

describe('A quota', () => {
  it('of publications in service refuses a further one with 403 and the count including it, until one has ended', async () => {
    const rig = await openRig({ quotas: { sites: 1, publications: { count: 9, window: minutes(9) } } });
    const { json } = await publish(rig, 'a');
    const refused = await publish(rig, 'b');
    expect(rateHeadersOf(refused)).to.have.nested.property('publications.r', 8);
    expect(`${refused.status} ${refused.json.code}`).to.equal('403 quota_exceeded');
    expect(refused.json).to.include({ retryable: false });
    const [error, ...others] = refused.json.errors as readonly object[];
    expect(others).to.deep.equal([]);
    expect(error).to.include({ rule: 'sites', limit: 1, actual: 2 });
    expect((await ask(rig, '/api/v1/limits')).json.quotas).to.deep.equal({
      sites: { limit: 1, used: 1 },
      bytes: null,
    });
    await ask(rig, `/api/v1/pins/${json.pin.id}`, { method: 'DELETE' });
    expect((await publish(rig, 'b')).status).to.equal(201);
  });

  it('of bytes counts the archives', async () => {
    const size = siteZip().byteLength;
    const rig = await openRig({ quotas: { bytes: 2 * size } });
    await publish(rig, 'a');
    await publish(rig, 'b');
    const refused = await publish(rig, 'c');
    const [error] = refused.json.errors as readonly object[];
    expect(error).to.include({ rule: 'bytes', limit: 2 * size, actual: 3 * size });
    expect((await ask(rig, '/api/v1/limits')).json.quotas).to.deep.equal({
      sites: null,
      bytes: { limit: 2 * size, used: 2 * size },
    });
    expect((await publish(rig, 'd', undefined, siteZip(), '?dry_run=true')).status).to.equal(200);
  });
});

describe('Quotas by account', () => {
  it('apply to each as the embedding server returns them', async () => {
    const rig = await openRig({ quotas: async (account) => (account === FIRST ? { sites: 1 } : {}) });
    await publish(rig, 'a');
    expect((await publish(rig, 'b')).status).to.equal(403);
    const others = { ...rig, keys: { ...rig.keys, first: rig.keys.second } };
    await publish(others, 'a');
    expect((await publish(others, 'b')).status).to.equal(201);
  });
});

describe('The order of checks on POST', () => {
  it('is key, rate of requests, scope, block, mode, query, key of the publication, rate, quota, rules', async () => {
    const rig = await openRig({
      quotas: { publications: { count: 1, window: minutes(1) }, sites: 1 },
      api: { requestRate: () => requestRate },
    });
    let requestRate: { count: number; window: ReturnType<typeof seconds> } | null = null;
    const broken = Buffer.from('no zip');
    const code = async (options: PublishOptions = {}): Promise<unknown> =>
      (await post(rig, options)).json.code;
    expect((await publish(rig, 'bound')).status).to.equal(201);
    expect(await code({ archive: broken })).to.equal('rate_limited');
    rig.clock.advance(minutes(1));
    expect(await code({ archive: broken })).to.equal('quota_exceeded');
    await setLimits(rig, { sites: 'off' });
    expect(await code({ archive: broken })).to.equal('invalid_archive');
    await setLimits(rig, NO_ACCOUNT_LIMITS);
    await publish(rig, 'bound 2');
    rig.clock.advance(minutes(1));
    expect(await code({ key: 'bound', archive: broken })).to.equal('idempotency_mismatch');
    await rig.memory.mode.change({ kind: 'read_only', message: null }, []);
    expect(await code({ query: '?unknown=1' })).to.equal('unavailable');
    await block(rig);
    expect(await code({ query: '?unknown=1' })).to.equal('account_blocked');
    expect(await code({ key: 'bound' })).to.equal('account_blocked');
    expect(await code({ apiKey: rig.keys.readOnly })).to.equal('forbidden');
    requestRate = { count: 1, window: minutes(1) };
    await ask(rig, '/api/v1/limits');
    expect(await code({ apiKey: rig.keys.readOnly })).to.equal('rate_limited');
    expect(await code({ apiKey: 'none' })).to.equal('unauthorized');
  });
});

interface PublishOptions {
  readonly key?: string;
  readonly archive?: Uint8Array;
  readonly query?: string;
  readonly apiKey?: string;
}

function post(rig: Rig, { key = 'free', archive, query, apiKey }: PublishOptions): Promise<Answer> {
  const keys = apiKey === undefined ? rig.keys : { ...rig.keys, first: apiKey };
  return publish({ ...rig, keys }, key, undefined, archive, query);
}

/** The values of the headers, as a parser of structured fields reads them. */
function rateHeadersOf({ headers }: Answer): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const policies = itemsOf(headers.get('ratelimit-policy'));
  const remaining = itemsOf(headers.get('ratelimit'));
  expect([...remaining.keys()]).to.deep.equal([...policies.keys()]);
  return Object.fromEntries(
    [...policies].map(([name, policy]) => [name, { ...policy, ...remaining.get(name) }]),
  );
}

function itemsOf(header: string | null): Map<string, object> {
  const items = header === null ? [] : parseList(header);
  return new Map(items.map(([name, parameters]) => [String(name), Object.fromEntries(parameters)]));
}

async function setLimits({ memory }: Rig, limits: Partial<AccountLimits>): Promise<void> {
  const loaded = await memory.accounts.load(FIRST);
  if (loaded === undefined) throw new Error('no account');
  const { value, version } = loaded;
  await memory.accounts.save({ ...value, limits: { ...NO_ACCOUNT_LIMITS, ...limits } }, version, []);
}

async function block({ memory, clock }: Rig): Promise<void> {
  const loaded = await memory.accounts.load(FIRST);
  if (loaded === undefined) throw new Error('no account');
  const blocked = { reason: 'a test', sites: 'keep', at: clock.now() } as const;
  await memory.accounts.save({ ...loaded.value, blocked }, loaded.version, []);
}

describe('an account with limits of its own', () => {
  const rig = ofEachTest(() =>
    openRig({
      limitsOf: (account) => (account === 'first' ? { archiveBytes: 500, lifetime: days(30) } : {}),
    }),
  );

  const limitsOf = async (key: string) =>
    (await ask(rig, '/api/v1/limits', { headers: { authorization: `Bearer ${key}` } })).json.limits;

  it('reads them, and other accounts read the default ones', async () => {
    expect(await limitsOf(rig.keys.first)).to.include({ archive_bytes: 500, lifetime_days: 30 });
    expect(await limitsOf(rig.keys.second)).to.include({ archive_bytes: 10_485_760, lifetime_days: 7 });
  });
});
