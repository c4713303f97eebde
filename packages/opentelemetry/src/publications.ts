import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { Measurement } from '@pinfold/core';

/** Takes the core's measurements. */
export class Publications {
  readonly #publications: Counter;
  readonly #tries: Counter;
  readonly #stages: Histogram;
  readonly #sweeps: Histogram;
  readonly #sessionsEnded: Counter;

  constructor(meter: Meter) {
    this.#publications = meter.createCounter('pinfold.publications', {
      description: 'Publications, by what became of them.',
      unit: '{publication}',
    });
    this.#tries = meter.createCounter('pinfold.password.tries', {
      description: 'Tries of passwords of sites, by how they ended.',
      unit: '{try}',
    });
    this.#stages = meter.createHistogram('pinfold.publish.stage.duration', {
      description: 'How long the stages of publications took that ended well.',
      unit: 's',
    });
    this.#sessionsEnded = meter.createCounter('pinfold.sessions.ended', {
      description: 'Sessions that ended for another to begin.',
      unit: '{session}',
    });
    this.#sweeps = meter.createHistogram('pinfold.sweep.duration', {
      description: 'How long sweeps took.',
      unit: 's',
    });
  }

  observe(figure: Measurement): void {
    switch (figure.kind) {
      case 'publish':
        this.#publications.add(1, { 'pinfold.outcome': figure.outcome });
        break;
      case 'try':
        this.#tries.add(1, { 'pinfold.outcome': figure.outcome });
        break;
      case 'stage':
        this.#stages.record(figure.took / 1_000, { 'pinfold.stage': figure.stage });
        break;
      case 'sweep':
        this.#sweeps.record(figure.took / 1_000);
        break;
      case 'sessions_ended':
        this.#sessionsEnded.add(figure.count, { 'pinfold.reason': figure.reason });
        break;
      default:
        figure satisfies never;
    }
  }
}
