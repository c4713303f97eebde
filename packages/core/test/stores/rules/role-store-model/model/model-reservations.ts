import {
  type CommitOutcome,
  type HistoryEvent,
  type Instant,
  type Lease,
  type Reservation,
  type ReserveOutcome,
  type RoleCommit,
  stateOf,
  type Version,
} from '@pinfold/core';
import { type AdmissionFacts, accountAfterPublishing, refuseAdmission } from '@pinfold/core/adapter';
import { committedAs, judgeCommit, judgeHolder } from '../../../../../src/stores/roles/key-holder.ts';
import { type ModelData, newAccount } from './model-data.ts';

export function reserve(data: ModelData, request: Reservation): ReserveOutcome {
  const { account, key, fingerprint, token, now, until } = request;
  const held = judgeHolder(structuredClone(data.keys.get(nameOf(request))), request);
  if (held !== undefined) return held;
  const known = data.accounts.get(account);
  const refused = refuseAdmission(known, { ...request, isNamed: false }, looksOf(data, request));
  if (refused !== undefined) return refused;
  data.keys.set(nameOf(request), {
    fingerprint,
    token,
    begunAt: now,
    heldUntil: until,
    role: null,
    warnings: null,
  });
  return { kind: 'reserved', lease: { account, key, token }, isKnown: known !== undefined };
}

export function renew({ keys }: ModelData, lease: Lease, until: Instant): { readonly kind: 'held' | 'lost' } {
  const row = keys.get(nameOf(lease));
  if (row?.token !== lease.token || row.role !== null) return { kind: 'lost' };
  keys.set(nameOf(lease), { ...row, heldUntil: until });
  return { kind: 'held' };
}

export function release({ keys }: ModelData, lease: Lease): void {
  const row = keys.get(nameOf(lease));
  if (row?.token === lease.token && row.role === null) keys.delete(nameOf(lease));
}

export function commit(
  data: ModelData,
  publication: RoleCommit,
  lease: Lease,
  events: readonly HistoryEvent[],
): CommitOutcome {
  const { role, manifest, now, limits, warnings } = publication;
  const row = structuredClone(data.keys.get(nameOf(lease)));
  const judged = judgeCommit(row, lease, role.id);
  if (row === undefined || judged === 'lease_lost') return { kind: 'lease_lost' };
  if (judged === 'committed') return committedAs(publication, row.warnings);
  const account = data.accounts.get(role.account) ?? newAccount(role.account);
  const asked = { ...role, now, limits, isNamed: false };
  const refused = refuseAdmission(account, asked, looksOf(data, asked));
  if (refused !== undefined) return refused;
  data.accounts.set(role.account, { ...account, ...accountAfterPublishing(account, asked) });
  data.keys.set(nameOf(lease), { ...row, role: role.id, warnings: structuredClone(warnings) });
  data.manifests.set(role.archive, manifest);
  data.roles.set(role.id, {
    role: { ...role },
    version: 1 as Version,
    archiveRemoved: false,
    claim: undefined,
    claimableAt: undefined,
    failures: 0,
    lastEventAt: data.tell(events, 0 as Instant),
  });
  return committedAs(publication, warnings);
}

/** What is in service when a publication is asked for. No archive of the sequences is forbidden, and none has a name. */
function looksOf(data: ModelData, { account, now }: Pick<Reservation, 'account' | 'now'>): AdmissionFacts {
  return {
    isForbidden: () => false,
    inService: () => {
      const own = [...data.roles.values()].map(({ role }) => role);
      const inService = own.filter((role) => role.account === account && stateOf(role, now) === 'published');
      return {
        sites: inService.length,
        bytes: inService.reduce((sum, { archiveBytes }) => sum + archiveBytes, 0),
      };
    },
    names: () => ({ count: 0, shown: undefined }),
  };
}

function nameOf({ account, key }: Pick<Lease, 'account' | 'key'>): string {
  return JSON.stringify([account, key]);
}
