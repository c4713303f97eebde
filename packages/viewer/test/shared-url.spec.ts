import { accountId, minutes, type RoleId } from '@pinfold/core';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { cookiesOf, locationOf } from './client.ts';
import { expectPage, expectRedirect } from './expect-page.ts';
import { FORM, NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const UNKNOWN = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';
const SITE = { 'index.html': '<h1>Harbour</h1>', 'docs/index.html': 'docs' };

describe('the shared URL', () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig();
  });
  after(() => rig.close());

  it('leads to the path that follows it, by the rules of `to`', async () => {
    const id = await rig.publish(SITE);
    const site = `http://${rig.siteHost(id)}`;
    const locationFor = async (rest: string): Promise<string> => locationOf(await rig.ask(`/s/${id}${rest}`));
    expect(await locationFor('/docs/?q=1&to=/x')).to.equal(`${site}/docs/?q=1&to=/x`);
    expect(await locationFor('/a%20b')).to.equal(`${site}/a%20b`);
    for (const rest of ['/', '//evil.example/', '/\\evil.example/', `/${'a'.repeat(2_048)}`]) {
      expect(await locationFor(rest), rest).to.equal(`${site}/`);
    }
    const upper = await rig.ask(`/s/${id.toUpperCase()}/docs/?q`);
    expectRedirect(upper, 302, `http://localhost:${rig.port}/s/${id}/docs/?q`);
    expectPage(await rig.ask(`/s/${UNKNOWN}/docs/`), 404);
  });

  it('accepts no password for an unknown publication', async () => {
    expectPage(await rig.enter(UNKNOWN as RoleId, PASSWORD), 404);
    const id = await rig.publish(SITE);
    rig.clock.advance(rig.useCases.limits.lifetime);
    expectPage(await rig.enter(id, PASSWORD), 410);
  });

  it('sets a cookie that expires with the protected publication', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    rig.clock.advance(minutes(7 * 24 * 60 - 30));
    const [cookie] = (await rig.enter(id, PASSWORD)).headers['set-cookie'] ?? [];
    expect(cookie).to.contain('; Max-Age=1800;');
  });

  it('has prefixed, Secure cookies under https, below the path of the public URL', async () => {
    const secure = await openRig({
      viewer: { publicUrl: 'https://share.example/pins', sitesUrl: 'https://sites.example' },
    });
    const id = await secure.publish(SITE, PASSWORD);
    const answer = await secure.ask(`/pins/s/${id}`, {
      method: 'POST',
      headers: { ...FORM, origin: 'https://share.example' },
      body: `password=${encodeURIComponent(PASSWORD)}`,
    });
    expect(answer.headers['set-cookie']?.[0]).to.match(
      new RegExp(
        `^__Secure-pinfold_grant=[^;]+; Path=/pins/s/${id}; Max-Age=43200; HttpOnly; Secure; SameSite=Lax$`,
      ),
    );
    const handOver = new URL(locationOf(answer));
    expect(handOver.origin).to.equal(`https://${id}.sites.example`);
    const { host } = handOver;
    const taken = await secure.ask(handOver.pathname + handOver.search, { host });
    expect(taken.headers['set-cookie']?.[0]).to.match(
      /^__Host-pinfold_grant=[^;]+; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax$/,
    );
    const cookie = cookiesOf(taken);
    expect((await secure.ask('/', { host, headers: { cookie } })).text).to.equal(SITE['index.html']);
    expect((await secure.ask(`/s/${id}`)).status).to.equal(404);
  });
});

describe('The URL of a name', () => {
  it('needs one read more than its shared URL, and its log entry has no token', async () => {
    const calls: string[] = [];
    const counted = <Port extends object>(port: Port, label: string): Port =>
      aroundCalls(port, (method, call) => {
        calls.push(`${label}.${method}`);
        return call();
      });
    const rig = await openRig({
      ports: ({ roles, names, accounts }) => ({
        roles: counted(roles, 'roles'),
        names: counted(names, 'names'),
        accounts: counted(accounts, 'accounts'),
      }),
    });
    const id = await rig.publish({ 'index.html': 'hello' });
    const loaded = await rig.memory.roles.load(id);
    const by = loaded?.value.account ?? accountId('nobody');
    const named = await rig.useCases.names.set({ by, name: 'live', pin: id });
    if (named.kind !== 'created') throw new Error(named.kind);
    const path = named.name.url.slice(named.name.url.indexOf('/n/'));
    calls.length = 0;
    const shared = await rig.ask(`/s/${id}`, { headers: NAVIGATION });
    expect(shared.status).to.equal(302);
    const reads = calls.splice(0);
    expect(reads).to.deep.equal(['roles.load']);
    const redirect = await rig.ask(path, { headers: NAVIGATION });
    expect(redirect.headers.location).to.match(new RegExp(`/s/${id}$`));
    expect(calls).to.deep.equal(['names.resolve']);
    await rig.ask(`/s/${id}`, { headers: NAVIGATION });
    expect(calls).to.deep.equal(['names.resolve', ...reads]);
    const entry = rig.log.find(({ route }) => route === 'name');
    expect(entry).to.include({ method: 'GET', status: 302, role: null });
    expect(JSON.stringify(rig.log)).not.to.include(path.slice(-22));
  });
});
