import { randomUUID } from 'node:crypto';
import type { Row } from '../lib/report.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { pinOfEvents } from '../lib/stock.ts';
import type { Ground } from './growth-ground.ts';
import { post } from './uploads.ts';

/** Events beside the same 1,000 roles. */
const FEW_EVENTS = 1_000;
const MANY_EVENTS = 1_000_000;
const ROUNDS = 7;

/** How a request is repeated in one round: its figure is the middle one, in milliseconds. */
const REPEATED: Readonly<
  Record<
    string,
    { readonly times: number; readonly ask: (ground: Ground, n: number, events: number) => Promise<number> }
  >
> = {
  'a page of an account’s history': { times: 100, ask: ({ server }) => server.events('') },
  'the history of a publication': {
    times: 100,
    ask: ({ server }, n, events) => server.events(`?pin=${pinOfEvents((n * 7_919) % (events / 10))}`),
  },
  'the page History of the screen': { times: 40, ask: ({ server }) => server.manage('history') },
  'rename a role, with its event': {
    times: 100,
    ask: ({ server, next }) => server.rename(next().id, randomUUID()),
  },
  'publish a small site, with its event': { times: 20, ask: ({ server, archive }) => post(server, archive) },
};

/** What 1,000,000 events cost in place of 1,000, beside the same roles. */
export async function historyRows(database: string, few: Ground, many: Ground): Promise<readonly Row[]> {
  await few.stock.addEvents(FEW_EVENTS);
  await many.stock.addEvents(MANY_EVENTS);
  const rows: Row[] = [];
  for (const [what, { times, ask }] of Object.entries(REPEATED)) {
    const middle = async (ground: Ground, events: number): Promise<number> => {
      const taken: number[] = [];
      for (let n = 0; n < times; n += 1) taken.push(await ask(ground, n, events));
      return median(taken);
    };
    const candidates = {
      '1,000': () => middle(few, FEW_EVENTS),
      '1,000,000': () => middle(many, MANY_EVENTS),
    };
    for (const warm of Object.values(candidates)) await warm();
    const values = await inRounds(candidates, ROUNDS);
    const figure = median(values['1,000,000']) / median(values['1,000']);
    rows.push({
      what: `${database}: ${what}`,
      figure,
      unit: '× 1,000 events',
      goal: { atMost: 1.5 },
      values,
    });
  }
  return rows;
}
