import type { Refusal } from '@pinfold/core';
import { expect } from 'chai';
import { everyItem } from '../../src/command-line/with-composition.ts';

type Page = { readonly kind: 'page'; readonly items: readonly number[]; readonly next: string | undefined };

const PAGES: Readonly<Record<string, Page | Refusal>> = {
  first: { kind: 'page', items: [1, 2], next: 'second' },
  second: { kind: 'page', items: [], next: 'third' },
  third: { kind: 'page', items: [3], next: undefined },
  'before refused': { kind: 'page', items: [1], next: 'refused' },
  refused: { kind: 'refused', code: 'invalid_cursor' },
};

async function read(first: string): Promise<readonly number[]> {
  const readPage = async ({ cursor = first }: { readonly cursor?: string }) => {
    const found = PAGES[cursor];
    if (found === undefined) throw new Error(`no page ${cursor}`);
    return found;
  };
  const items: number[] = [];
  for await (const item of everyItem(readPage, ({ items: some }: Page) => some)) items.push(item);
  return items;
}

describe('a list that a command reads', () => {
  it('is read to its end', async () => {
    expect(await read('first')).to.deep.equal([1, 2, 3]);
  });

  it('fails when a page of it is refused', async () => {
    const failure = await read('before refused').catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message').that.includes('invalid_cursor');
  });
});
