import { minutes, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { type Answer, cookiesOf, locationOf, unmarkedLocationOf } from './client.ts';
import { NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = {
  'index.html': '<h1>Harbour</h1>',
  'docs/index.html': 'docs',
  'app.js': 'run()',
  '~keeper/index.html': 'the keeper',
};
const DOCUMENT = { ...NAVIGATION, 'sec-fetch-dest': 'document' };
const SUBRESOURCE = { accept: '*/*', 'sec-fetch-dest': 'script', origin: 'null' };

describe('a site in path mode', () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig({ viewer: { mode: 'path' } });
  });
  after(() => rig.close());

  const shared = (id: RoleId): string => `http://localhost:${rig.port}/s/${id}`;
  const pathOf = (answer: Answer): string => {
    const url = new URL(locationOf(answer));
    return url.pathname + url.search;
  };

  describe('that is open', () => {
    let id: RoleId;
    before(async () => {
      id = await rig.publish(SITE);
    });

    it('may have folders that begin with a tilde, even long ones', async () => {
      expect((await rig.ask(`/s/${id}/~keeper/`)).text).to.equal('the keeper');
      const long = `~${'k'.repeat(50)}`;
      const other = await rig.publish({ ...SITE, [`${long}/index.html`]: 'long' });
      expect((await rig.ask(`/s/${other}/${long}/`)).text).to.equal('long');
      // A grant that names a viewer has up to 512 characters.
      for (const grant of [long, `~${'k'.repeat(512)}`]) {
        const stale = await rig.ask(`/s/${id}/${grant}/docs/`, { headers: DOCUMENT });
        expect([stale.status, locationOf(stale)]).to.deep.equal([302, `${shared(id)}/docs/`]);
      }
      for (const none of [`/docs/${long}/`, `/${long}%20/`, `/~${'k'.repeat(513)}/`]) {
        expect((await rig.ask(`/s/${id}${none}`)).status, none).to.equal(404);
      }
    });
  });

  describe('that is protected', () => {
    let id: RoleId;
    let cookie: string;
    let home: string;
    beforeEach(async () => {
      id = await rig.publish(SITE, PASSWORD);
      const entered = await rig.enter(id, PASSWORD);
      cookie = cookiesOf(entered);
      home = new URL(unmarkedLocationOf(entered)).pathname;
    });

    it('serves its parts by the grant in the path, since they send no cookie', async () => {
      expect((await rig.ask(`${home}app.js`, { headers: SUBRESOURCE })).text).to.equal('run()');
      const frame = { ...NAVIGATION, 'sec-fetch-dest': 'iframe' };
      expect((await rig.ask(`${home}docs/`, { headers: frame })).text).to.equal('docs');
      expect((await rig.ask(`${home}~keeper/`, { headers: SUBRESOURCE })).text).to.equal('the keeper');
    });

    it('redirects a document without a valid grant to a new one', async () => {
      for (const stale of [`/s/${id}/docs/?q=1`, `/s/${id}/~${'A'.repeat(100)}/docs/?q=1`]) {
        const answer = await rig.ask(stale, { headers: { ...DOCUMENT, cookie } });
        expect(answer.status).to.equal(302);
        expect(pathOf(answer)).to.match(new RegExp(`^/s/${id}/~[\\w.-]{112}/docs/\\?q=1$`));
        expect((await rig.ask(pathOf(answer), { headers: { ...DOCUMENT, cookie } })).text).to.equal('docs');
      }
    });

    it('reads a segment with a tilde as a grant, unless it is a folder of the site', async () => {
      const document = { ...DOCUMENT, cookie };
      for (const [path, inside] of [
        ['~x/docs/', 'docs/'],
        ['~%FF/docs/', 'docs/'],
        ['~keeper/', '~keeper/'],
      ]) {
        const answer = await rig.ask(`/s/${id}/${path}`, { headers: document });
        expect([answer.status, pathOf(answer)]).to.deep.equal([302, `${home}${inside}`]);
      }
      expect((await rig.ask(`/s/${id}/~keeper/`, { headers: SUBRESOURCE })).status).to.equal(403);
    });

    it('returns to a folder with a tilde after the password, but never to a grant', async () => {
      for (const [path, to] of [
        ['~keeper/?q=1', '/~keeper/?q=1'],
        ['~keeper', '/~keeper'],
        [`~${'k'.repeat(39)}/`, `/~${'k'.repeat(39)}/`],
        ['~/', '/~/'],
        [`~${'A'.repeat(100)}/docs/`, '/docs/'],
        [`~${'A'.repeat(100)}`, '/'],
      ]) {
        const ungranted = await rig.ask(`/s/${id}/${path}`, { headers: DOCUMENT });
        expect(locationOf(ungranted), path).to.equal(`${shared(id)}?to=${encodeURIComponent(`${to}`)}`);
      }
    });

    it('has one address for each entered password, so that the browser finds its cache', async () => {
      rig.clock.advance(minutes(5));
      const again = await rig.ask(`/s/${id}`, { headers: { cookie } });
      expect(pathOf(again)).to.equal(home);
      expect(pathOf(await rig.enter(id, PASSWORD))).not.to.equal(home);
    });

    it('redirects from the grant without a slash to its root', async () => {
      const withoutSlash = await rig.ask(home.slice(0, -1), { headers: { ...DOCUMENT, cookie } });
      expect([withoutSlash.status, pathOf(withoutSlash)]).to.deep.equal([302, home]);
    });
  });
});
