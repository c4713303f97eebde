import { type CleanupTask, isFault, type Token } from '@pinfold/core';
import { ACCOUNT, anArchiveId, anEvent, aRoleId, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openPostgres, type PostgresPool } from '../src/index.ts';

/** What the reads of a settlement find: it does nothing then. */
const NOTHING = { rows: [{ parts: JSON.stringify(Array(9).fill([])) }], rowCount: 1 };

/** A pool whose changes are answered when the test says how. */
async function slowPool() {
  const changes: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const answer = { rows: [], rowCount: 1 };
  const pool: PostgresPool = {
    connect: async () => ({
      query: async ({ text }: { text: string }) => {
        if (text.includes('pg_is_in_recovery')) return { rows: [{ standby: false }], rowCount: 1 };
        if (!text.startsWith('BEGIN ')) return text.includes('json_build_array') ? NOTHING : answer;
        const { promise, resolve, reject } = Promise.withResolvers<typeof answer>();
        changes.push({ answer: () => resolve(answer), fail: reject });
        return promise;
      },
      release: () => {},
      on: () => {},
    }),
    on: () => {},
    off: () => {},
  };
  const { roles } = await openPostgres({ pool, schema: 'pinfold', sleep: async () => {} });
  return { changes, store: roles };
}

function task(n: number): CleanupTask {
  return {
    role: aRoleId(n),
    account: ACCOUNT,
    archive: anArchiveId(n),
    token: 'token' as Token,
    failures: 0,
  };
}

describe('A sweep on PostgreSQL', () => {
  it('has two connections to settle its claims, however many it settles', async () => {
    const { changes, store } = await slowPool();
    const settled = [1, 2, 3, 4, 5].map((n) =>
      store.settleCleanup(task(n), { kind: 'removed' }, [anEvent()]),
    );
    for (const begun of [2, 4, 5]) {
      expect(await store.load(aRoleId(1)), 'others read meanwhile').to.equal(undefined);
      expect(changes).to.have.length(begun);
      for (const { answer } of changes) answer();
      await Promise.all(settled.slice(0, begun));
    }
  });

  it('goes on settling after a claim that could not be settled', async () => {
    const { changes, store } = await slowPool();
    const settled = [1, 2, 3].map((n) =>
      rejectionOf(store.settleCleanup(task(n), { kind: 'removed' }, [anEvent()])),
    );
    for (const n of [0, 1, 2]) {
      while (changes[n] === undefined) await store.load(aRoleId(1));
      changes[n].fail(new Error('made by a test'));
    }
    const codes = (await Promise.all(settled)).map((fault) => isFault(fault) && fault.code);
    expect(codes).to.deep.equal(Array(3).fill('store_unavailable'));
  });
});
