import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { duration, hours, minutes, type Publication, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { closed, listening } from 'pinfold-test-servers/service';
import { createViewer, type MayView, type ViewerAccess, type ViewerMode } from '../src/index.ts';
import { type Answer, ask, cookiesOf, locationOf, unmarkedLocationOf } from './client.ts';
import { FORM, NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>', 'docs/index.html': 'docs', 'app.js': 'run()' };
const DOCUMENT = { ...NAVIGATION, 'sec-fetch-dest': 'document' };
const PART = { accept: '*/*', 'sec-fetch-dest': 'script' };

/** A team whose people sign in with a header, and the calls it received. */
class Team implements ViewerAccess {
  readonly identified: (string | undefined)[] = [];
  readonly asked: string[] = [];
  /** Its answer for somebody who is not named. */
  readonly answers: Map<string, MayView> = new Map();

  identify(request: IncomingMessage): string | { readonly signIn: string } {
    this.identified.push(request.url);
    const person = request.headers['x-person'];
    if (typeof person === 'string') return person;
    return { signIn: `/login?next=${encodeURIComponent(request.url ?? '')}` };
  }

  async mayView(viewer: string, { id }: Publication): Promise<MayView> {
    this.asked.push(`${viewer} ${id}`);
    return this.answers.get(viewer) ?? 'no';
  }
}

for (const mode of ['origin', 'path'] as const) {
  describe(`a site for the people of a team, in ${mode} mode`, () => {
    let rig: Rig;
    let team: Team;
    let id: RoleId;
    beforeEach(async () => {
      team = new Team();
      team.answers.set('ada', 'yes').set('ben', 'password').set('cleo', 'yes');
      rig = await openRig({ viewer: { mode, access: team } });
      id = await rig.publish(SITE);
    });

    const open = (person: string, cookie = ''): Promise<Answer> =>
      rig.ask(`/s/${id}?to=/docs/`, { headers: { ...DOCUMENT, 'x-person': person, cookie } });
    const enter = (person: string, password: string): Promise<Answer> =>
      rig.enter(id, password, { query: '?to=/docs/', headers: { 'x-person': person } });
    /** Follows an answer of the shared URL, as a browser does, and returns what further requests need. */
    const follow = async (answer: Answer): Promise<Seat> => seatOf(rig, mode, answer);
    /** Requests a file of the site from the position of a viewer. */
    const look = ({ base, host, cookie }: Seat, path: string, headers: object): Promise<Answer> =>
      rig.ask(base + path, { host, headers: { ...headers, cookie } });

    it('redirects people who are not signed in to the sign-in, and reveals nothing else', async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await rig.ask(`/s/${id}?to=/docs/`, { method, headers: DOCUMENT });
        expect(answer.status).to.equal(302);
        const next = encodeURIComponent(`/s/${id}?to=/docs/`);
        expect(locationOf(answer)).to.equal(`http://localhost:${rig.port}/login?next=${next}`);
        expect(answer.headers['cache-control']).to.equal('no-store');
        expect(answer.headers).not.to.have.property('set-cookie');
      }
      const tried = await rig.enter(id, PASSWORD);
      expect([tried.status, locationOf(tried)]).to.deep.equal([
        303,
        `http://localhost:${rig.port}/login?next=${encodeURIComponent(`/s/${id}`)}`,
      ]);
      expect(rig.log.map(({ outcome }) => outcome)).to.deep.equal(Array(3).fill('sign_in_required'));
    });

    it('admits people who may view it without a password, even if one is set', async () => {
      for (const password of [null, PASSWORD]) {
        await rig.setPassword(id, password);
        const seat = await follow(await open('ada'));
        expect((await look(seat, 'docs/', DOCUMENT)).text).to.equal('docs');
        expect((await look(seat, 'app.js', PART)).text).to.equal('run()');
      }
    });

    it('serves every publication as a protected one', async () => {
      const answer = await look(await follow(await open('ada')), 'app.js', PART);
      expect(answer.headers['cache-control']).to.equal('private, no-cache');
      if (mode === 'origin') {
        expect(answer.headers).to.include({
          'cross-origin-resource-policy': 'same-origin',
          'content-security-policy': "frame-ancestors 'self'",
        });
      } else expect(answer.headers['referrer-policy']).to.equal('no-referrer');
    });

    it('refuses requests without a grant, even for a publication without a password', async () => {
      const anybody = anybodyAt(rig, mode, id);
      const part = await look(anybody, 'app.js', PART);
      expect([part.status, part.text]).to.deep.equal([403, 'You may not see this site\n']);
      expect(part.headers).not.to.have.any.keys('etag', 'accept-ranges');
      const document = await look(anybody, 'docs/', DOCUMENT);
      expect([document.status, locationOf(document)]).to.deep.equal([
        302,
        `http://localhost:${rig.port}/s/${id}?to=%2Fdocs%2F`,
      ]);
      expect(team.asked).to.deep.equal([]);
    });

    it('refuses people who may not view it, with any password', async () => {
      await rig.setPassword(id, PASSWORD);
      for (const answer of [await open('eve'), await enter('eve', PASSWORD)]) {
        expect([answer.status, answer.headers['set-cookie']]).to.deep.equal([403, undefined]);
        expect(answer.text).to.include('You may not see this site').and.not.to.include('<form');
      }
      expect(rig.log.map(({ outcome }) => outcome)).to.deep.equal(['not_admitted', 'not_admitted']);
    });

    it('asks people who need one for the password, and refuses them if none is set', async () => {
      expect((await open('ben')).status).to.equal(403);
      expect((await enter('ben', '')).status).to.equal(403);
      await rig.setPassword(id, PASSWORD);
      expect((await open('ben')).text).to.include('<form');
      expect((await enter('ben', 'wrong')).status).to.equal(403);
      const entered = await enter('ben', PASSWORD);
      const seat = await follow(entered);
      expect((await look(seat, 'docs/', DOCUMENT)).text).to.equal('docs');
      const again = await open('ben', cookiesOf(entered));
      expect([again.status, again.text]).to.deep.equal([302, '']);
      team.answers.set('ben', 'no');
      expect((await look(seat, 'app.js', PART)).status).to.equal(403);
      team.answers.set('ben', 'password');
      await rig.setPassword(id, null);
      expect((await look(seat, 'app.js', PART)).status).to.equal(403);
    });

    it('calls mayView for every request, and identify only for the shared URL', async () => {
      const seat = await follow(await open('ada'));
      expect(team.identified).to.deep.equal([`/s/${id}?to=/docs/`]);
      team.asked.length = 0;
      for (const path of ['', 'docs/', 'app.js']) await look(seat, path, PART);
      expect(team.asked).to.deep.equal(Array(3).fill(`ada ${id}`));
      expect(team.identified).to.have.length(1);
      team.answers.set('ada', 'no');
      expect((await look(seat, 'app.js', PART)).status).to.equal(403);
      expect((await look(seat, 'docs/', DOCUMENT)).status).to.equal(302);
      expect((await open('ada', seat.sharedCookie)).status).to.equal(403);
    });

    it('refuses a grant without the password once one is needed', async () => {
      await rig.setPassword(id, PASSWORD);
      const seat = await follow(await open('ada'));
      team.answers.set('ada', 'password');
      expect((await look(seat, 'app.js', PART)).status).to.equal(403);
      expect((await open('ada', seat.sharedCookie)).text).to.include('<form');
      const entered = await follow(await enter('ada', PASSWORD));
      expect((await look(entered, 'app.js', PART)).status).to.equal(200);
      team.answers.set('ada', 'yes');
      expect((await look(entered, 'app.js', PART)).status).to.equal(200);
    });

    it('does not accept the grant of another viewer at the shared URL', async () => {
      const ada = await open('ada');
      const cleo = await open('cleo', cookiesOf(ada));
      expect(cookiesOf(cleo)).not.to.be.oneOf(['', cookiesOf(ada)]);
      team.answers.set('ada', 'no');
      expect((await look(await follow(cleo), 'app.js', PART)).status).to.equal(200);
    });

    it('recognizes a viewer, and ends with the lifetime of the grant', async () => {
      const seat = await follow(await open('ada'));
      rig.clock.advance(minutes(5));
      expect((await open('ada', seat.sharedCookie)).headers).not.to.have.property('set-cookie');
      rig.clock.advance(duration(hours(12) - minutes(5) - 1));
      expect((await look(seat, 'app.js', PART)).status).to.equal(200);
      rig.clock.advance(duration(1));
      expect((await look(seat, 'app.js', PART)).status).to.equal(403);
    });

    it('answers as stopped before it calls identify or mayView', async () => {
      const seat = await follow(await open('ada'));
      await rig.stop(id);
      for (const calls of [team.asked, team.identified]) calls.length = 0;
      const answers = [await look(seat, 'app.js', PART), await open('ada'), await enter('ada', PASSWORD)];
      expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404]);
      expect([team.asked, team.identified]).to.deep.equal([[], []]);
    });

    it('reveals nothing about the viewer to the site', async () => {
      // A random id may contain the letters of a name that can be written in hexadecimal digits.
      const answer = await open('cleo');
      const shown = locationOf(answer) + cookiesOf(answer);
      for (const token of shown.match(/[\w-]{100,}/g) ?? []) {
        expect(Buffer.from(token, 'base64url').toString('latin1')).not.to.include('cleo');
      }
      expect(shown).to.match(/[\w-]{164}/);
      expect(JSON.stringify(rig.log)).not.to.include('cleo');
    });
  });
}

describe('a site in path mode, for a team', () => {
  it('redirects a document with the address of another viewer to the viewer’s own', async () => {
    const team = new Team();
    team.answers.set('ada', 'yes').set('cleo', 'yes');
    const rig = await openRig({ viewer: { mode: 'path', access: team } });
    const id = await rig.publish(SITE);
    const [ada, cleo] = await Promise.all(
      ['ada', 'cleo'].map((person) => rig.ask(`/s/${id}`, { headers: { ...DOCUMENT, 'x-person': person } })),
    );
    if (ada === undefined || cleo === undefined) throw new Error('both were asked');
    const { pathname } = new URL(locationOf(ada));
    const opened = await rig.ask(pathname, { headers: { ...DOCUMENT, cookie: cookiesOf(cleo) } });
    expect([opened.status, locationOf(opened)]).to.deep.equal([302, unmarkedLocationOf(cleo)]);
  });
});

describe('the answers of mayView and identify', () => {
  const wrong: readonly [said: string, who: unknown][] = [
    ['nobody', undefined],
    ['null', null],
    ['an empty id', ''],
    ['an id of 256 bytes', 'a'.repeat(256)],
    ['half a character', 'ada\ud83d'],
    ['no URL', { signIn: 'http://' }],
    ['a script', { signIn: 'javascript:alert(1)' }],
    ['another scheme', { signIn: 'xhttp://sign-in.example' }],
    ['no text', { signIn: 7 }],
  ];
  for (const [said, who] of wrong) {
    it(`show nothing if the answer is ${said}, and log why`, async () => {
      const access: ViewerAccess = { identify: () => who as string, mayView: () => 'yes' };
      const rig = await openRig({ viewer: { access } });
      const answer = await rig.ask(`/s/${await rig.publish(SITE)}`, { headers: DOCUMENT });
      expect([answer.status, answer.headers.location]).to.deep.equal([500, undefined]);
      expect(rig.log[0]?.error)
        .to.be.instanceOf(TypeError)
        .with.property('message')
        .that.includes('identify');
    });
  }

  it('show nothing without an answer', async () => {
    const access: ViewerAccess = { identify: () => 'ada', mayView: () => undefined as unknown as MayView };
    const rig = await openRig({ viewer: { access } });
    const answer = await rig.ask(`/s/${await rig.publish(SITE, PASSWORD)}`, { headers: DOCUMENT });
    expect([answer.status, answer.text.includes('<form')]).to.deep.equal([403, false]);
  });

  it('may be the longest id, in any script', async () => {
    const id = '花'.repeat(85);
    const asked: string[] = [];
    const access: ViewerAccess = {
      identify: () => id,
      mayView: (viewer) => {
        asked.push(viewer);
        return 'yes';
      },
    };
    const rig = await openRig({ viewer: { access, mode: 'path' } });
    const role = await rig.publish(SITE);
    const seat = await seatOf(rig, 'path', await rig.ask(`/s/${role}`, { headers: DOCUMENT }));
    expect((await rig.ask(`${seat.base}app.js`, { headers: PART })).text).to.equal('run()');
    expect(new Set(asked)).to.deep.equal(new Set([id]));
  });
});

describe('a grant', () => {
  it('of an identified viewer is invalid where viewers are anonymous, and the other way round', async () => {
    const team = new Team();
    team.answers.set('ada', 'yes');
    const rig = await openRig({ viewer: { access: team } });
    const id = await rig.publish(SITE, PASSWORD);
    const { useCases } = rig;
    const viewer = createViewer({ useCases, publicUrl: `http://localhost:${rig.port}`, log: () => {} });
    const plain = (await listening()).on('request', viewer);
    const { port } = plain.address() as AddressInfo;

    const known = await rig.ask(`/s/${id}`, { headers: { ...DOCUMENT, 'x-person': 'ada' } });
    const { cookie } = await seatOf(rig, 'origin', known);
    const host = rig.siteHost(id);
    expect((await rig.ask('/app.js', { host, headers: { cookie } })).status).to.equal(200);
    expect((await ask(port, '/app.js', { host, headers: { cookie } })).status).to.equal(403);

    const body = new URLSearchParams({ password: PASSWORD }).toString();
    const entered = await ask(port, `/s/${id}`, { method: 'POST', headers: FORM, body });
    const { pathname, search } = new URL(locationOf(entered));
    const taken = { headers: { cookie: cookiesOf(await ask(port, pathname + search, { host })) } };
    expect((await ask(port, '/app.js', { host, ...taken })).status).to.equal(200);
    expect((await rig.ask('/app.js', { host, ...taken })).status).to.equal(403);
    await closed(plain);
  });
});

/** The position of a viewer: further requests are for paths below `base`, on `host`, with `cookie`. */
interface Seat {
  readonly base: string;
  readonly host: string;
  readonly cookie: string;
  readonly sharedCookie: string;
}

function anybodyAt(rig: Rig, mode: ViewerMode, id: RoleId): Seat {
  const nothing = { cookie: '', sharedCookie: '' };
  if (mode === 'origin') return { base: '/', host: rig.siteHost(id), ...nothing };
  return { base: `/s/${id}/`, host: `localhost:${rig.port}`, ...nothing };
}

async function seatOf(rig: Rig, mode: ViewerMode, entered: Answer): Promise<Seat> {
  const sharedCookie = cookiesOf(entered);
  const { pathname, host } = new URL(locationOf(entered));
  if (mode === 'path') {
    return { base: pathname.replace(/docs\/$/, ''), host, cookie: sharedCookie, sharedCookie };
  }
  return { base: '/', host, cookie: cookiesOf(await rig.follow(entered, DOCUMENT)), sharedCookie };
}
