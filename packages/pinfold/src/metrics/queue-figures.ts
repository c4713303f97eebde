import type { Figures } from './registry.ts';

/** Something of which a bounded number run at once and others wait. */
export interface Queue {
  readonly running: number;
  readonly waiting: number;
}

/** What runs and waits in a process. */
export type QueueName = 'publications' | 'hashes' | 'inflations' | 'uploads';

const NAMES: readonly QueueName[] = ['publications', 'hashes', 'inflations', 'uploads'];

/** Measures queues, which are made one after another. */
export class QueueFigures {
  readonly #queues: Map<QueueName, Queue> = new Map();

  constructor(figures: Figures) {
    const help = 'What runs and what waits.';
    const cells = figures.gauge({ name: 'pinfold_queue', help, labels: ['queue', 'state'] });
    figures.measure(() => {
      for (const name of NAMES) {
        const { running, waiting } = this.#queues.get(name) ?? { running: 0, waiting: 0 };
        cells.at(name, 'running').value = running;
        cells.at(name, 'waiting').value = waiting;
      }
    });
  }

  /** Says where a queue is. */
  has(name: QueueName, queue: Queue): void {
    this.#queues.set(name, queue);
  }
}
