import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openScreen, zipOf } from './open-screen.ts';
import { Person } from './person.ts';

describe('a repeated upload by the script', () => {
  it('is answered without a staged file', async () => {
    let staged = 0;
    const screen = await openScreen({
      ports: ({ staging }) => ({
        staging: replacing(staging, {
          receive: (...inputs) => {
            staged += 1;
            return staging.receive(...inputs);
          },
        }),
      }),
    });
    const person = new Person(screen.base);
    await person.signIn((await screen.sessions.offerLink(OWNER)).token);
    const headers = {
      'x-pinfold-form': (await person.get('/')).token,
      'idempotency-key': 'key-1',
      'x-pinfold-filename': 'site.zip',
    };
    const upload = () => person.send('/upload', zipOf({ 'index.html': 'x' }), headers);
    expect([(await upload()).status, (await upload()).status]).to.deep.equal([201, 200]);
    expect(staged).to.equal(1);
    await screen.close();
  });
});
