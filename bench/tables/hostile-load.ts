import type { Row } from '../lib/report.ts';

/** A hostile load, which any checkout of Pinfold can be put under. */
export interface HostileLoad {
  /** How often it is measured, at most: one that took long is not repeated. */
  readonly rounds: number;
  /** Puts a server of the checkout under it once. It ends by itself, however long the server would go on. */
  measure(checkout: string): Promise<readonly Finding[]>;
}

/** One figure of one round. */
export type Finding = Pick<Row, 'what' | 'figure' | 'unit' | 'goal'>;
