import { setTimeout as pause } from 'node:timers/promises';
import { accountId } from '@pinfold/core';
import { anApiKey, anEvent } from '@pinfold/test-contracts/fixtures';
import { openRecords, type RecordsAddress } from 'pinfold-proof/service/addresses.ts';
import { endWithStarter } from '../service/end-with-starter.ts';

/** The orders for a process that stores events until it is killed. */
export interface WriterOrders {
  readonly records: RecordsAddress;
  /** The first number of its API keys: each process has its own range. */
  readonly first: number;
}

/** The events of a change that was answered. */
export interface WriterMessage {
  readonly kind: 'stored';
  readonly ids: readonly string[];
}

const ACCOUNTS = ['ada', 'ben', 'cy'].map((name) => accountId(name));
const EVENTS_PER_CHANGE = 5;

endWithStarter();
const { records, first } = JSON.parse(process.argv[2] ?? '') as WriterOrders;
let last = first;

async function write(): Promise<void> {
  const { apiKeys } = await openRecords(records);
  for (;;) {
    last += 1;
    const [account = accountId('ada')] = ACCOUNTS.slice(last % ACCOUNTS.length);
    const events = Array.from({ length: EVENTS_PER_CHANGE }, () => anEvent({ account }));
    await apiKeys.create(anApiKey(last), events);
    process.send?.({ kind: 'stored', ids: events.map(({ id }) => id) } satisfies WriterMessage);
    // Leaves the processor to other processes.
    await pause(1);
  }
}

// Two connections.
await Promise.all([write(), write()]);
