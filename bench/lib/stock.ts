import { randomUUID } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A database that Pinfold has made, and that a bench fills past it. */
export interface Stocked {
  /** Adds roles of which every other one belongs to the account `default`, and the others to a hundred accounts. */
  addRoles(count: number): Promise<void>;
  /** Adds roles of the account `default` that were deleted two hours ago. */
  addEnded(count: number): Promise<void>;
  /** Adds events, ten for each of so many publications, of which every other one belongs to the account `default`. */
  addEvents(count: number): Promise<void>;
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

/** What one event holds, in the words of both databases. */
export interface StockEvent {
  readonly at: number;
  readonly id: string;
  readonly account: string;
  readonly pin: string;
  readonly actor: string;
}

/** The publication that ten events are of. */
export function pinOfEvents(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Events of the last weeks, one every second or so until now. */
export function* eventRows(count: number): Generator<StockEvent, void> {
  const now = Date.now();
  const actor = JSON.stringify({ kind: 'key', id: '4fJ2kQ9xTzA' });
  for (let n = 0; n < count; n += 1) {
    const of = Math.floor(n / 10);
    const account = of % 2 === 0 ? 'default' : `account-${of % 100}`;
    yield { at: now - n * 1_000, id: randomUUID(), account, pin: pinOfEvents(of), actor };
  }
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
