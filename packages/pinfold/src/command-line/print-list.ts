import { type Text, text } from './command.ts';
import { escapeControls, jsonLine } from './escape-control-characters.ts';
import { UsageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

interface Format<Item> {
  readonly member: string;
  readonly json: boolean;
  /** The value of `--limit`. */
  readonly limit?: string | undefined;
  readonly factsOf: (item: Item) => readonly string[];
  /** The item of the JSON document; the item itself when absent. */
  readonly toJson?: (item: Item) => object;
}

export const LIST_OPTIONS: Readonly<Record<'limit', Text>> = {
  limit: text('N', 'at most the first N', readLimit),
};

/**
 * Prints each item as soon as it comes, as a line or as a part of one JSON document, so that a list of any length needs
 * little memory. If reading fails, the document stays incomplete: what was printed until then must not pass for the
 * whole.
 */
export async function printList<Item extends object>(
  items: AsyncIterable<Item>,
  { write }: Pick<Terminal, 'write'>,
  { member, json, limit, factsOf, toJson = (item) => item }: Format<Item>,
): Promise<void> {
  const listed = first(items, readLimit(limit));
  if (!json) {
    for await (const item of listed) await write(`${lineOf(factsOf(item))}\n`);
    return;
  }
  let before = `{${jsonLine(member)}:[`;
  try {
    for await (const item of listed) {
      await write(`${before}${jsonLine(toJson(item))}`);
      before = ',';
    }
  } catch (error) {
    // The failure has a line of its own.
    if (before === ',') await write('\n');
    throw error;
  }
  await write(`${before === ',' ? '' : before}]}\n`);
}

export function lineOf(facts: readonly string[]): string {
  return escapeControls(facts.join('  ').trimEnd());
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError('--limit must be a whole number from 1 on');
  return Number(text);
}

async function* first<Item>(items: AsyncIterable<Item>, limit: number): AsyncGenerator<Item> {
  let missing = limit;
  for await (const item of items) {
    yield item;
    missing -= 1;
    if (missing === 0) return;
  }
}
