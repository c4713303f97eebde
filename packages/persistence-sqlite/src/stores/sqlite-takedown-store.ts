import type {
  CleanupTask,
  CopyQuery,
  HistoryEvent,
  Instant,
  PurgeClaim,
  Role,
  RoleId,
  Sha256,
  Takedown,
  TakedownQuery,
  TakedownStore,
  Versioned,
} from '@pinfold/core';
import { NEWEST } from '@pinfold/core/internal';
import type { Statements } from '../engine/sqlite-connection.ts';
import { type Prepare, recordsOf } from '../engine/sqlite-file.ts';
import { TAKEDOWNS } from '../schema/columns.ts';
import { keep, keepOfRole } from './events.ts';
import { saveRole } from './role-store/roles.ts';

const FORBID = `
  INSERT INTO takedowns (${TAKEDOWNS.insert}) VALUES (${TAKEDOWNS.parameters(1)})
  ON CONFLICT (id, sha256) DO UPDATE SET reason = excluded.reason, at = excluded.at, lifted_at = NULL
  WHERE takedowns.lifted_at IS NOT NULL`;

const LIFT = 'UPDATE takedowns SET lifted_at = ? WHERE id = ? AND sha256 = ? AND lifted_at IS NULL';

const OF = `SELECT ${TAKEDOWNS.select} FROM takedowns WHERE id = ?`;

const LIST = `
  SELECT ${TAKEDOWNS.select} FROM takedowns
  WHERE lifted_at IS NULL AND (at, id, sha256) < (@at, @id, @sha256)
  ORDER BY at DESC, id DESC, sha256 DESC LIMIT @limit`;

/** Few have one archive. */
const LIST_OF = `
  SELECT ${TAKEDOWNS.select} FROM takedowns INDEXED BY takedowns_forbidden
  WHERE sha256 = @of AND lifted_at IS NULL AND (at, id, sha256) < (@at, @id, @sha256)
  ORDER BY at DESC, id DESC, sha256 DESC LIMIT @limit`;

const COPIES = `
  SELECT id FROM roles INDEXED BY roles_sha256
  WHERE sha256 = @sha256 AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > @now) AND id > @after
  ORDER BY id LIMIT @limit`;

const CLAIM = `
  UPDATE roles SET version = version + 1, claim_token = @token, not_before = @until, purged = 1
  WHERE id = @role AND archive_kept = 1 AND deleted_at IS NOT NULL
  RETURNING account, archive, failures`;

export function sqliteTakedownStore(connection: Statements): TakedownStore {
  return {
    takeDown: (takedown, stopped, events) =>
      connection.writeFromReserve((prepare) => ({
        kind: takeDown(prepare, takedown, stopped, events) ? 'taken_down' : 'conflict',
      })),
    lift: (takedown, at, events) =>
      connection.write((prepare) => ({ kind: lift(prepare, takedown, at, events) ? 'lifted' : 'conflict' })),
    isForbidden: (sha256) => connection.read((prepare) => isForbidden(prepare, sha256)),
    of: (ids) => connection.read((prepare) => ids.flatMap((id) => recordsOf(prepare, TAKEDOWNS, OF, id))),
    list: (query) => connection.read((prepare) => list(prepare, query)),
    copies: (query) => connection.read((prepare) => copies(prepare, query)),
    claimPurge: (claim) => connection.writeFromReserve((prepare) => claimPurge(prepare, claim)),
  };
}

/** Returns whether the takedown was stored. */
function takeDown(
  prepare: Prepare,
  takedown: Takedown,
  stopped: Versioned<Role> | undefined,
  events: readonly HistoryEvent[],
): boolean {
  if (stopped !== undefined && !saveRole(prepare, stopped.value, stopped.version, events)) return false;
  const { changes } = prepare(FORBID).run(...TAKEDOWNS.values(takedown));
  if (stopped !== undefined) return true;
  if (changes > 0) keep(prepare, events);
  return changes > 0;
}

/** Returns whether this call lifted the takedown. */
function lift(
  prepare: Prepare,
  { id, sha256 }: Pick<Takedown, 'id' | 'sha256'>,
  at: Instant,
  events: readonly HistoryEvent[],
): boolean {
  if (prepare(LIFT).run(at, id, sha256).changes === 0) return false;
  if (!keepOfRole(prepare, id, events)) keep(prepare, events);
  return true;
}

function list(prepare: Prepare, { sha256: of, after, limit }: TakedownQuery): readonly Takedown[] {
  const { at, id, sha256 } = after ?? NEWEST;
  const place = { at, id, sha256, limit };
  return of === undefined
    ? recordsOf(prepare, TAKEDOWNS, LIST, place)
    : recordsOf(prepare, TAKEDOWNS, LIST_OF, { ...place, of });
}

function copies(
  prepare: Prepare,
  { sha256, now, after = '' as RoleId, limit }: CopyQuery,
): readonly RoleId[] {
  return prepare<{ id: RoleId }>(COPIES)
    .all({ sha256, now, after, limit })
    .map(({ id }) => id);
}

function claimPurge(prepare: Prepare, { role, token, until }: PurgeClaim): CleanupTask | undefined {
  const row = prepare<Pick<CleanupTask, 'account' | 'archive' | 'failures'>>(CLAIM).get({
    role,
    token,
    until,
  });
  return row && { role, token, ...row };
}

const FORBIDDEN = 'SELECT 1 FROM takedowns WHERE sha256 = ? AND lifted_at IS NULL LIMIT 1';

export function isForbidden(prepare: Prepare, sha256: Sha256): boolean {
  return prepare(FORBIDDEN).get(sha256) !== undefined;
}
