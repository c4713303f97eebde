import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, days } from '@pinfold/core';
import {
  aPublication,
  aReservation,
  aRoleId,
  aToken,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { Contest } from './contender.ts';
import { inFolder, onFile } from './in-folder.ts';

/** Starts a process that waits for a signal. */
async function startContender(contest: Contest, file: string, name: string): Promise<ChildProcess> {
  const child = fork(new URL('./contender.ts', import.meta.url), [contest, file, name], {
    execArgv: ['--conditions=@pinfold/source'],
  });
  await once(child, 'message');
  return child;
}

/** Lets processes do the same with one file at the same moment; returns the output of each. */
async function compete(contest: Contest, file: string, count: number): Promise<readonly number[]> {
  const children = await Promise.all(
    Array.from({ length: count }, (_, n) => startContender(contest, file, `process ${n}`)),
  );
  const results = children.map(async (child) => {
    const [[result]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
    return result as number;
  });
  for (const child of children) child.send('go');
  return await Promise.all(results);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

describe('Several processes on one file', () => {
  it('may all migrate an empty file at once', () =>
    inFolder(async (folder) => {
      expect(sum(await compete('migrate', join(folder, 'pinfold.sqlite'), 4))).to.equal(1);
    }));

  it('reserve each key once', () =>
    onFile(async (file) => {
      expect(sum(await compete('reserve', file, 2))).to.equal(100);
    }));

  it('never overwrite one another', () =>
    onFile(async (file, { roles }) => {
      await publishTo(roles, aPublication(1));
      const saved = sum(await compete('save', file, 2));
      expect(saved).to.equal(200);
      expect((await roles.load(aRoleId(1)))?.value.generation).to.equal(1 + saved);
    }));

  it('together admit no more tries than the limit', () =>
    onFile(async (file) => {
      expect(sum(await compete('attempt', file, 2))).to.equal(50);
    }));

  it('lose nothing acknowledged when one is killed, and show no part of a publication', () =>
    onFile(async (file, { roles }) => {
      const child = await startContender('publish', file, 'victim');
      child.send('go');
      let acknowledged = 0;
      child.on('message', (n: number) => {
        acknowledged = n;
        if (n === 25) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      expect(acknowledged).to.be.at.least(25);
      for (let n = 1; n <= acknowledged + 2; n += 1) {
        for (const id of [n, 1_000_000 + n]) {
          const { role } = aPublication(id);
          // By then, the reservation of the killed process has expired; what it completed has not.
          const key = await roles.reserve(aReservation(id, { token: aToken(0), now: after(START, days(1)) }));
          const parts = [
            (await roles.load(role.id)) !== undefined,
            (await roles.loadManifest(role.archive)) !== undefined,
            key.kind === 'mismatch' || key.kind === 'complete',
          ];
          expect(new Set(parts), `the parts of ${id}`).to.have.property('size', 1);
          if (n <= acknowledged) expect(parts).to.deep.equal([true, true, true]);
        }
      }
    }));

  it('leave an intact file when one is killed during a checkpoint', () =>
    onFile(async (file, { roles }) => {
      const child = await startContender('begin', file, 'victim');
      child.send('go');
      let acknowledged = 0;
      child.on('message', (n: number) => {
        acknowledged = n;
        if (n === 2_000) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      const begunBefore = after(START, days(1));
      const counted = await roles.countForCleanup({ now: START, endedBefore: START, begunBefore });
      expect(counted.reservations).to.be.at.least(acknowledged);
      expect(acknowledged).to.be.at.least(2_000);
      const database = new Database(file, { readonly: true });
      expect(database.pragma('integrity_check', { simple: true })).to.equal('ok');
      database.close();
    }));
});
