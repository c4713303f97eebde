import { type HostileServer, startHostileServer } from '../lib/hostile-server.ts';
import type { Row } from '../lib/report.ts';

/** Starts a server of the checkout that is measured, with more settings. It ends with the round, or before. */
export type Start = (settings?: Readonly<Record<string, string>>) => Promise<HostileServer>;

/** A hostile load, which any checkout of Pinfold can be put under. */
export interface HostileLoad {
  /** How often it is measured, at most: one that took long is not repeated. */
  readonly rounds: number;
  /** Puts servers of the checkout under it once. It ends by itself, however long a server would go on. */
  measure(start: Start): Promise<readonly Finding[]>;
}

/** One figure of one round. */
export type Finding = Pick<Row, 'what' | 'figure' | 'unit' | 'goal'>;

/** A figure: its name, value and unit, and the most that it may be. */
type Figure = readonly [name: string, figure: number, unit: string, atMost?: number];

/** The figures of one load; one without a name is the load's own. */
export function findings(what: string, ...figures: readonly Figure[]): readonly Finding[] {
  return figures.map(([name, figure, unit, atMost]) => ({
    what: name === '' ? what : `${what}: ${name}`,
    figure,
    unit,
    ...(atMost === undefined ? {} : { goal: { atMost } }),
  }));
}

/** Puts servers of a checkout under a load once, and ends them. */
export async function measureOnce(load: HostileLoad, checkout: string): Promise<readonly Finding[]> {
  const started: HostileServer[] = [];
  try {
    return await load.measure(async (settings) => {
      const server = await startHostileServer(checkout, settings);
      started.push(server);
      return server;
    });
  } finally {
    for (const server of started) await server.end();
  }
}
