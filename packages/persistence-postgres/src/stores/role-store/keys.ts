import type {
  CommitOutcome,
  HistoryEvent,
  Lease,
  NamesInUse,
  Reservation,
  ReserveOutcome,
  RoleCommit,
  RoleStore,
} from '@pinfold/core';
import {
  boundsOf,
  committedAs,
  FORBIDDEN_CONTENT,
  hasQuota,
  judgeCommit,
  judgeHolder,
  type KeyRow,
  published,
  refuseAdmission,
  refuseChange,
  titleFolded,
  UNAUTHORIZED,
  withNameWarnings,
} from '@pinfold/core/adapter';
import type { PostgresConnection, Run } from '../../engine/postgres-connection.ts';
import { deleting, prepared } from '../../engine/statement.ts';
import { ROLES } from '../../schema/columns.ts';
import type { Tables } from '../../schema/tables.ts';
import { AccountRows } from '../accounts.ts';
import { keepingFor, rowsOf } from '../events.ts';
import { type AccountInMode, accountInMode, isForbidden, readAccountInMode } from '../mode.ts';
import { NameRows } from '../names.ts';

const NOTHING = { sites: 0, bytes: 0 };
const NO_NAMES: NamesInUse = { count: 0, shown: undefined };

/** Idempotency-Keys: who holds them, and the publications that complete them. */
export function keys(
  connection: PostgresConnection,
  tables: Tables,
): Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'commit' | 'purge'> {
  const { idempotencyKeys, roles, manifests } = tables;
  const accounts = new AccountRows(tables);
  const names = new NameRows(tables);
  const statements = {
    holder: prepared(`
      SELECT fingerprint, token, held_until AS "heldUntil", role, warnings
      FROM ${idempotencyKeys} WHERE account = $1 AND key = $2`),
    account: accountInMode(tables),
    reserve: prepared(`
      INSERT INTO ${idempotencyKeys} AS held (account, key, fingerprint, token, begun_at, held_until)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account, key) DO UPDATE
      SET fingerprint = $3, token = $4, begun_at = $5, held_until = $6
      WHERE held.role IS NULL AND held.held_until <= $5`),
    renew: prepared(`
      UPDATE ${idempotencyKeys} SET held_until = $1
      WHERE account = $2 AND key = $3 AND token = $4 AND role IS NULL`),
    release: prepared(`
      DELETE FROM ${idempotencyKeys} WHERE account = $1 AND key = $2 AND token = $3 AND role IS NULL`),
    commit: prepared(`
      WITH held AS (
        UPDATE ${idempotencyKeys} SET role = $4, warnings = $5
        WHERE account = $1 AND key = $2 AND token = $3 AND role IS NULL AND NOT ${isForbidden(tables, 12)} RETURNING 1
      ), stored AS (
        INSERT INTO ${manifests} (archive, manifest) SELECT $6, $7 FROM held
      ), noted AS (
        UPDATE ${tables.accounts} SET publications_mark = $8, last_published_at = $9
        WHERE name = $1 AND EXISTS (SELECT 1 FROM held)
      ), kept AS (${keepingFor(tables, 'held', 11)})
      INSERT INTO ${roles} (version, title_folded, last_event_at, ${ROLES.insert})
      SELECT 1, $10, coalesce(($11::json -> -1 ->> 'at')::bigint, 0), ${ROLES.parameters(13)} FROM held`),
    // Waits for locked reservations: one that it skipped could still commit.
    purge: deleting(
      idempotencyKeys,
      'account, key',
      `SELECT account, key FROM ${idempotencyKeys}
      WHERE role IS NULL AND begun_at < $1 ORDER BY begun_at LIMIT $2 FOR UPDATE`,
    ),
  };
  const holder = async (account: string, key: string): Promise<KeyRow | undefined> =>
    (await connection.read<KeyRow>(statements.holder, [account, key]))[0];

  /** Returns the refusal of a reservation, if any. A key that is already held does not count against the rate. */
  async function refused(request: Reservation): Promise<ReserveOutcome | undefined> {
    const { account, key, now } = request;
    const [row] = await connection.read<AccountInMode>(statements.account, [account, request.sha256]);
    const { account: owner, mode } = readAccountInMode(row);
    const held = refuseChange(owner, mode) ?? judgeHolder(await holder(account, key), request);
    if (held !== undefined) return held;
    const isCounted = hasQuota(boundsOf(owner, request.limits));
    const used = isCounted ? await accounts.countInService(connection.run, account, now) : NOTHING;
    const { name } = request;
    const inUse = name === undefined ? NO_NAMES : await names.inUse(connection.run, account, name);
    const wish = { ...request, isNamed: name !== undefined };
    return refuseAdmission(owner, wish, {
      isForbidden: () => row?.forbidden === true,
      inService: () => used,
      names: () => inUse,
    });
  }

  async function reserve(request: Reservation): Promise<ReserveOutcome> {
    const { account, key, fingerprint, token, now, until } = request;
    const values = [account, key, fingerprint, token, now, until];
    for (;;) {
      const held = await refused(request);
      if (held !== undefined) return held;
      const { count } = await connection.write(statements.reserve, values);
      if (count === 1) return { kind: 'reserved', lease: { account, key, token } };
      // Another request took the key between the two statements: find its holder.
    }
  }

  /** Commits all or nothing, and holds the account's lock meanwhile. */
  async function commit(
    run: Run,
    publication: RoleCommit,
    lease: Lease,
    events: readonly HistoryEvent[],
  ): Promise<CommitOutcome> {
    const { role, manifest, now, limits, name, credential = {} } = publication;
    const { account, key, token } = lease;
    const publisher = await accounts.lock(run, account, role.sha256, credential);
    const { account: owner, mode, isForbidden: isTakenDown } = publisher;
    const wish = { ...role, now, limits, isNamed: name !== undefined };
    const inUse = name === undefined ? NO_NAMES : await names.inUse(run, account, name.name);
    const isCounted = hasQuota(boundsOf(owner, limits));
    const used = isCounted ? await accounts.countInService(run, account, now) : NOTHING;
    const looks = { isForbidden: () => isTakenDown, inService: () => used, names: () => inUse };
    const inadmissible = publisher.hasEnded
      ? UNAUTHORIZED
      : (refuseChange(owner, mode) ?? refuseAdmission(owner, wish, looks));
    if (inadmissible === undefined) {
      const { publicationsMark, lastPublishedAt } = published(owner, wish);
      const warnings = JSON.stringify(
        name === undefined
          ? publication.warnings
          : withNameWarnings(publication.warnings, role, inUse, limits),
      );
      const completed = [account, key, token, role.id, warnings, role.archive, manifest];
      const noted = [publicationsMark, lastPublishedAt];
      const told = [titleFolded(role), rowsOf(events), role.sha256];
      const values = [...completed, ...noted, ...told, ...ROLES.values(role)];
      const { count } = await run(statements.commit, values);
      if (count === 1) {
        if (name !== undefined) {
          await names.point(run, { ...name, account, role: role.id, updatedAt: now });
        }
        return committedAs(publication, warnings);
      }
    }
    const [row] = (await run<KeyRow>(statements.holder, [account, key])).rows;
    const judged = judgeCommit(row, lease, role.id);
    if (judged === 'committed') return committedAs(publication, row?.warnings ?? null);
    if (judged !== 'held') return { kind: judged };
    if (inadmissible !== undefined) return inadmissible;
    // The lease is valid, so the archive was forbidden while this waited.
    return FORBIDDEN_CONTENT;
  }

  return {
    reserve,
    renew: async ({ account, key, token }, until) => {
      const { count } = await connection.write(statements.renew, [until, account, key, token]);
      return { kind: count === 1 ? 'held' : 'lost' };
    },
    release: async ({ account, key, token }) => {
      await connection.write(statements.release, [account, key, token]);
    },
    commit: (publication, lease, events) =>
      connection.transaction((run) => commit(run, publication, lease, events)),
    purge: async (begunBefore, limit) =>
      (await connection.write(statements.purge, [begunBefore, limit])).count,
  };
}
