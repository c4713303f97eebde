import type { Figures } from './registry.ts';

/** Connections to a database, which those who need one share. */
export interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  /** Calls that wait for a connection. */
  readonly waitingCount: number;
  readonly max: number;
}

/** Measures connections. A database that has none has no figures. */
export function poolFigures(figures: Figures, pool: Pool): void {
  const connections = figures.gauge({
    name: 'pinfold_pool_connections',
    help: 'Connections to the database.',
    labels: ['state'],
  });
  const waiting = figures
    .gauge({ name: 'pinfold_pool_waiting', help: 'Calls that wait for a connection to the database.' })
    .at();
  const most = figures
    .gauge({ name: 'pinfold_pool_connections_limit', help: 'Connections that this node may have.' })
    .at();
  most.value = pool.max;
  figures.measure(() => {
    connections.at('busy').value = pool.totalCount - pool.idleCount;
    connections.at('idle').value = pool.idleCount;
    waiting.value = pool.waitingCount;
  });
}
