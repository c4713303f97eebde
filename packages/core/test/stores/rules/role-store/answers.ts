import { after, hours, type RoleStore, type Title } from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import {
  aComparison,
  anArchiveId,
  anEvent,
  aPublication,
  aRoleId,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  asks,
  type ClauseTable,
  changeRole,
  END,
  removeEnded,
  spoil,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const LATER = after(END, hours(1));
const CLAIM = aClaim(9, END);

async function ask(port: RoleStore, n: number): Promise<readonly unknown[]> {
  return [
    await port.load(aRoleId(n)),
    await port.list(asks({ limit: n })),
    await port.whichAreNamed([anArchiveId(n)]),
    await port.listArchives(undefined, n),
    await port.countStored({ now: START, after: undefined, limit: n }),
    await port.loadComparison(),
  ];
}

export const answerClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  "role-store/answers-stay: what was answered is the caller's: nothing that is done or asked later changes it":
    async ({ port }) => {
      for (const n of [1, 2]) await publishTo(port, aPublication(n));
      const answers = await ask(port, 1);
      const before = structuredClone(answers);
      spoil(await ask(port, 1));
      expect(await ask(port, 1), 'after a caller changed what it got').to.deep.equal(before);
      await changeRole(port, aRoleId(1), { title: 'Renamed' as Title });
      await port.saveComparison(aComparison(), undefined);
      const tasks = await port.claimForCleanup(CLAIM);
      const claimed = structuredClone(tasks);
      expect(claimed).to.have.lengthOf(2);
      for (const task of tasks)
        await port.settleCleanup(task, { kind: 'failed', retryAt: LATER }, [anEvent()]);
      await port.claimForCleanup({ ...CLAIM, now: LATER });
      expect(tasks, 'what was claimed, once it is settled').to.deep.equal(claimed);
      await removeEnded(port, LATER);
      await ask(port, 2);
      expect(answers).to.deep.equal(before);
    },
};
