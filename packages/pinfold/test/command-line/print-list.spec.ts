import type { Refusal } from '@pinfold/core';
import { expect } from 'chai';
import { formatBytes, formatExpiry, printList } from '../../src/command-line/print-list.ts';
import { everyItem } from '../../src/command-line/with-composition.ts';

const toColumns = ({ id }: { readonly id: number }): readonly string[] => [`item ${id}`];

/** Prints a list of five items, which may fail before one of them, and records the order of events. */
async function printItems(options: { json: boolean; limit?: string; failsAt?: number }): Promise<{
  readonly out: string;
  readonly order: readonly string[];
  readonly error: unknown;
}> {
  const order: string[] = [];
  let out = '';
  async function* items(): AsyncGenerator<{ readonly id: number }> {
    for (let id = 1; id <= 5; id += 1) {
      if (id === options.failsAt) throw new Error('the database is away');
      order.push(`read ${id}`);
      yield { id };
    }
  }
  const write = async (text: string): Promise<void> => {
    await Promise.resolve();
    order.push('written');
    out += text;
  };
  const printing = printList(items(), { write }, { member: 'items', toColumns, ...options });
  const error = await printing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { out, order, error };
}

describe('a list that a command prints', () => {
  it('is written item by item, even as JSON, so that a long list needs little memory', async () => {
    for (const json of [true, false]) {
      const { order } = await printItems({ json });
      expect(order.slice(0, 4), String(json)).to.deep.equal(['read 1', 'written', 'read 2', 'written']);
    }
  });

  it('is one JSON document, which may have no items', async () => {
    const { out } = await printItems({ json: true });
    expect(out).to.equal('{"items":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]}\n');
    let empty = '';
    const write = async (text: string): Promise<void> => {
      empty += text;
    };
    await printList((async function* () {})(), { write }, { member: 'items', json: true, toColumns });
    expect(empty).to.equal('{"items":[]}\n');
  });

  it('ends at its limit, and reads no further', async () => {
    const { out, order } = await printItems({ json: true, limit: '2' });
    expect(out).to.equal('{"items":[{"id":1},{"id":2}]}\n');
    expect(order).not.to.include('read 3');
  });

  it('stays an incomplete document if reading fails, and leaves the last line to the failure', async () => {
    const { out, error } = await printItems({ json: true, failsAt: 3 });
    expect(out).to.equal('{"items":[{"id":1},{"id":2}\n');
    expect(error).to.have.property('message', 'the database is away');
    expect((await printItems({ json: true, failsAt: 1 })).out).to.equal('');
  });

  it('refuses a limit that is not a whole number from 1 on, before it prints anything', async () => {
    for (const limit of ['0', '-1', '1.5', 'ten', '', '1e3']) {
      const { out, error } = await printItems({ json: true, limit });
      expect([out, (error as Error).name], limit).to.deep.equal(['', 'UsageError']);
    }
  });
});

describe('text for people', () => {
  it('has sizes in units', () => {
    const sizes = [1, 512, 1_024, 1_009_045, 1_572_864].map(formatBytes);
    expect(sizes).to.deep.equal(['1 byte', '512 bytes', '1 KiB', '985 KiB', '1.5 MiB']);
  });

  it('has expirations in the local time zone, with the remaining time', () => {
    const now = Date.parse('2026-11-22T12:00:00.000Z');
    for (const [expiresAt, remaining] of [
      ['2026-11-29T12:00:00.000Z', 'in 7 days'],
      ['2026-11-23T13:00:00.000Z', 'in 25 hours'],
      ['2026-11-22T13:00:00.000Z', 'in 1 hour'],
      ['2026-11-22T11:00:00.000Z', 'in 0 hours'],
    ] as const) {
      expect(formatExpiry(expiresAt, now))
        .to.match(/^\w{3},? \d{1,2} Nov,? \d\d:\d\d \(/)
        .and.include(`(${remaining})`);
    }
    expect(formatExpiry(null, now)).to.equal('never');
    expect(formatExpiry('soon', now)).to.equal('soon');
  });
});

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
