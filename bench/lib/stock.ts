import { randomUUID } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A database that Pinfold has made, and that a bench fills past it. */
export interface Stocked {
  /** Adds roles of which every other one belongs to the account `default`, and the others to a hundred accounts. */
  addRoles(count: number): Promise<void>;
  /** Adds roles of the account `default` that were deleted two hours ago. */
  addEnded(count: number): Promise<void>;
  /** Some published roles of the account `default`, at random. */
  sample(count: number): Promise<readonly SampledRole[]>;
  /** The roles that ended and whose archive is to be removed. */
  ended(): Promise<readonly SampledRole[]>;
  close(): Promise<void>;
}

/** A role with the archive that its record names. */
export interface SampledRole {
  readonly id: string;
  readonly archive: string;
}

/** What the columns of one role hold, in the words of both databases. */
export interface StockRow {
  readonly id: string;
  readonly account: string;
  readonly archive: string;
  readonly key: string;
  readonly title: string;
  readonly publishedAt: number;
  readonly expiresAt: number;
  readonly deletedAt: number | null;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Roles that live for years, published one every tenth of a second until now. */
export function* liveRows(count: number): Generator<StockRow, void> {
  const now = Date.now();
  for (let n = 0; n < count; n += 1) {
    const account = n % 2 === 0 ? 'default' : `account-${n % 100}`;
    yield rowOf(account, `Site ${n}`, now - n * 100, null);
  }
}

/** Roles that were deleted two hours ago. */
export function* endedRows(count: number): Generator<StockRow, void> {
  const now = Date.now();
  for (let n = 0; n < count; n += 1) yield rowOf('default', `Ended ${n}`, now - DAY + n, now - 2 * HOUR);
}

function rowOf(account: string, title: string, publishedAt: number, deletedAt: number | null): StockRow {
  const archive = `${publishedAt}-${randomUUID()}`;
  const expiresAt = publishedAt + 1_000 * DAY;
  return { id: randomUUID(), account, archive, key: randomUUID(), title, publishedAt, expiresAt, deletedAt };
}

/** Gives roles an archive of their own in a folder of archives: a copy of one that is there. */
export async function copyArchive(
  folder: string,
  original: string,
  roles: readonly SampledRole[],
): Promise<void> {
  for (const { archive } of roles) {
    const file = archiveFile(folder, archive);
    await mkdir(dirname(file), { recursive: true });
    await copyFile(original, file);
  }
}

/** Where `@pinfold/storage-fs` keeps an archive. */
export function archiveFile(folder: string, archive: string): string {
  return join(folder, archive.slice(0, 4), archive.slice(4, 7), archive);
}
