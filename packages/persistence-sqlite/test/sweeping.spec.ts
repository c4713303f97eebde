import type { Persistence } from '@pinfold/core/adapter';
import { START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { onFile } from './in-folder.ts';

/** The calls that a sweep repeats until nothing is left, without calls of other ports in between. */
const STEPS: Readonly<Record<string, (handle: Persistence) => Promise<unknown>>> = {
  'purging reservations': ({ roles }) => roles.purge(START, 100),
  'purging counts of tries': ({ attempts }) => attempts.purge(START, 100),
  'listing archives': ({ roles }) => roles.listArchives(undefined, 500),
};

describe('A sweep on SQLite', () => {
  for (const [name, step] of Object.entries(STEPS)) {
    it(`yields to the event loop before each step of ${name}`, () =>
      onFile(async (_, handle) => {
        let turns = 0;
        setImmediate(() => {
          turns += 1;
        });
        await step(handle);
        expect(turns).to.equal(1);
      }));
  }
});
