import {
  isFault,
  type Observe,
  type PublishOutcome,
  type PublishRequest,
  type UseCases,
} from '@pinfold/core';
import type { Registry } from './registry.ts';

interface PublishingMetrics {
  readonly observe: Observe;
  /** Publications and dry runs that are in progress, after their archive was received. */
  inProgress(): number;
  countCalls<Cases extends UseCases>(useCases: Cases): Cases;
}

export function createPublishingMetrics(registry: Registry): PublishingMetrics {
  const publications = registry.counter(
    'pinfold_publications_total',
    'Publications whose archive was received, by outcome.',
    ['outcome'],
  );
  const problems = registry.counter('pinfold_archive_problems_total', 'Rules that archives broke.', ['rule']);
  const stages = registry.histogram(
    'pinfold_publish_stage_seconds',
    'Duration of the stages of successful publications.',
    ['stage'],
  );
  const tries = registry.counter('pinfold_password_tries_total', 'Password tries for sites, by outcome.', [
    'outcome',
  ]);
  for (const outcome of ['published', 'replayed']) publications.at(outcome);
  for (const stage of ['prove', 'store', 'commit']) stages.at(stage);
  for (const outcome of ['granted', 'wrong', 'limited', 'busy']) tries.at(outcome);
  const countAccount = measureBusiestAccount(registry);
  let inProgress = 0;

  async function run<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    inProgress += 1;
    try {
      return await work();
    } finally {
      inProgress -= 1;
    }
  }

  async function publish(useCases: UseCases, request: PublishRequest): Promise<PublishOutcome> {
    try {
      const outcome = await useCases.publish(request);
      publications.at('code' in outcome ? outcome.code : outcome.kind).value += 1;
      return outcome;
    } catch (error) {
      publications.at(isFault(error) ? error.code : 'internal_error').value += 1;
      throw error;
    }
  }

  return {
    inProgress: () => inProgress,
    observe: (measurement) => {
      if (measurement.kind === 'stage') stages.at(measurement.stage).observe(measurement.took / 1_000);
      else if (measurement.kind === 'try') tries.at(measurement.outcome).value += 1;
    },
    countCalls: (useCases) => ({
      ...useCases,
      publish: async (request) => {
        const outcome = await run(() => publish(useCases, request));
        if (outcome.kind === 'published') countAccount(request.by);
        if (outcome.kind === 'refused' && outcome.code === 'invalid_archive') {
          for (const { rule } of outcome.problems) problems.at(rule).value += 1;
        }
        return outcome;
      },
      check: (request) => run(() => useCases.check(request)),
    }),
  };
}

/** The maximum number of accounts to count in half an hour; later ones are not counted. */
const MAX_ACCOUNTS = 10_000;

const HALF_HOUR = 30 * 60_000;

/** Measures the publications of the busiest account, without naming it. Returns a function that counts one. */
export function measureBusiestAccount(
  registry: Registry,
  now: () => number = () => performance.now(),
): (account: string) => void {
  let [previous, counts] = [new Map<string, number>(), new Map<string, number>()];
  let since = now();
  const rotate = (): void => {
    const elapsed = now() - since;
    if (elapsed < HALF_HOUR) return;
    previous = elapsed < 2 * HALF_HOUR ? counts : new Map();
    counts = new Map();
    since = now();
  };
  const help = 'Publications of the busiest account, in the last half hour to hour.';
  const gauge = registry.gauge('pinfold_busiest_account_publications', help, [], 'max').at();
  registry.beforeSnapshot(() => {
    rotate();
    const accounts = [...previous.keys(), ...counts.keys()];
    const countOf = (account: string): number => (previous.get(account) ?? 0) + (counts.get(account) ?? 0);
    gauge.value = accounts.reduce((max, account) => Math.max(max, countOf(account)), 0);
  });
  return (account) => {
    rotate();
    const count = counts.get(account);
    if (count !== undefined || counts.size < MAX_ACCOUNTS) counts.set(account, (count ?? 0) + 1);
  };
}
