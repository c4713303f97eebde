import type { Health } from '../health/health.ts';
import type { Figures } from './figures.ts';

const PARTS = ['database', 'storage', 'staging'] as const;

/** Measures what health knows. */
export function healthFigures(figures: Figures, health: Pick<Health, 'report'>): void {
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
  figures.measure(() => {
    const { parts, clock } = health.report();
    for (const name of PARTS) {
      up.at(name).value = parts[name] === 'unavailable' || parts[name] === 'full' ? 0 : 1;
    }
    if (clock !== null) difference.at().value = clock;
  });
}
