import { escapeControls, jsonLine } from './escape-control-characters.ts';
import type { Terminal } from './terminal.ts';

interface Format<Item> {
  readonly member: string;
  readonly json: boolean;
  readonly factsOf: (item: Item) => readonly string[];
  /** The item of the JSON document; the item itself when absent. */
  readonly toJson?: (item: Item) => object;
}

/** Prints each item as a line as soon as it comes, or all of them as one JSON document. */
export async function printList<Item extends object>(
  items: AsyncIterable<Item>,
  { out }: Terminal,
  { member, json, factsOf, toJson = (item) => item }: Format<Item>,
): Promise<void> {
  const found: object[] = [];
  for await (const item of items) {
    if (json) found.push(toJson(item));
    else out(lineOf(factsOf(item)));
  }
  if (json) out(jsonLine({ [member]: found }));
}

export function lineOf(facts: readonly string[]): string {
  return escapeControls(facts.join('  ').trimEnd());
}
