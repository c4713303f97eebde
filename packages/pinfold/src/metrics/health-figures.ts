import type { Health } from '../health/health.ts';
import type { Figures } from './registry.ts';

const PARTS = ['database', 'storage', 'staging'] as const;

/** Measures what health knows. */
export function healthFigures(figures: Figures, health: Pick<Health, 'report' | 'isReadOnly'>): void {
  const up = figures.gauge(
    { name: 'pinfold_dependency_up', help: 'Whether what the server needs answers.', labels: ['name'] },
    'greatest',
  );
  const difference = figures.gauge(
    {
      name: 'pinfold_clock_difference_seconds',
      help: "How far this machine's clock is ahead of the database's.",
      labels: [],
    },
    'farthest',
  );
  const readOnly = figures.gauge(
    { name: 'pinfold_service_read_only', help: 'Whether the service is read-only.', labels: [] },
    'greatest',
  );
  figures.measure(() => {
    const { parts, clock } = health.report();
    for (const name of PARTS) {
      up.at(name).value = parts[name] === 'ok' || parts[name] === 'slow' ? 1 : 0;
    }
    if (health.isReadOnly !== undefined) readOnly.at().value = health.isReadOnly ? 1 : 0;
    if (clock !== null) difference.at().value = clock;
  });
}
