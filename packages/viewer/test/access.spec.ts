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
const SUBRESOURCE = { accept: '*/*', 'sec-fetch-dest': 'script' };

/** The session of a viewer, who requests paths below `base` on `host` with `cookie`. */
interface ViewerSession {
  readonly base: string;
  readonly host: string;
  readonly cookie: string;
  readonly sharedCookie: string;
}

/** An embedding team whose people sign in with a header, and the calls it received. */
class Team implements ViewerAccess {
  readonly identified: (string | undefined)[] = [];
  readonly decisions: string[] = [];
  /** The answers of {@link mayView} by viewer; `no` for all others. */
  readonly answers: Map<string, MayView> = new Map();

  identify(request: IncomingMessage): string | { readonly signIn: string } {
    this.identified.push(request.url);
    const person = request.headers['x-person'];
    if (typeof person === 'string') return person;
    return { signIn: `/login?next=${encodeURIComponent(request.url ?? '')}` };
  }

  async mayView(viewer: string, { id }: Publication): Promise<MayView> {
    this.decisions.push(`${viewer} ${id}`);
    return this.answers.get(viewer) ?? 'no';
  }
}

for (const mode of ['origin', 'path'] as const) {
  describe(`a site for the people of an embedding team, in ${mode} mode`, () => {
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
    /** Follows a redirect from the shared URL, as a browser does. */
    const follow = async (answer: Answer): Promise<ViewerSession> => beginSession(rig, mode, answer);
    const getFile = ({ base, host, cookie }: ViewerSession, path: string, headers: object): Promise<Answer> =>
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
        const session = await follow(await open('ada'));
        expect((await getFile(session, 'docs/', DOCUMENT)).text).to.equal('docs');
        expect((await getFile(session, 'app.js', SUBRESOURCE)).text).to.equal('run()');
      }
    });

    it('serves every publication as a protected one', async () => {
      const answer = await getFile(await follow(await open('ada')), 'app.js', SUBRESOURCE);
      expect(answer.headers['cache-control']).to.equal('private, no-cache');
      if (mode === 'origin') {
        expect(answer.headers).to.include({
          'cross-origin-resource-policy': 'same-origin',
          'content-security-policy': "frame-ancestors 'self'",
        });
      } else expect(answer.headers['referrer-policy']).to.equal('no-referrer');
    });

    it('refuses requests without a grant, even for a publication without a password', async () => {
      const anonymous = anonymousSession(rig, mode, id);
      const part = await getFile(anonymous, 'app.js', SUBRESOURCE);
      expect([part.status, part.text]).to.deep.equal([403, 'You may not see this site\n']);
      expect(part.headers).not.to.have.any.keys('etag', 'accept-ranges');
      const document = await getFile(anonymous, 'docs/', DOCUMENT);
      expect([document.status, locationOf(document)]).to.deep.equal([
        302,
        `http://localhost:${rig.port}/s/${id}?to=%2Fdocs%2F`,
      ]);
      expect(team.decisions).to.deep.equal([]);
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
      const session = await follow(entered);
      expect((await getFile(session, 'docs/', DOCUMENT)).text).to.equal('docs');
      const again = await open('ben', cookiesOf(entered));
      expect([again.status, again.text]).to.deep.equal([302, '']);
      team.answers.set('ben', 'no');
      expect((await getFile(session, 'app.js', SUBRESOURCE)).status).to.equal(403);
      team.answers.set('ben', 'password');
      await rig.setPassword(id, null);
      expect((await getFile(session, 'app.js', SUBRESOURCE)).status).to.equal(403);
    });

    it('calls mayView for every request, and identify only for the shared URL', async () => {
      const session = await follow(await open('ada'));
      expect(team.identified).to.deep.equal([`/s/${id}?to=/docs/`]);
      team.decisions.length = 0;
      for (const path of ['', 'docs/', 'app.js']) await getFile(session, path, SUBRESOURCE);
      expect(team.decisions).to.deep.equal(Array(3).fill(`ada ${id}`));
      expect(team.identified).to.have.length(1);
      team.answers.set('ada', 'no');
      expect((await getFile(session, 'app.js', SUBRESOURCE)).status).to.equal(403);
      expect((await getFile(session, 'docs/', DOCUMENT)).status).to.equal(302);
      expect((await open('ada', session.sharedCookie)).status).to.equal(403);
    });

    it('refuses a grant without the password once one is needed', async () => {
      await rig.setPassword(id, PASSWORD);
      const session = await follow(await open('ada'));
      team.answers.set('ada', 'password');
      expect((await getFile(session, 'app.js', SUBRESOURCE)).status).to.equal(403);
      expect((await open('ada', session.sharedCookie)).text).to.include('<form');
      const entered = await follow(await enter('ada', PASSWORD));
      expect((await getFile(entered, 'app.js', SUBRESOURCE)).status).to.equal(200);
      team.answers.set('ada', 'yes');
      expect((await getFile(entered, 'app.js', SUBRESOURCE)).status).to.equal(200);
    });

    it('does not accept the grant of another viewer at the shared URL', async () => {
      const ada = await open('ada');
      const cleo = await open('cleo', cookiesOf(ada));
      expect(cookiesOf(cleo)).not.to.be.oneOf(['', cookiesOf(ada)]);
      team.answers.set('ada', 'no');
      expect((await getFile(await follow(cleo), 'app.js', SUBRESOURCE)).status).to.equal(200);
    });

    it('recognizes a returning viewer by cookie, and refuses once the grant has expired', async () => {
      const session = await follow(await open('ada'));
      rig.clock.advance(minutes(5));
      expect((await open('ada', session.sharedCookie)).headers).not.to.have.property('set-cookie');
      rig.clock.advance(duration(hours(12) - minutes(5) - 1));
      expect((await getFile(session, 'app.js', SUBRESOURCE)).status).to.equal(200);
      rig.clock.advance(duration(1));
      expect((await getFile(session, 'app.js', SUBRESOURCE)).status).to.equal(403);
    });

    it('answers as stopped before it calls identify or mayView', async () => {
      const session = await follow(await open('ada'));
      await rig.stop(id);
      for (const calls of [team.decisions, team.identified]) calls.length = 0;
      const answers = [
        await getFile(session, 'app.js', SUBRESOURCE),
        await open('ada'),
        await enter('ada', PASSWORD),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404]);
      expect([team.decisions, team.identified]).to.deep.equal([[], []]);
    });

    it('reveals nothing about the viewer to the site', async () => {
      // Not `ada`, which are hexadecimal digits that the id of the site may contain.
      const answer = await open('cleo');
      const shown = locationOf(answer) + cookiesOf(answer);
      for (const token of shown.match(/[\w-]{100,}/g) ?? []) {
        expect(Buffer.from(token, 'base64url').toString('latin1')).not.to.include('cleo');
      }
      expect(shown, 'a token that names a viewer').to.match(/[\w-]{164}/);
      expect(JSON.stringify(rig.log)).not.to.include('cleo');
    });
  });
}

describe('a site in path mode, for an embedding team', () => {
  it('redirects a viewer who opens another viewer’s address to one of their own', async () => {
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

describe('access callbacks', () => {
  const invalid: readonly [description: string, viewer: unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['an empty id', ''],
    ['an id of 256 bytes', 'a'.repeat(256)],
    ['half a character', 'ada\ud83d'],
    ['no URL', { signIn: 'http://' }],
    ['a script', { signIn: 'javascript:alert(1)' }],
    ['another scheme', { signIn: 'xhttp://sign-in.example' }],
    ['no text', { signIn: 7 }],
  ];
  for (const [description, viewer] of invalid) {
    it(`show nothing and log the error if identify returns ${description}`, async () => {
      const access: ViewerAccess = { identify: () => viewer as string, mayView: () => 'yes' };
      const rig = await openRig({ viewer: { access } });
      const answer = await rig.ask(`/s/${await rig.publish(SITE)}`, { headers: DOCUMENT });
      expect([answer.status, answer.headers.location]).to.deep.equal([500, undefined]);
      expect(rig.log[0]?.error)
        .to.be.instanceOf(TypeError)
        .with.property('message')
        .that.includes('identify');
    });
  }

  it('show nothing if mayView returns undefined', async () => {
    const access: ViewerAccess = { identify: () => 'ada', mayView: () => undefined as unknown as MayView };
    const rig = await openRig({ viewer: { access } });
    const answer = await rig.ask(`/s/${await rig.publish(SITE, PASSWORD)}`, { headers: DOCUMENT });
    expect([answer.status, answer.text.includes('<form')]).to.deep.equal([403, false]);
  });

  it('may identify a viewer by an id of 255 bytes, in any script', async () => {
    const id = '花'.repeat(85);
    const decisions: string[] = [];
    const access: ViewerAccess = {
      identify: () => id,
      mayView: (viewer) => {
        decisions.push(viewer);
        return 'yes';
      },
    };
    const rig = await openRig({ viewer: { access, mode: 'path' } });
    const role = await rig.publish(SITE);
    const session = await beginSession(rig, 'path', await rig.ask(`/s/${role}`, { headers: DOCUMENT }));
    expect((await rig.ask(`${session.base}app.js`, { headers: SUBRESOURCE })).text).to.equal('run()');
    expect(new Set(decisions)).to.deep.equal(new Set([id]));
  });
});

describe('a grant', () => {
  it('of an identified viewer is invalid where viewers are anonymous, and vice versa', async () => {
    const team = new Team();
    team.answers.set('ada', 'yes');
    const rig = await openRig({ viewer: { access: team } });
    const id = await rig.publish(SITE, PASSWORD);
    const { useCases } = rig;
    const viewer = createViewer({ useCases, publicUrl: `http://localhost:${rig.port}`, log: () => {} });
    const server = (await listening()).on('request', viewer);
    const { port } = server.address() as AddressInfo;

    const identified = await rig.ask(`/s/${id}`, { headers: { ...DOCUMENT, 'x-person': 'ada' } });
    const { cookie } = await beginSession(rig, 'origin', identified);
    const host = rig.siteHost(id);
    expect((await rig.ask('/app.js', { host, headers: { cookie } })).status).to.equal(200);
    expect((await ask(port, '/app.js', { host, headers: { cookie } })).status).to.equal(403);

    const body = new URLSearchParams({ password: PASSWORD }).toString();
    const entered = await ask(port, `/s/${id}`, { method: 'POST', headers: FORM, body });
    const { pathname, search } = new URL(locationOf(entered));
    const anonymous = { headers: { cookie: cookiesOf(await ask(port, pathname + search, { host })) } };
    expect((await ask(port, '/app.js', { host, ...anonymous })).status).to.equal(200);
    expect((await rig.ask('/app.js', { host, ...anonymous })).status).to.equal(403);
    await closed(server);
  });
});

function anonymousSession(rig: Rig, mode: ViewerMode, id: RoleId): ViewerSession {
  const nothing = { cookie: '', sharedCookie: '' };
  if (mode === 'origin') return { base: '/', host: rig.siteHost(id), ...nothing };
  return { base: `/s/${id}/`, host: `localhost:${rig.port}`, ...nothing };
}

async function beginSession(rig: Rig, mode: ViewerMode, entered: Answer): Promise<ViewerSession> {
  const sharedCookie = cookiesOf(entered);
  const { pathname, host } = new URL(locationOf(entered));
  if (mode === 'path') {
    return { base: pathname.replace(/docs\/$/, ''), host, cookie: sharedCookie, sharedCookie };
  }
  return { base: '/', host, cookie: cookiesOf(await rig.follow(entered, DOCUMENT)), sharedCookie };
}
