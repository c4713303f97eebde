import type { Account, AccountId, AccountUse, Instant } from '@pinfold/core';
import { before, days } from '@pinfold/core';
import { FIRST_GENERATION, NO_LIMITS } from '@pinfold/core/adapter';
import { type Prepare, recordsOf } from '../engine/sqlite-file.ts';
import { ACCOUNTS } from '../schema/columns.ts';

const MAKE = `
  INSERT INTO accounts (name, version, limits, blocked, generation)
  VALUES (?, 1, '${JSON.stringify(NO_LIMITS)}', 'null', ${FIRST_GENERATION}) ON CONFLICT (name) DO NOTHING`;

const FIND = `SELECT ${ACCOUNTS.select} FROM accounts WHERE name = ?`;

const NOTE = 'UPDATE accounts SET publications_mark = ?, last_published_at = ? WHERE name = ?';

/** Roles that do not end, and roles that end later, are separate parts of the index, so each is counted by itself. */
const OF_SERVICE = `
  FROM roles INDEXED BY roles_in_service
  WHERE account = @name AND deleted_at IS NULL AND expires_at`;
const IN_SERVICE = `
  SELECT count(*) AS sites, coalesce(sum(archive_bytes), 0) AS bytes FROM (
    SELECT archive_bytes ${OF_SERVICE} IS NULL
    UNION ALL SELECT archive_bytes ${OF_SERVICE} > @now
  )`;

const PUBLISHED_SINCE = `
  SELECT (
    SELECT count(*) FROM roles WHERE account = @name AND deleted_at IS NULL AND published_at > @since
  ) + (
    SELECT count(*) FROM roles WHERE account = @name AND deleted_at IS NOT NULL AND published_at > @since
  ) AS publications`;

export function makeAccount(prepare: Prepare, name: AccountId): void {
  prepare(MAKE).run(name);
}

export function findAccount(prepare: Prepare, name: AccountId): Account | undefined {
  return recordsOf(prepare, ACCOUNTS, FIND, name)[0];
}

/** Writes what a publication changes of its account. */
export function noteAccount(
  prepare: Prepare,
  name: AccountId,
  { publicationsMark, lastPublishedAt }: Pick<Account, 'publicationsMark' | 'lastPublishedAt'>,
): void {
  prepare(NOTE).run(publicationsMark, lastPublishedAt, name);
}

export function countInService(
  prepare: Prepare,
  name: AccountId,
  now: Instant,
): Pick<AccountUse, 'sites' | 'bytes'> {
  return prepare<Pick<AccountUse, 'sites' | 'bytes'>>(IN_SERVICE).get({ name, now }) as AccountUse;
}

export function countPublished(prepare: Prepare, name: AccountId, now: Instant): number {
  const since = before(now, days(1));
  return prepare<{ publications: number }>(PUBLISHED_SINCE).get({ name, since })?.publications ?? 0;
}
