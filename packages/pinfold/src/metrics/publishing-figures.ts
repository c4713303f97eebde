import type { Measurement, UseCases } from '@pinfold/core';
import { isFault } from '@pinfold/core';
import type { BusiestAccount } from './busiest-account.ts';
import type { Figures, Histogram, Series, SeriesSet } from './registry.ts';

/** Counts publications, and tries of passwords. */
export class PublishingFigures {
  readonly #publications: SeriesSet<Series>;
  readonly #problems: SeriesSet<Series>;
  readonly #stages: SeriesSet<Histogram>;
  readonly #tries: SeriesSet<Series>;
  readonly #busiest: BusiestAccount;
  #begun = 0;

  constructor(figures: Figures, busiest: BusiestAccount) {
    this.#busiest = busiest;
    this.#publications = figures.counter({
      name: 'pinfold_publications_total',
      help: 'Publications whose archive was received, by what became of them.',
      labels: ['outcome'],
    });
    this.#problems = figures.counter({
      name: 'pinfold_archive_problems_total',
      help: 'Rules that archives broke.',
      labels: ['rule'],
    });
    this.#stages = figures.histogram({
      name: 'pinfold_publish_stage_seconds',
      help: 'How long the stages of publications took that ended well.',
      labels: ['stage'],
    });
    this.#tries = figures.counter({
      name: 'pinfold_password_tries_total',
      help: 'Tries of passwords of sites, by how they ended.',
      labels: ['outcome'],
    });
    for (const outcome of ['published', 'replayed']) this.#publications.at(outcome);
    for (const stage of ['prove', 'store', 'commit']) this.#stages.at(stage);
    for (const outcome of ['granted', 'wrong', 'limited', 'busy']) this.#tries.at(outcome);
  }

  /** Publications and checks whose archive was received, and that have not come to their end. */
  get begun(): number {
    return this.#begun;
  }

  /** Takes the core's measurements. */
  readonly observe = (figure: Measurement): void => {
    if (figure.kind === 'stage') this.#stages.at(figure.stage).observe(figure.took / 1_000);
    else if (figure.kind === 'try') this.#tries.at(figure.outcome).value += 1;
  };

  /** The use cases, with publications counted as they end. */
  counting<Cases extends UseCases>(useCases: Cases): Cases {
    return {
      ...useCases,
      publish: async (request) => {
        const outcome = await this.#counted(() => useCases.publish(request));
        this.#publications.at('code' in outcome ? outcome.code : outcome.kind).value += 1;
        if (outcome.kind === 'published') this.#busiest.count(request.by);
        if (outcome.kind === 'refused' && outcome.code === 'invalid_archive') {
          for (const { rule } of outcome.problems) this.#problems.at(rule).value += 1;
        }
        return outcome;
      },
      check: (request) => this.#counted(() => useCases.check(request)),
    };
  }

  async #counted<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    this.#begun += 1;
    try {
      return await work();
    } catch (error) {
      this.#publications.at(isFault(error) ? error.code : 'internal_error').value += 1;
      throw error;
    } finally {
      this.#begun -= 1;
    }
  }
}
