import { readingEndpoint } from '../endpoint.ts';
import { limitsAnswer, limitsAnswerOf, wireLimits } from '../wire/limits.ts';

const EXAMPLE = {
  rates: {
    requests: { limit: 6_000, window_seconds: 60, remaining: 5_999 },
    publications: { limit: 600, window_seconds: 3_600, remaining: 598 },
  },
  quotas: { sites: { limit: 200, used: 12 }, bytes: { limit: 1_073_741_824, used: 34_603_008 } },
};
const UNBOUNDED = { rates: { requests: null, publications: null }, quotas: { sites: null, bytes: null } };

export const readLimits = readingEndpoint({
  method: 'GET',
  path: '/api/v1/limits',
  id: 'readLimits',
  summary: 'Read the limits in force, and what is left of rates and quotas',
  answers: ({ limits }) => ({
    200: {
      description: 'The limits.',
      schema: limitsAnswer,
      examples: {
        limits: { limits: wireLimits(limits), ...EXAMPLE },
        unbounded: { limits: wireLimits(limits), ...UNBOUNDED },
      },
    },
  }),
  handle: async ({ useCases, requestLimiter }, { caller, account, requestRate }) => {
    const now = useCases.clock.now();
    const left = requestRate && requestLimiter.accounts.left(caller.account, requestRate, now);
    return { status: 200, json: await limitsAnswerOf(useCases, caller.account, account, left) };
  },
});
