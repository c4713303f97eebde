import { setImmediate } from 'node:timers/promises';
import type {
  Account,
  AccountId,
  CommitOutcome,
  HistoryEvent,
  Lease,
  PinName,
  Reservation,
  ReserveOutcome,
  RoleCommit,
  RoleStore,
} from '@pinfold/core';
import {
  type AdmissionLooks,
  type AdmissionRequest,
  committedAs,
  judgeCommit,
  judgeHolder,
  type KeyRow,
  published,
  refuseAdmission,
  refuseChange,
  titleFolded,
  withNameWarnings,
} from '@pinfold/core/adapter';
import type { Statements } from '../../engine/sqlite-connection.ts';
import type { Prepare } from '../../engine/sqlite-file.ts';
import { ROLES } from '../../schema/columns.ts';
import { countInService, findAccount, makeAccount, noteAccount } from '../accounts.ts';
import { keep } from '../events.ts';
import { findMode, refusedCredential } from '../mode.ts';
import { namesInUse, pointName } from '../sqlite-name-store.ts';
import { isForbidden } from '../sqlite-takedown-store.ts';

const HOLDER = `
  SELECT fingerprint, token, held_until AS heldUntil, role, warnings
  FROM idempotency_keys WHERE account = ? AND key = ?`;

const RESERVE = `
  INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until)
  VALUES (@account, @key, @fingerprint, @token, @now, @until)
  ON CONFLICT (account, key) DO UPDATE
  SET fingerprint = @fingerprint, token = @token, begun_at = @now, held_until = @until`;

const RENEW = `
  UPDATE idempotency_keys SET held_until = ?
  WHERE account = ? AND key = ? AND token = ? AND role IS NULL`;

const RELEASE = 'DELETE FROM idempotency_keys WHERE account = ? AND key = ? AND token = ? AND role IS NULL';

const COMPLETE = 'UPDATE idempotency_keys SET role = ?, warnings = ? WHERE account = ? AND key = ?';

const INSERT_ROLE = `
  INSERT INTO roles (version, title_folded, last_event_at, ${ROLES.insert}) VALUES (1, ?, ?, ${ROLES.parameters(3)})`;

const INSERT_MANIFEST = 'INSERT INTO manifests (archive, manifest) VALUES (?, ?)';

const PURGE = `
  DELETE FROM idempotency_keys WHERE rowid IN (
    SELECT rowid FROM idempotency_keys WHERE role IS NULL AND begun_at < ? ORDER BY begun_at LIMIT ?
  )`;

/** Idempotency-Keys: who holds them, and the publications that complete them. */
export function keys(
  connection: Statements,
): Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'commit' | 'purge'> {
  return {
    reserve: async (request) => {
      // A replay needs no lock: what is complete or in progress is so at the moment of the read.
      const held = await connection.read((prepare) => refused(prepare, request));
      return held ?? connection.write((prepare) => reserve(prepare, request));
    },
    renew: ({ account, key, token }, until) =>
      connection.write((prepare) => ({
        kind: prepare(RENEW).run(until, account, key, token).changes === 1 ? 'held' : 'lost',
      })),
    release: async ({ account, key, token }) => {
      await connection.write((prepare) => prepare(RELEASE).run(account, key, token));
    },
    commit: (publication, lease, events) =>
      connection.write((prepare) => commit(prepare, publication, lease, events)),
    purge: async (begunBefore, limit) => {
      // A sweep asks for batch after batch: others get their turn in between.
      await setImmediate();
      return connection.writeFromReserve((prepare) => prepare(PURGE).run(begunBefore, limit).changes);
    },
  };
}

function heldBy(prepare: Prepare, request: Reservation): ReserveOutcome | undefined {
  return judgeHolder(prepare<KeyRow>(HOLDER).get(request.account, request.key), request);
}

/** Returns the refusal of a reservation, if any. A key that is already held does not count against the rate. */
function refused(prepare: Prepare, request: Reservation): ReserveOutcome | undefined {
  const account = findAccount(prepare, request.account);
  return (
    refuseChange(account, findMode(prepare)) ??
    heldBy(prepare, request) ??
    refuseAdmission(
      account,
      { ...request, isNamed: request.name !== undefined },
      looksOf(prepare, request.account, request, request.name),
    )
  );
}

function looksOf(
  prepare: Prepare,
  account: AccountId,
  { sha256, now }: Pick<AdmissionRequest, 'sha256' | 'now'>,
  name: PinName | undefined,
): AdmissionLooks {
  return {
    isForbidden: () => isForbidden(prepare, sha256),
    inService: () => countInService(prepare, account, now),
    names: () => namesInUse(prepare, account, name as PinName),
  };
}

export function reserve(prepare: Prepare, request: Reservation): ReserveOutcome {
  const held = refused(prepare, request);
  if (held !== undefined) return held;
  const { account, key, fingerprint, token, now, until } = request;
  prepare(RESERVE).run({ account, key, fingerprint, token, now, until });
  return { kind: 'reserved', lease: { account, key, token } };
}

export function commit(
  prepare: Prepare,
  publication: RoleCommit,
  lease: Lease,
  events: readonly HistoryEvent[],
): CommitOutcome {
  const { role, manifest, now, limits, name, credential = {} } = publication;
  const { account, key } = lease;
  const row = prepare<KeyRow>(HOLDER).get(account, key);
  const judged = judgeCommit(row, lease, role.id);
  if (judged === 'committed') return committedAs(publication, row?.warnings ?? null);
  if (judged !== 'held') return { kind: judged };
  makeAccount(prepare, account);
  const owner = findAccount(prepare, account) as Account;
  const wish = { ...role, now, limits, isNamed: name !== undefined };
  const looks = looksOf(prepare, account, wish, name?.name);
  const inadmissible =
    refusedCredential(prepare, credential) ??
    refuseChange(owner, findMode(prepare)) ??
    refuseAdmission(owner, wish, looks);
  if (inadmissible !== undefined) return inadmissible;
  const warnings = JSON.stringify(
    name === undefined
      ? publication.warnings
      : withNameWarnings(publication.warnings, role, looks.names(), limits),
  );
  noteAccount(prepare, account, published(owner, wish));
  prepare(INSERT_ROLE).run(titleFolded(role), events.at(-1)?.at ?? 0, ...ROLES.values(role));
  prepare(INSERT_MANIFEST).run(role.archive, manifest);
  prepare(COMPLETE).run(role.id, warnings, account, key);
  if (name !== undefined) pointName(prepare, publication, name);
  keep(prepare, events);
  return committedAs(publication, warnings);
}
