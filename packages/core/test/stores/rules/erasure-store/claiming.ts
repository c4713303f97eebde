import { after, days, hours, minutes } from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import { aRoleId, aToken } from '@pinfold/test-contracts/fixtures';
import { type ClauseTable, together } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { Stores } from '../stores.ts';
import { begin, ERASED_AT, ERASURE, newIds, REPLACEMENT } from './erase.ts';
import { fill } from './fill.ts';

export const erasureClaimClauses: ClauseTable<Stores, StoreSubject<Stores>> = {
  'erasure-store/claim: archives of the roles of the replacement are claimed without delay, each by one of many concurrent calls; they can be claimed again after the end of the claim or the instant of the retry, at once if a clock that was ahead set it, and are settled like claims of cleanups':
    async (subject) => {
      const { port } = subject;
      await fill(port);
      await begin(port);
      const ahead = after(ERASED_AT, days(9));
      while ((await port.erasures.advance(ERASURE, ahead, newIds(port))) === 'continued');
      const claim = { now: ERASED_AT, until: after(ERASED_AT, minutes(10)), limit: 2 };
      const claimed = await together(subject, 4, (peer, n) =>
        peer.erasures.claimArchives(REPLACEMENT, { ...claim, token: aToken(500 + n) }),
      );
      const tasks = claimed.flat();
      expect(tasks.map(({ role }) => role)).to.have.members([1, 2, 3].map(aRoleId));
      const [first, ...others] = tasks;
      if (first === undefined) throw new Error('no archive was claimed');
      const retryAt = after(ERASED_AT, hours(1));
      await port.roles.settleCleanup(first, { kind: 'failed', retryAt }, []);
      for (const task of others) await port.roles.settleCleanup(task, { kind: 'removed' }, []);
      const peer = await subject.peer();
      const again = (now: number) =>
        peer.erasures.claimArchives(REPLACEMENT, { ...claim, now: now as never, token: aToken(600) });
      expect(await again(retryAt - 1)).to.deep.equal([]);
      expect(await peer.erasures.advance(ERASURE, ERASED_AT, newIds(peer))).to.equal('archives_left');
      expect((await again(retryAt)).map(({ role }) => role)).to.deep.equal([first.role]);
      const claimAhead = { ...claim, now: ahead, until: after(ahead, minutes(10)), token: aToken(700) };
      expect(await port.erasures.claimArchives(REPLACEMENT, claimAhead)).to.have.lengthOf(1);
      expect(
        (await again(retryAt)).map(({ role }) => role),
        'after a claim by a clock ahead',
      ).to.deep.equal([first.role]);
    },
};
