import type { ArchiveId, RoleId } from '../domain/identity.ts';
import { MAX_IDS } from '../domain/reconciliation.ts';
import { stateOf } from '../domain/role.ts';
import type { RoleQuery, RoleStore } from '../ports/role-store.ts';
import type { CleanUpRun } from './clean-up-run.ts';

const IN_SERVICE = {
  account: undefined,
  state: 'published',
  search: undefined,
  order: undefined,
  idempotencyKey: undefined,
  limit: 100,
} as const satisfies Partial<RoleQuery>;

/** Finds publications in service whose archive no record names, or is among those missing, as far as time is left. */
export async function rolesWithoutArchive(
  roles: RoleStore,
  missing: ReadonlySet<ArchiveId>,
  run: CleanUpRun,
): Promise<readonly RoleId[]> {
  const found: RoleId[] = [];
  let after: RoleQuery['after'];
  while (found.length < MAX_IDS && (await run.hasTimeLeft())) {
    const { items, next } = await roles.list({ ...IN_SERVICE, now: run.now(), after });
    const named = await roles.whichAreNamed(items.map(({ archive }) => archive));
    for (const { id, archive } of items) {
      if (named.has(archive) && !missing.has(archive)) continue;
      // It may have been stopped, and its archive removed, since the page was read.
      const newest = (await roles.load(id))?.value;
      if (newest !== undefined && stateOf(newest, run.now()) === 'published') found.push(id);
    }
    if (next === undefined) break;
    after = next;
  }
  return found.slice(0, MAX_IDS);
}
