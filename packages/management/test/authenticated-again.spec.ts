import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Caller, OPERATOR } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen, type ScreenOptions, zipOf } from './open-screen.ts';
import { Person } from './person.ts';

const SITE = Buffer.from(zipOf({ 'index.html': 'x' }));
const KINDS = ['/upload', '/publish'] as const;

describe('a person whose upload comes later than its head', () => {
  let screen: Screen;
  let uploads: Uploads;
  let person: Person;
  let form: string;
  const open = async ({ management, ...options }: ScreenOptions = {}): Promise<void> => {
    uploads = new Uploads({ clock: createManualClock() });
    screen = await openScreen({ ...options, management: { uploads, ...management } });
    person = new Person(screen.base);
  };

  async function signIn(token: string): Promise<void> {
    await person.signIn(token);
    form = (await person.get('/')).token;
  }

  const signInByLink = async (): Promise<void> => signIn((await screen.sessions.offerLink(OWNER)).token);
  const signOut = () => person.twin().post('/sign-out', { form });

  /** The head and the body of an upload, by our script or by a form without scripts. */
  function uploadTo(path: (typeof KINDS)[number], title: string): readonly [head: string, body: Buffer] {
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const lines = [`POST /manage${path} HTTP/1.1`, 'Host: x', `Cookie: ${cookie}`, 'Connection: close'];
    if (path === '/upload') {
      const names = ['Idempotency-Key: late', 'X-Pinfold-Filename: a.zip', `X-Pinfold-Title: ${title}`];
      lines.push('Accept: application/json', `X-Pinfold-Form: ${form}`, ...names);
      return [`${[...lines, `Content-Length: ${SITE.length}`].join('\r\n')}\r\n\r\n`, SITE];
    }
    const fields = Object.entries({ form, key: 'late', title }).map(
      ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = '--x\r\nContent-Disposition: form-data; name="archive"; filename="a.zip"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(fields.join('') + file), SITE, Buffer.from('\r\n--x--\r\n')]);
    lines.push('Content-Type: multipart/form-data; boundary=x', `Content-Length: ${body.length}`);
    return [`${lines.join('\r\n')}\r\n\r\n`, body];
  }

  /** Begins an upload, does something while the server waits for its body, and sends that. */
  async function late(
    path: (typeof KINDS)[number],
    meanwhile: () => Promise<unknown> = async () => undefined,
    title = 'Spring',
  ): Promise<string> {
    const [head, body] = uploadTo(path, title);
    const { port, hostname } = new URL(screen.base);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.write(head);
    while (uploads.queue.running === 0) await nextTurn();
    await meanwhile();
    socket.write(body);
    await once(socket, 'close');
    return Buffer.concat(chunks).toString();
  }

  const published = async (): Promise<number> => (await screen.owned()).length;

  async function expectNothingLeft(): Promise<void> {
    expect(await published()).to.equal(0);
    expect(await screen.useCases.staging.sweep((screen.clock.now() + 1) as never)).to.equal(0);
    expect(await screen.memory.archives.list(undefined, 10)).to.deep.equal([]);
  }

  it('publishes while the session lasts', async () => {
    await open();
    await signInByLink();
    expect(await late('/upload')).to.match(/^HTTP\/1\.1 201 /);
    expect(await published()).to.equal(1);
  });

  for (const path of KINDS) {
    it(`is led to the sign-in page after a sign-out, and nothing is left, by ${path}`, async () => {
      await open();
      // The script's title comes in the head, and a wrong one is refused before the body.
      for (const title of path === '/upload' ? ['Spring'] : ['Spring', 'x'.repeat(300)]) {
        await signInByLink();
        const answer = await late(path, signOut, title);
        expect(answer).to.match(path === '/upload' ? /^HTTP\/1\.1 401 / : /^HTTP\/1\.1 303 /);
        if (path === '/publish') expect(answer).to.contain('Location: /manage/sign-in');
        await expectNothingLeft();
      }
    });

    it(`is led to the sign-in page when the key of the session was revoked, by ${path}`, async () => {
      await open();
      const { key, text } = await screen.keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
      const page = await person.get('/sign-in');
      await person.post('/sign-in', { form: page.token, key: text });
      form = (await person.get('/')).token;
      const revoke = () => screen.keys.revoke({ by: OPERATOR, id: key.id });
      expect(await late(path, revoke)).to.match(path === '/upload' ? /^HTTP\/1\.1 401 / : /^HTTP\/1\.1 303 /);
      await expectNothingLeft();
    });

    it(`is led to the sign-in page when the session ends while the archive is stored, by ${path}`, async () => {
      let stored = 0;
      await open({
        ports: ({ archives }) => ({
          archives: replacing(archives, {
            put: async (id, archive) => {
              await archives.put(id, archive);
              stored += 1;
              await signOut();
            },
          }),
        }),
      });
      await signInByLink();
      expect(await late(path)).to.match(path === '/upload' ? /^HTTP\/1\.1 401 / : /^HTTP\/1\.1 303 /);
      expect(stored).to.equal(1);
      await expectNothingLeft();
    });
  }

  it('changes nothing when the session ends between the request and the write', async () => {
    await open({
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          save: async (...change) => {
            await signOut();
            return await roles.save(...change);
          },
        }),
      }),
    });
    const { id } = await screen.publish('Spring');
    await signInByLink();
    const { status, location } = await person.post(`/publications/${id}/pin`, { form });
    expect({ status, location }).to.deep.equal({ status: 303, location: '/manage/sign-in' });
    expect((await screen.read(id)).pinned).to.equal(false);
  });

  it('is asked for again where a team authenticates, with who it was', async () => {
    const known: Caller = { account: OWNER, scopes: ['manage'] };
    let next: Caller | undefined;
    let asked: (Caller | undefined)[] = [];
    const authenticate = async (
      _request: unknown,
      _response: unknown,
      { again }: { again?: Caller } = {},
    ) => {
      asked.push(again);
      return again === undefined ? known : next;
    };
    await open({ management: { authenticate } });
    form = (await person.get('/')).token;
    for (const [answer, status] of [
      [undefined, 401],
      [{ ...known, scopes: [] }, 403],
      [known, 201],
    ] as const) {
      next = answer;
      asked = [];
      expect(await late('/upload')).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(asked).to.deep.equal([undefined, known]);
    }
    expect(await published()).to.equal(1);
  });
});
