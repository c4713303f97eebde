import { accountId, minutes, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import { accountName } from '../src/endpoints/path-parameters.ts';
import { expectRefused, openAdministered } from './administered.ts';
import { askAs, siteZip } from './client.ts';
import type { Rig } from './rig.ts';

async function publish({ useCases }: Rig, by = 'first') {
  const outcome = await useCases.publish({
    by,
    key: 'one',
    filename: 'site.zip',
    archive: siteZip(),
  });
  if (outcome.kind === 'refused') throw new Error(outcome.code);
  return outcome.publication;
}

const UNBOUND = { requests: null, publications: null, sites: null, bytes: null };

describe('/admin/v1', () => {
  it('answers 401 without a valid key, and 404 to every other scope, for any request', async () => {
    const { rig, ask } = await openAdministered();
    const endpoints = [
      ['GET', '/accounts'],
      ['DELETE', '/accounts'],
      ['PATCH', '/accounts/first', '{"blocked":'],
      ['GET', '/nothing'],
      ['GET', '/events?limit=0'],
      ['POST', ''],
    ] as const;
    const scopes = ['pins:read', 'pins:write', 'manage'] as const;
    const { text } = await rig.manageKeys.create({ by: OPERATOR, account: accountId('first'), scopes });
    for (const [method, path, body] of endpoints) {
      const unauthorized = await ask(method, path, body, 'pf_nobody_x');
      expect(unauthorized.status, `${method} ${path}`).to.equal(401);
      expect(unauthorized.headers.get('www-authenticate')).to.equal('Bearer');
      const other = await ask(method, path, body, text);
      expect(other.status, `${method} ${path}`).to.equal(404);
      expect(other.json).to.include({ code: 'not_found' });
      for (const name of ['allow', 'ratelimit', 'ratelimit-policy'])
        expect(other.headers.get(name)).to.equal(null);
    }
  });

  it('answers 404, 405 and 400 to a caller of the scope, and has no rate', async () => {
    const { ask, askAsFirst } = await openAdministered({
      api: { requestRate: { count: 1, window: minutes(1) } },
    });
    for (let n = 0; n < 3; n += 1) {
      const answer = await ask('GET', '/accounts');
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('ratelimit')).to.equal(null);
    }
    expect((await ask('GET', '/nothing')).status).to.equal(404);
    const wrong = await ask('DELETE', '/accounts/first');
    expect(wrong.status).to.equal(405);
    expect(wrong.headers.get('allow')).to.equal('GET, HEAD, PATCH');
    const wrongQuery = await ask('GET', '/accounts?state=x');
    expect(wrongQuery.status).to.equal(400);
    expect(wrongQuery.json.detail).to.include(' /admin/openapi.json ');
    expect((await askAsFirst('/api/v1/pins?x=1')).json.detail).to.include(' /openapi.json ');
    expect((await ask('HEAD', '/accounts')).status).to.equal(200);
  });

  it('lets a caller without a stored account make changes', async () => {
    const admin = { account: accountId('new'), scopes: ['admin'] } as const;
    const { ask } = await openAdministered({ api: { authenticate: async () => admin } });
    expect((await ask('PATCH', '/service', { mode: 'read_only' })).status).to.equal(200);
  });

  it('lets a caller whose own account is blocked read, and change nothing', async () => {
    const { ask, change } = await openAdministered();
    await change('operators', { blocked: { reason: 'Key lost', sites: 'keep' } });
    for (const method of ['GET', 'HEAD'])
      expect((await ask(method, '/accounts/operators')).status).to.equal(200);
    const refused = [
      await ask('PATCH', '/accounts/operators', { blocked: false }),
      await ask('PATCH', '/service', { mode: 'read_only' }),
      await ask('DELETE', `/takedowns/${'0'.repeat(64)}`),
    ];
    for (const answer of refused) {
      expect([answer.status, answer.json.code]).to.deep.equal([403, 'account_blocked']);
    }
  });

  it('gives a key of the scope admin nothing of the other scopes', async () => {
    const { rig } = await openAdministered();
    const fields = { by: OPERATOR, account: accountId('first'), scopes: ['admin'] } as const;
    const { text } = await rig.manageKeys.create(fields);
    expect((await askAs(rig, text, '/api/v1/pins')).status).to.equal(403);
  });

  it('is missing without `administration`, even from the document', async () => {
    const { rig } = await openAdministered({ api: { administration: undefined as never } });
    const answer = await fetch(`${rig.baseUrl}/admin/v1/accounts`);
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('x-request-id')).to.equal(null);
    expect((await fetch(`${rig.baseUrl}/admin/openapi.json`)).status).to.equal(404);
    expect(rig.document.paths).not.to.have.property('/admin/v1/accounts');
  });

  it('is missing without `administration` for callers of your own sign-in, who lose the scope', async () => {
    const seen: unknown[] = [];
    const account = accountId('ada');
    const { rig } = await openAdministered({
      api: {
        administration: undefined as never,
        authenticate: async () => ({ account, scopes: ['pins:read', 'admin'] }),
        requestRate: ({ scopes }) => {
          seen.push(scopes);
          return null;
        },
      },
    });
    const ask = (path: string) => fetch(rig.baseUrl + path);
    expect((await ask('/admin/v1/accounts')).status).to.equal(404);
    expect((await ask('/api/v1/pins')).status).to.equal(200);
    expect(seen).to.deep.equal([['pins:read']]);
  });
});

describe('accounts under /admin/v1', () => {
  it('are listed by name, page by page, with what they use', async () => {
    const { rig, ask, change } = await openAdministered();
    const role = await publish(rig);
    await change('Äpfel & Birnen/1', { limits: { sites: 3 } });
    const seen: { name: string }[] = [];
    let query = '?limit=1';
    for (;;) {
      const page = (await ask('GET', `/accounts${query}`)).json;
      seen.push(...page.accounts);
      expect(page.accounts).to.have.length(1);
      if (page.next_cursor === null) break;
      query = `?limit=1&cursor=${page.next_cursor}`;
    }
    expect(seen.map(({ name }) => name)).to.deep.equal(['first', 'operators', 'second', 'Äpfel & Birnen/1']);
    expect(seen[0]).to.deep.equal({
      name: 'first',
      blocked: null,
      limits: UNBOUND,
      used: { sites: 1, bytes: role.archiveBytes, publications_24h: 1 },
      last_published_at: new Date(role.publishedAt).toISOString(),
    });
    expect(seen[1]).to.include({ name: 'operators', last_published_at: null });
    for (const wrong of [
      '?limit=0',
      '?limit=101',
      '?cursor=',
      '?cursor=first',
      '?cursor=a%20b',
      '?cursor=.110000.',
    ])
      expect((await ask('GET', `/accounts${wrong}`)).status, wrong).to.equal(400);
  });

  it('are read by a name that is percent-encoded once', async () => {
    const { ask, change } = await openAdministered();
    await change('a/b%2F', { blocked: false });
    const answer = await ask('GET', '/accounts/a%2Fb%252F');
    expect(answer.status).to.equal(200);
    expect(answer.json.account).to.include({ name: 'a/b%2F' });
    for (const name of ['nobody', '%FF', '%00', `${'a'.repeat(256)}`])
      expect((await ask('GET', `/accounts/${name}`)).status, name).to.equal(404);
    expect((await ask('PATCH', '/accounts/%00', { blocked: false })).status).to.equal(404);
    // Clients resolve these before they send them.
    for (const dots of ['.', '..', '%2E', '%2e.']) expect(accountName.parse(dots), dots).to.equal(undefined);
  });

  it('get their own limits, one by one, in force at once', async () => {
    const { rig, change } = await openAdministered();
    const limits = { requests: 'off', publications: '1/1h', sites: 1, bytes: 'off' };
    expect((await change('first', { limits })).limits).to.deep.equal(limits);
    expect((await change('first', { limits: { requests: null, sites: 0 } })).limits).to.deep.equal({
      ...limits,
      requests: null,
      sites: 0,
    });
    const refused = await rig.useCases
      .publish({ by: 'first', key: 'k', filename: 'a.zip', archive: siteZip() })
      .catch((error: unknown) => error);
    expect(refused).to.include({ kind: 'refused', code: 'quota_exceeded' });
  });

  it('are blocked with a reason, until they are unblocked', async () => {
    const { rig, askAsFirst, change } = await openAdministered();
    const at = new Date(rig.clock.now()).toISOString();
    const blocked = { reason: 'Phishing 🎣', sites: 'keep' };
    expect((await change('first', { blocked })).blocked).to.deep.equal({ ...blocked, at });
    rig.clock.advance(minutes(1));
    expect((await change('first', { blocked })).blocked).to.deep.equal({ ...blocked, at });
    const dryRun = () => askAsFirst('/api/v1/pins?dry_run=true', { method: 'POST' });
    expect((await dryRun()).json.code).to.equal('account_blocked');
    expect((await change('first', { blocked: false })).blocked).to.equal(null);
    expect((await dryRun()).status).to.equal(415);
  });

  it('are changed by exactly one of limits and blocked, as in the API document', async () => {
    const tools = await openAdministered();
    const reason = 'x'.repeat(255);
    const right = { blocked: { reason, sites: 'hide' } };
    const wrong = [
      {},
      [],
      { limits: {} },
      { limits: { sites: -1 } },
      { limits: { sites: 1.5 } },
      { limits: { sites: '1' } },
      { limits: { more: 1 } },
      { blocked: true },
      { blocked: null },
      { blocked: { reason } },
      { blocked: { reason: '', sites: 'keep' } },
      { blocked: { reason: `${reason}x`, sites: 'keep' } },
      { blocked: { reason: 'a\u0000', sites: 'keep' } },
      { blocked: { reason, sites: 'gone' } },
      { blocked: { reason, sites: 'keep', more: 1 } },
      { blocked: false, limits: { sites: 1 } },
    ];
    const texts = ['{"blocked":false,"blocked":false}', '{"limits":{"publications":"5","sites":1}}'];
    const change = ['PATCH', '/accounts/first'] as const;
    await expectRefused(tools, change, 'AccountUpdate', { right, wrong, texts });
  });

  it('have each change in the history once, with the key for the operator only', async () => {
    const { rig, ask, askAsFirst, change } = await openAdministered();
    const block = { blocked: { reason: 'Spam', sites: 'hide' } };
    rig.clock.advance(minutes(1));
    for (const body of [block, block, { limits: { sites: 1 } }, { limits: { sites: 1 } }]) {
      await change('first', body);
      rig.clock.advance(minutes(1));
    }
    for (const _ of [1, 2]) await change('first', { blocked: false });
    const { events: details } = (await ask('GET', '/events?account=first&limit=3')).json;
    expect(details.map(({ type }) => type)).to.deep.equal([
      'account.unblocked',
      'account.limits_changed',
      'account.blocked',
    ]);
    expect(details[0]?.actor).to.include({ kind: 'key' });
    const [seen] = (await askAsFirst('/api/v1/events?limit=1')).json.events;
    expect(seen?.actor).to.deep.equal({ kind: 'operator', id: null });
  });
});

describe('publications and events under /admin/v1', () => {
  it('answer 404 for events if there is no history', async () => {
    const { ask } = await openAdministered({ api: { history: undefined as never } });
    expect((await ask('GET', '/events')).status).to.equal(404);
  });

  it('are those of any account', async () => {
    const { rig, ask } = await openAdministered();
    const role = await publish(rig);
    const answer = await ask('GET', `/pins/${role.id.toUpperCase()}`);
    expect(answer.status).to.equal(200);
    expect(answer.json.pin).to.include({
      id: role.id,
      account: 'first',
      archive_bytes: role.archiveBytes,
      sha256: role.sha256,
      taken_down: null,
    });
    for (const id of ['spring', '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20'])
      expect((await ask('GET', `/pins/${id}`)).status).to.equal(404);
    const { events } = (await ask('GET', `/events?pin=${role.id}`)).json;
    expect(events).to.have.length(1);
    const all = (await ask('GET', '/events?limit=100')).json;
    const accounts = new Set(all.events.map((event) => event.account));
    expect(accounts).to.include('first').and.to.include('second').and.to.include('operators');
    const ofOne = (await ask('GET', '/events?account=second')).json;
    expect(new Set(ofOne.events.map((event) => event.account))).to.deep.equal(new Set(['second']));
    for (const wrong of ['pin=x', 'account=', 'limit=0'])
      expect((await ask('GET', `/events?${wrong}`)).status, wrong).to.equal(400);
  });
});
