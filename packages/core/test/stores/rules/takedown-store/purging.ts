import {
  after,
  type CleanupRequest,
  type CleanupTask,
  duration,
  hours,
  type Instant,
  minutes,
  type Role,
} from '@pinfold/core';
import {
  anEvent,
  aPublication,
  aRoleId,
  aTakedown,
  aToken,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { aClaim, aTask, type StoreClauses, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { TakedownStores } from '../stores.ts';
import { takeDown } from './taken.ts';

const STOPPED = after(START, hours(1));
const UNTIL = after(STOPPED, minutes(10));

/** A cleanup at `now` with an hour of grace. */
function cleanup(n: number, now: Instant): CleanupRequest {
  return aClaim(n, now, { endedBefore: (now - hours(1)) as Instant });
}

async function publishAndTakeDown(stores: TakedownStores, n: number): Promise<Role> {
  const role = await publishTo(stores.roles, aPublication(n));
  await takeDown(stores, aTakedown(n, { at: STOPPED }));
  return role;
}

export const purgingClauses: StoreClauses<TakedownStores> = {
  'takedown-store/claim-purge: a stored archive is claimed at once, even from another claim, which is lost; an archive that was removed, or whose role is unknown or not stopped, cannot be claimed':
    withPeer(async (port, { takedowns, roles }) => {
      const role = await publishAndTakeDown(port, 1);
      const claim = (n: number, of = role.id) => ({ role: of, token: aToken(n), until: UNTIL });
      const [swept] = await roles.claimForCleanup({ ...cleanup(1, UNTIL), endedBefore: UNTIL });
      expect(swept).to.deep.equal(aTask(role, 1));
      expect(await takedowns.claimPurge(claim(2)), 'claimed').to.deep.equal(aTask(role, 2));
      expect(await takedowns.claimPurge(claim(3)), 'again').to.deep.equal(aTask(role, 3));
      for (const lost of [aTask(role, 1), aTask(role, 2)]) {
        await port.roles.settleCleanup(lost, { kind: 'removed' }, [anEvent()]);
        expect(await port.roles.loadManifest(role.archive)).not.to.equal(undefined);
      }
      await port.roles.settleCleanup(aTask(role, 3), { kind: 'removed' }, [anEvent()]);
      expect(await port.roles.loadManifest(role.archive)).to.equal(undefined);
      expect(await takedowns.claimPurge(claim(4)), 'removed').to.equal(undefined);
      const published = await publishTo(port.roles, aPublication(2));
      expect(await takedowns.claimPurge(claim(5, published.id)), 'not stopped').to.equal(undefined);
      expect(await takedowns.claimPurge(claim(6, aRoleId(9))), 'unknown').to.equal(undefined);
    }),
  "takedown-store/purge-without-grace: cleanups claim and count an archive that was claimed this way and not removed, from the claim's end or the retry's instant on, however recently its role ended":
    withPeer(async (port, { takedowns, roles }) => {
      const [lapsed, failed] = [await publishAndTakeDown(port, 1), await publishAndTakeDown(port, 2)];
      await publishAndTakeDown(port, 3);
      const tasks: (CleanupTask | undefined)[] = [];
      for (const { id } of [lapsed, failed]) {
        tasks.push(await takedowns.claimPurge({ role: id, token: aToken(tasks.length), until: UNTIL }));
      }
      const retryAt = after(UNTIL, minutes(1));
      const failure = { kind: 'failed', retryAt } as const;
      await port.roles.settleCleanup(tasks[1] as CleanupTask, failure, [anEvent()]);
      const before = (UNTIL - 1) as Instant;
      expect(await roles.claimForCleanup(cleanup(5, before)), 'too early').to.deep.equal([]);
      const countAt = async (now: Instant) =>
        (await roles.countForCleanup({ ...cleanup(0, now), begunBefore: START })).archives;
      expect(await countAt(before)).to.equal(0);
      expect(await countAt(UNTIL)).to.equal(1);
      expect(await roles.claimForCleanup(cleanup(6, UNTIL))).to.deep.equal([aTask(lapsed, 6)]);
      expect(await countAt(retryAt)).to.equal(1);
      const early = (retryAt - duration(1)) as Instant;
      expect(await roles.claimForCleanup(cleanup(7, early))).to.deep.equal([]);
      expect(await roles.claimForCleanup(cleanup(8, retryAt))).to.deep.equal([aTask(failed, 8, 1)]);
    }),
};
