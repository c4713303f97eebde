import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openScreen, zipOf } from './open-screen.ts';

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
    const person = await screen.signedIn();
    const headers = {
      'x-pinfold-form': (await person.get('/')).token,
      'idempotency-key': 'key-1',
      'x-pinfold-filename': 'site.zip',
    };
    const upload = () => person.send('/upload', zipOf({ 'index.html': 'x' }), headers);
    expect([(await upload()).status, (await upload()).status]).to.deep.equal([201, 200]);
    expect(staged).to.equal(1);
  });
});
