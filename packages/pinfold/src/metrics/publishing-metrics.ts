import { isFault, type Observe, type UseCases } from '@pinfold/core';
import { busiestAccount } from './busiest-account.ts';
import type { Registry } from './registry.ts';

export interface PublishingMetrics {
  readonly observe: Observe;
  /** Publications and checks whose archive was received, and that have not come to their end. */
  begun(): number;
  counting<Cases extends UseCases>(useCases: Cases): Cases;
}

export function publishingMetrics(registry: Registry): PublishingMetrics {
  const publications = registry.counter(
    'pinfold_publications_total',
    'Publications whose archive was received, by what became of them.',
    ['outcome'],
  );
  const problems = registry.counter('pinfold_archive_problems_total', 'Rules that archives broke.', ['rule']);
  const stages = registry.histogram(
    'pinfold_publish_stage_seconds',
    'How long the stages of publications took that ended well.',
    ['stage'],
  );
  const tries = registry.counter(
    'pinfold_password_tries_total',
    'Tries of passwords of sites, by how they ended.',
    ['outcome'],
  );
  for (const outcome of ['published', 'replayed']) publications.at(outcome);
  for (const stage of ['prove', 'store', 'commit']) stages.at(stage);
  for (const outcome of ['granted', 'wrong', 'limited', 'busy']) tries.at(outcome);
  const countAccount = busiestAccount(registry);
  let begun = 0;

  async function counted<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    begun += 1;
    try {
      return await work();
    } catch (error) {
      publications.at(isFault(error) ? error.code : 'internal_error').value += 1;
      throw error;
    } finally {
      begun -= 1;
    }
  }

  return {
    begun: () => begun,
    observe: (measurement) => {
      if (measurement.kind === 'stage') stages.at(measurement.stage).observe(measurement.took / 1_000);
      else if (measurement.kind === 'try') tries.at(measurement.outcome).value += 1;
    },
    counting: (useCases) => ({
      ...useCases,
      publish: async (request) => {
        const outcome = await counted(() => useCases.publish(request));
        publications.at('code' in outcome ? outcome.code : outcome.kind).value += 1;
        if (outcome.kind === 'published') countAccount(request.by);
        if (outcome.kind === 'refused' && outcome.code === 'invalid_archive') {
          for (const { rule } of outcome.problems) problems.at(rule).value += 1;
        }
        return outcome;
      },
      check: (request) => counted(() => useCases.check(request)),
    }),
  };
}
