import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { archivePart, multipart, type RawAnswer, titlePart } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen, type ScreenOptions, zipOf } from './open-screen.ts';
import { Person } from './person.ts';

const SITE = zipOf({ 'index.html': 'x' });

describe('a person whose upload arrives later than its headers', () => {
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

  /** Starts an upload, does something while the server waits for its body, and then sends the body. */
  async function uploadLate(meanwhile: () => Promise<unknown> = async () => undefined, title = 'Spring') {
    const fields = [{ name: 'form', body: form }, { name: 'key', body: 'late' }, titlePart(title)];
    const { contentType, body } = multipart([...fields, archivePart(SITE)]);
    const headers = ['Connection: close', 'Accept: application/json', `Content-Type: ${contentType}`];
    const connection = await person.begin(
      'POST /manage/publish',
      ...headers,
      `Content-Length: ${body.length}`,
    );
    while (uploads.queue.running === 0) await nextTurn();
    await meanwhile();
    await connection.send(body);
    return await connection.answer();
  }

  const publishedCount = async (): Promise<number> => (await screen.owned()).length;

  async function expectNothingLeft(): Promise<void> {
    expect(await publishedCount()).to.equal(0);
    expect(await screen.useCases.staging.sweep((screen.clock.now() + 1) as never)).to.equal(0);
    expect(await screen.memory.archives.list(undefined, 10)).to.deep.equal([]);
  }

  function expectSignedOut({ status, body }: RawAnswer): void {
    expect([status, JSON.parse(body)]).to.deep.equal([401, { kind: 'signed_out' }]);
  }

  it('must sign in again after a sign-out, and nothing is left, even of a form with a wrong title', async () => {
    await open();
    for (const title of ['Spring', 'x'.repeat(300)]) {
      await signInByLink();
      expectSignedOut(await uploadLate(signOut, title));
      await expectNothingLeft();
    }
  });

  it('must sign in again if the session ends while the archive is stored', async () => {
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
    expectSignedOut(await uploadLate());
    expect(stored).to.equal(1);
    await expectNothingLeft();
  });

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

  it('is authenticated again by an embedding team, with the earlier caller', async () => {
    const known: Caller = { account: OWNER, scopes: ['manage'] };
    let next: Caller | undefined;
    let calls: (Caller | undefined)[] = [];
    const authenticate = async (_request: unknown, { again }: { again?: Caller }) => {
      calls.push(again);
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
      calls = [];
      expect((await uploadLate()).status).to.equal(status);
      expect(calls).to.deep.equal([undefined, known]);
    }
    expect(await publishedCount()).to.equal(1);
  });
});
