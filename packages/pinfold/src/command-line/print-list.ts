import type { Pin } from '@pinfold/client';
import type { RoleState } from '@pinfold/core';
import { type ValueOption, valueOption } from './command.ts';
import { UsageError } from './failures.ts';
import { escapeControls, formatJsonLine, type Terminal } from './terminal.ts';

export interface ListFormat<Item> {
  readonly member: string;
  readonly json: boolean;
  /** The value of `--limit`. */
  readonly limit?: string | undefined;
  readonly toColumns: (item: Item) => readonly string[];
  /** Converts an item for the JSON document. Default: the item itself. */
  readonly toJson?: (item: Item) => object;
}

export const LIST_OPTIONS: Readonly<Record<'limit', ValueOption>> = {
  limit: valueOption('N', 'at most the first N', readLimit),
};

/**
 * Prints each item as soon as it is read, as a line or as a part of one JSON document, so that a list of any length
 * needs little memory. If reading fails, the document stays incomplete, so that it does not look complete.
 */
export async function printList<Item extends object>(
  items: AsyncIterable<Item>,
  { write }: Pick<Terminal, 'write'>,
  { member, json, limit, toColumns, toJson = (item) => item }: ListFormat<Item>,
): Promise<void> {
  const listed = takeFirst(items, readLimit(limit));
  if (!json) {
    for await (const item of listed) await write(`${formatLine(toColumns(item))}\n`);
    return;
  }
  let prefix = `{${formatJsonLine(member)}:[`;
  try {
    for await (const item of listed) {
      await write(`${prefix}${formatJsonLine(toJson(item))}`);
      prefix = ',';
    }
  } catch (error) {
    // The failure is printed in a line of its own.
    if (prefix === ',') await write('\n');
    throw error;
  }
  await write(`${prefix === ',' ? '' : prefix}]}\n`);
}

export function formatLine(facts: readonly string[]): string {
  return escapeControls(facts.join('  ').trimEnd());
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError('--limit must be a whole number from 1 on');
  return Number(text);
}

async function* takeFirst<Item>(items: AsyncIterable<Item>, limit: number): AsyncGenerator<Item> {
  let remaining = limit;
  for await (const item of items) {
    yield item;
    remaining -= 1;
    if (remaining === 0) return;
  }
}

/** Formats a count: `1 archive`, `2 archives`. */
export function pluralize(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** Formats a size: `512 bytes`, `985 KiB`, `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return pluralize(bytes, 'byte');
  const kibibytes = bytes / 1_024;
  return kibibytes < 1_024 ? `${Math.round(kibibytes)} KiB` : `${(kibibytes / 1_024).toFixed(1)} MiB`;
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** Formats an expiration in the local time zone: `Sun 29 Nov, 22:52 (in 7 days)`. */
export function formatExpiry(expiresAt: string | null, now: number): string {
  if (expiresAt === null) return 'never';
  const at = Date.parse(expiresAt);
  if (Number.isNaN(at)) return expiresAt;
  const hours = Math.max(0, Math.round((at - now) / HOUR_MS));
  const span = hours < 2 * DAY_HOURS ? pluralize(hours, 'hour') : `${Math.round(hours / DAY_HOURS)} days`;
  // The format of `toString` is fixed by ECMAScript, and Intl would take 12 ms to load.
  const [weekday, month, day, , time] = new Date(at).toString().split(' ');
  return `${weekday} ${Number(day)} ${month}, ${time?.slice(0, 5)} (in ${span})`;
}

export type Fact = readonly [name: string, value: string];

export function listPinFacts(pin: Pin): readonly Fact[] {
  return [
    ['link', pin.shared_url],
    ['title', pin.title ?? '-'],
    ['state', formatState(pin.state)],
    ['published', pin.published_at],
    pin.deleted_at === null ? ['expires', pin.expires_at ?? 'never'] : ['stopped', pin.deleted_at],
    ['password', pin.password_protected ? 'yes' : 'no'],
    ['files', `${pin.file_count}, ${formatBytes(pin.size)}`],
    ['from', pin.original_filename ?? '-'],
  ];
}

export function formatFacts(facts: readonly Fact[]): readonly string[] {
  return facts.map(([name, value]) => `${name.padEnd(11)}${value}`);
}

export function formatState(state: RoleState): string {
  return state === 'deleted' ? 'stopped' : state;
}
