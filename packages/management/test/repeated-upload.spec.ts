import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openScreen, zipOf } from './open-screen.ts';

describe('a repeated upload', () => {
  for (const way of ['script', 'form'] as const)
    it(`by the ${way} is answered without a staged file`, async () => {
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
      const form = (await person.get('/')).token;
      const archive = zipOf({ 'index.html': 'x' });
      const headers = {
        'x-pinfold-form': form,
        'idempotency-key': 'key-1',
        'x-pinfold-filename': 'site.zip',
      };
      const byScript = () => person.send('/upload', archive, headers);
      const byForm = () => {
        const data = new FormData();
        data.set('form', form);
        data.set('key', 'key-1');
        data.set('archive', new Blob([archive]), 'site.zip');
        return person.post('/publish', data);
      };
      const upload = { script: byScript, form: byForm }[way];
      const statuses = [(await upload()).status, (await upload()).status];
      expect(statuses).to.deep.equal(way === 'script' ? [201, 200] : [303, 303]);
      expect(staged).to.equal(1);
    });
});
