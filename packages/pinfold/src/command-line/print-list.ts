import { jsonLine } from './escape-control-characters.ts';
import type { Terminal } from './terminal.ts';

/** How the items of a list are printed. */
interface Format<Item> {
  /** The member of the JSON document. */
  readonly member: string;
  readonly json: boolean;
  readonly toLine: (item: Item) => string;
  /** The item of the JSON document; the item itself when absent. */
  readonly toJson?: (item: Item) => object;
}

/** Prints each item as a line as soon as it comes, or all of them as one JSON document. */
export async function printList<Item extends object>(
  items: AsyncIterable<Item>,
  { out }: Terminal,
  { member, json, toLine, toJson = (item) => item }: Format<Item>,
): Promise<void> {
  const found: object[] = [];
  for await (const item of items) {
    if (json) found.push(toJson(item));
    else out(toLine(item));
  }
  if (json) out(jsonLine({ [member]: found }));
}
