import { setImmediate } from 'node:timers/promises';
import { isFault, type RoleId, type Token } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import {
  aKey,
  anEvent,
  aPublication,
  aReservation,
  aRoleId,
  leaseOf,
  publishTo,
} from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { openPostgres } from '../src/index.ts';
import { PIPELINED } from './open-database.ts';

const CRASHES = 3;
const WORKERS = 8;

/** The outcomes of one worker's calls. */
interface Outcomes {
  readonly committed: number[];
  readonly unknown: number[];
  generation: number;
  /** The maximum that saves with a lost answer can have added. */
  lost: number;
}

function noOutcomes(): Outcomes {
  return { committed: [], unknown: [], generation: 1, lost: 0 };
}

function published(records: readonly Outcomes[]): number {
  return records.reduce((sum, record) => sum + record.committed.length, 0);
}

/** Whether the store answered; any answer that is neither right nor its fault fails the test. */
async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isFault(error) || error.code !== 'store_unavailable') throw error;
    return false;
  }
}

async function publish({ roles }: Persistence, n: number, record: Outcomes): Promise<void> {
  const request = aReservation(n, { token: `token ${n}` as Token });
  const reserved = await attempt(async () => {
    expect((await roles.reserve(request)).kind).to.equal('reserved');
  });
  if (!reserved) return;
  const committed = await attempt(async () => {
    expect(await roles.commit(aPublication(n), leaseOf(request), [anEvent()])).to.deep.equal({
      kind: 'committed',
    });
  });
  (committed ? record.committed : record.unknown).push(n);
}

/** Raises the generation of the worker's own role; no other worker changes it. */
async function raise({ roles }: Persistence, id: RoleId, record: Outcomes): Promise<void> {
  await attempt(async () => {
    const loaded = await roles.load(id);
    if (loaded === undefined) throw new Error('a committed role does not exist');
    const { generation } = loaded.value;
    expect(generation, 'a save that was acknowledged').to.be.within(
      record.generation,
      record.generation + record.lost,
    );
    record.generation = generation;
    record.lost = 1;
    const raised = { ...loaded.value, generation: (generation + 1) as typeof generation };
    const saved = await roles.save(raised, loaded.version, [anEvent()]);
    expect(saved.kind).to.equal('saved');
    record.generation += 1;
    record.lost = 0;
  });
}

describe('A server that crashes under load', () => {
  const place = ofEachTest(postgresPlace);
  let running = true;

  afterEach(async () => {
    running = false;
    await place.dispose();
  });

  it('causes store_unavailable but never a wrong answer', async () => {
    const handles = await Promise.all(
      [1, 2].map(() => openPostgres({ pool: place.pool(PIPELINED), schema: place.schema })),
    );
    const [first] = handles as [Persistence];
    await first.migrate();
    const records = Array.from({ length: WORKERS }, noOutcomes);
    const workers = records.map(async (record, worker) => {
      const handle = handles[worker % handles.length] as Persistence;
      for (let n = worker; running; n += WORKERS) {
        await publish(handle, n, record);
        const [own] = record.committed;
        if (own !== undefined) await raise(handle, aRoleId(own), record);
        await setImmediate();
      }
    });
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const before = published(records);
      while (published(records) < before + 20) await setImmediate();
      await place.server.crash();
    }
    running = false;
    await Promise.all(workers);
    const { roles } = await openPostgres({ pool: place.pool(), schema: place.schema });
    for (const { committed, unknown } of records) {
      expect(committed.length).to.be.at.least(1);
      for (const n of committed) {
        expect(await roles.load(aRoleId(n)), `role ${n}`).to.not.equal(undefined);
        expect(await roles.loadManifest(aPublication(n).role.archive)).to.equal(aPublication(n).manifest);
      }
      for (const n of unknown) {
        const isStored = (await roles.load(aRoleId(n))) !== undefined;
        const manifest = (await roles.loadManifest(aPublication(n).role.archive)) !== undefined;
        const key = await roles.reserve(aReservation(n, { token: 'later' as Token }));
        expect([manifest, key.kind], `role ${n}`).to.deep.equal([
          isStored,
          isStored ? 'complete' : 'in_progress',
        ]);
      }
    }
    await publishTo(roles, aPublication(1_000_000, { idempotencyKey: aKey(1_000_000) }));
  });
});
