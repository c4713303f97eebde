import { type HostileServer, startHostileServer } from '../lib/hostile-server.ts';
import type { Row } from '../lib/report.ts';

/** Starts a server of the measured checkout, with more settings. It ends with the round, or before. */
export type Start = (settings?: Readonly<Record<string, string>>) => Promise<HostileServer>;

/** A hostile load, which any checkout of Pinfold can be put under. */
export interface HostileLoad {
  /** The maximum of measurements: a long one is not repeated. */
  readonly rounds: number;
  /** Puts servers of the checkout under it once. It ends by itself, however long a server would continue. */
  measure(start: Start): Promise<readonly Finding[]>;
}

/** One figure of one round. */
export type Finding = Pick<Row, 'what' | 'figure' | 'unit' | 'goal'>;

/** A result: its name, value and unit, and its maximum. */
type Figure = readonly [name: string, figure: number, unit: string, atMost?: number];

/** The results of one load; one without a name is that of the load itself. */
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
