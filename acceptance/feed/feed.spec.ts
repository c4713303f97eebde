import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accountId, type HistoryEvent, OPERATOR } from '@pinfold/core';
import { createHistory } from '@pinfold/core/history';
import { NodeMachine, RandomIds, SystemClock } from '@pinfold/platform-node';
import { anApiKey, anEvent } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import pg from 'pg';
import { openRecords, type RecordsAddress } from 'pinfold-proof/service/addresses.ts';
import { newPlace } from 'pinfold-proof/service/places.ts';
import { startChild } from '../service/child.ts';
import type { WriterMessage, WriterOrders } from './writer.ts';

const EVENTS = 4_000;
/** Each has two connections. */
const WRITERS = 4;
const ADA = accountId('ada');

describe('The feed of events', () => {
  it('gives each event once and in one order to readers that restart, while writers are killed, on SQLite', async () => {
    const { records, dispose } = await newPlace('sqlite', 'memory');
    try {
      await readWhileWritten(records);
    } finally {
      await dispose();
    }
  });

  it('gives each event once on PostgreSQL too, and those of a writing and a prepared transaction once they are committed', async () => {
    const { records, dispose } = await newPlace('postgres', 'memory');
    if (records.kind !== 'postgres') throw new Error('not on PostgreSQL');
    const [writing, preparing] = [new pg.Client(records.server), new pg.Client(records.server)];
    const [written, prepared] = [anEvent({ account: ADA }), anEvent({ account: ADA })];
    try {
      for (const client of [writing, preparing]) await client.connect();
      await insert(writing, records.schema, written);
      await insert(preparing, records.schema, prepared);
      await preparing.query(`PREPARE TRANSACTION '${prepared.id}'`);
      const end = await readWhileWritten(records);
      await writing.query('COMMIT');
      await preparing.query(`COMMIT PREPARED '${prepared.id}'`);
      const late = new Reader(records, undefined, end);
      await late.readTo((seen) => seen.length === 2);
      expect(late.seen).to.have.members([`${written.id} ada`, `${prepared.id} ada`]);
    } finally {
      await preparing.query(`ROLLBACK PREPARED '${prepared.id}'`).catch(() => undefined);
      await Promise.all([writing.end(), preparing.end()]);
      await dispose();
    }
  });
});

/** Reads the feed while processes write and are killed. Resolves to the cursor after the last event. */
async function readWhileWritten(address: RecordsAddress): Promise<string | undefined> {
  const records = await openRecords(address);
  await records.migrate();
  const answered: string[] = [];
  let started = 0;
  const start = () => {
    started += 1;
    return startWriter({ records: address, first: started * 1_000_000 }, answered);
  };
  const writers = await Promise.all(Array.from({ length: WRITERS }, start));
  try {
    const last = anEvent({ account: ADA });
    const readers = [new Reader(address), new Reader(address), new Reader(address), new Reader(address, ADA)];
    const reading = readers.map((reader) => reader.readTo((seen) => seen.at(-1) === `${last.id} ada`));
    while (answered.length < EVENTS) {
      await pause(20);
      if (answered.length < (EVENTS * (started - WRITERS + 1)) / 6) continue;
      await writers.shift()?.();
      writers.push(await start());
    }
    for (const kill of writers) await kill();
    await records.apiKeys.create(anApiKey(1), [last]);
    await Promise.all(reading);
    const [all = [], second, third, own] = readers.map(({ seen }) => seen);
    expect(second).to.deep.equal(all);
    expect(third).to.deep.equal(all);
    expect(own, 'the feed of one account').to.deep.equal(all.filter((seen) => seen.endsWith(' ada')));
    const ids = new Set(all.map((seen) => seen.split(' ')[0]));
    expect(ids.size, 'each once').to.equal(all.length);
    expect(
      answered.filter((id) => !ids.has(id)),
      'answered, and not in the feed',
    ).to.deep.equal([]);
    for (const { restarts } of readers.slice(0, 3)) expect(restarts).to.be.greaterThan(5);
    return readers[0]?.cursor;
  } finally {
    for (const kill of writers) await kill();
    await records.close();
  }
}

/** Starts a process that writes, and returns a function that kills it. Adds the events of answered changes to `answered`. */
async function startWriter(orders: WriterOrders, answered: string[]): Promise<() => Promise<unknown>> {
  const child = await startChild<WriterMessage>(join(import.meta.dirname, 'writer.ts'), orders);
  const listen = async (): Promise<never> => {
    for (;;) answered.push(...(await child.nextMessage('stored')).ids);
  };
  const ended = listen().catch(() => undefined);
  return () => {
    child.kill();
    return ended;
  };
}

/** Reads from its last cursor, and restarts often, with newly opened records. */
class Reader {
  readonly #address: RecordsAddress;
  readonly #account: string | undefined;
  /** The id and the account of each event. */
  readonly seen: string[] = [];
  cursor: string | undefined;
  restarts = 0;

  constructor(address: RecordsAddress, account?: string, cursor?: string) {
    this.#address = address;
    this.#account = account;
    this.cursor = cursor;
  }

  async readTo(isOver: (seen: readonly string[]) => boolean): Promise<void> {
    for (; !isOver(this.seen); this.restarts += 1) {
      const records = await openRecords(this.#address);
      const host = { clock: new SystemClock(), machine: new NodeMachine(), ids: new RandomIds() };
      const history = createHistory({ ...records, persistence: records, ...host });
      const from = this.cursor === undefined ? {} : { after: this.cursor };
      const of = this.#account === undefined ? {} : { account: this.#account };
      let untilRestart = 1 + Math.floor((Math.random() * EVENTS) / 12);
      for await (const { event, cursor } of history.follow({ by: OPERATOR, ...of, ...from })) {
        this.seen.push(`${event.id} ${event.account}`);
        this.cursor = cursor;
        untilRestart -= 1;
        if (untilRestart === 0 || isOver(this.seen)) break;
      }
      await records.close();
    }
  }
}

/** Inserts an event in a transaction that stays open. */
async function insert(client: pg.Client, schema: string, { id, at, account }: HistoryEvent): Promise<void> {
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO ${pg.escapeIdentifier(schema)}.events (at, id, type, account, actor, as_operator, recorded_at)
    VALUES ($1, $2, 'key.created', $3, '{"kind":"system","id":null}', false, $1)`,
    [at, id, account],
  );
}
