import { expect } from 'chai';

/** How things that are nearly the same are written, and read by what tells them apart. */
interface Apart<Item> {
  write(item: Item): Promise<unknown>;
  read(item: Item): Promise<unknown>;
  /** What is read of one that was not written; nothing when absent. */
  readonly none?: unknown;
  /** What is read of one that was; the item itself when absent. */
  readonly one?: (item: Item) => unknown;
}

/** Fails unless each item is absent until it is written, and then as it was written, however near others are. */
export async function expectApart<Item>(
  items: readonly Item[],
  { write, read, none, one = (item) => item }: Apart<Item>,
): Promise<void> {
  for (const item of items) {
    expect(await read(item), `before there is ${JSON.stringify(item)}`).to.deep.equal(none);
    await write(item);
  }
  for (const item of items) expect(await read(item), 'among many').to.deep.equal(one(item));
}
