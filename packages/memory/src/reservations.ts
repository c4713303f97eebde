import type {
  AccountId,
  CommitOutcome,
  HistoryEvent,
  Instant,
  Lease,
  PinName,
  Reservation,
  ReserveOutcome,
  RoleCommit,
} from '@pinfold/core';
import {
  type AdmissionLooks,
  type AdmissionRequest,
  committedAs,
  judgeCommit,
  judgeHolder,
  published,
  refuseAdmission,
  refuseChange,
  withNameWarnings,
} from '@pinfold/core/adapter';
import { insertSequenced } from './events.ts';
import { madeAccount, refusedCredential, usedBy } from './memory-account-store.ts';
import { type MemoryData, newRow } from './memory-data.ts';
import { namesInUse, pointName } from './memory-name-store.ts';
import { isForbidden } from './memory-takedown-store.ts';

export function reserve(data: MemoryData, request: Reservation): ReserveOutcome {
  const { keys } = data;
  const { account, key, fingerprint, token, now, until } = request;
  const known = data.accounts.get(account)?.account;
  const held = refuseChange(known, data.mode) ?? judgeHolder(keys.get(nameOf(request)), request);
  if (held !== undefined) return held;
  const wish = { ...request, isNamed: request.name !== undefined };
  const refused = refuseAdmission(known, wish, looksOf(data, account, request, request.name));
  if (refused !== undefined) return refused;
  const row = { fingerprint, token, begunAt: now, heldUntil: until, role: null, warnings: null };
  keys.set(nameOf(request), row);
  return { kind: 'reserved', lease: { account, key, token } };
}

export function renew(
  { keys }: MemoryData,
  lease: Lease,
  until: Instant,
): { readonly kind: 'held' | 'lost' } {
  const row = keys.get(nameOf(lease));
  if (row?.token !== lease.token || row.role !== null) return { kind: 'lost' };
  keys.set(nameOf(lease), { ...row, heldUntil: until });
  return { kind: 'held' };
}

export function release({ keys }: MemoryData, lease: Lease): void {
  const row = keys.get(nameOf(lease));
  if (row?.token === lease.token && row.role === null) keys.delete(nameOf(lease));
}

export function commit(
  data: MemoryData,
  publication: RoleCommit,
  lease: Lease,
  events: readonly HistoryEvent[],
): CommitOutcome {
  const { role, manifest, now, limits, name, credential = {} } = publication;
  const row = data.keys.get(nameOf(lease));
  const judged = judgeCommit(row, lease, role.id);
  if (row === undefined || judged === 'lease_lost') return { kind: 'lease_lost' };
  if (judged === 'committed') return committedAs(publication, row.warnings);
  const { account, version } = madeAccount(data, role.account);
  const ended = refusedCredential(data, credential);
  if (ended !== undefined) return ended;
  const wish = { ...role, now, limits, isNamed: name !== undefined };
  const looks = looksOf(data, role.account, wish, name?.name);
  const refused = refuseChange(account, data.mode) ?? refuseAdmission(account, wish, looks);
  if (refused !== undefined) return refused;
  const warnings =
    name === undefined
      ? publication.warnings
      : withNameWarnings(publication.warnings, role, looks.names(), limits);
  data.accounts.set(role.account, { account: { ...account, ...published(account, wish) }, version });
  const stored = JSON.stringify(warnings);
  data.keys.set(nameOf(lease), { ...row, role: role.id, warnings: stored });
  data.manifests.set(role.archive, manifest);
  if (name !== undefined) pointName(data, { account: role.account, ...name, role: role.id, updatedAt: now });
  data.roles.set(role.id, newRow(role, insertSequenced(data, events, 0 as Instant)));
  return committedAs(publication, stored);
}

function looksOf(
  data: MemoryData,
  account: AccountId,
  { sha256, now }: Pick<AdmissionRequest, 'sha256' | 'now'>,
  name: PinName | undefined,
): AdmissionLooks {
  return {
    isForbidden: () => isForbidden(data, sha256),
    inService: () => usedBy(data, account, now),
    names: () => namesInUse(data, account, name as PinName),
  };
}

export function nameOf({ account, key }: Pick<Lease, 'account' | 'key'>): string {
  return JSON.stringify([account, key]);
}
