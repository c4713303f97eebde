import { NodeSessionSecrets } from '@pinfold/platform-node';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { BY_ADA, OWNER, openSignedIn, person, screen, zipOf } from './open-screen.ts';
import { formOf, type Page } from './person.ts';

describe('a person whose account is erased during a request', () => {
  let meanwhile: () => Promise<unknown>;

  beforeEach(async () => {
    meanwhile = async () => undefined;
    await openSignedIn({
      ports: ({ accounts }) => ({
        accounts: replacing(accounts, {
          // The screen checks whether the account is blocked after it has found the session, and before it changes anything.
          load: async (...request) => {
            const found = await accounts.load(...request);
            await meanwhile();
            return found;
          },
        }),
      }),
    });
  });

  async function erase(): Promise<void> {
    meanwhile = async () => undefined;
    const { administration } = screen;
    expect((await administration.eraseAccount(OWNER, BY_ADA)).kind).to.equal('erasing');
    await administration.finishErasure(OWNER);
  }

  /** Sends a form of a page, and erases the account before it is carried out. */
  async function sendAndErase(page: string, send: (form: string) => Promise<Page>): Promise<void> {
    const { token } = await person.get(page);
    meanwhile = erase;
    const { location = '' } = await send(token);
    expect(location).to.match(/^\/manage\/sign-in/);
    expect(await screen.administration.showAccount(OWNER)).to.equal(undefined);
    expect(await screen.administration.eraseAccount(OWNER, BY_ADA)).to.include({ code: 'not_found' });
  }

  it('must sign in again, and gets no key', () =>
    sendAndErase('/keys', (form) => person.post('/keys', { form, label: 'Laptop', scope: 'pins:read' })));

  it('must sign in again, and gives no program a key', async () => {
    const { hash } = new NodeSessionSecrets().mint();
    await person.post('/connect/register', { request: hash });
    const sent = { request: hash, label: 'Laptop', scope: 'pins:read' };
    await sendAndErase(`/connect?request=${hash}`, (form) => person.post('/connect', { form, ...sent }));
  });

  it('must sign in again, and publishes nothing', () =>
    sendAndErase('/', (form) =>
      person.post('/publish', formOf({ form, key: 'k' }, zipOf({ 'index.html': 'x' }))),
    ));
});
