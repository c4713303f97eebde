import type { Day } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { aRoleId, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { onFile } from './in-folder.ts';

/** The calls that are repeated until nothing is left, without calls of other ports in between. */
const STEPS: Readonly<Record<string, (handle: Persistence) => Promise<unknown>>> = {
  'purging reservations': ({ roles }) => roles.purge(START, 100),
  'purging counts of tries': ({ attempts }) => attempts.purge(START, 100),
  'listing archives': ({ roles }) => roles.listArchives(undefined, 500),
  'adding counts of views': ({ views }) =>
    views.add([{ role: aRoleId(1), day: 20_000 as Day, views: 1, refusedPasswords: 0 }]),
};

describe('Work in steps on SQLite', () => {
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
