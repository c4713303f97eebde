import { hours } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/internal';
import { sharedUrl } from '@pinfold/http';
import { englishOf, REFUSAL_TEXTS } from '@pinfold/http/internal/texts';
import { writingEndpoint } from '../endpoint.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { refusedBy } from '../problems/problem-details.ts';
import { emptyBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { pinId } from './path-parameters.ts';

const grantAnswer = T.named('GrantAnswer', () =>
  T.object({
    grant: T.object({
      url: T.string({
        pattern: '^https?://',
        description:
          'Opens the site without a password for one minute, for anyone who has it. The shared URL itself if the site has no password.',
      }),
      expires_at: T.instant(),
    }),
  }),
);

export const createGrant = writingEndpoint({
  method: 'POST',
  path: '/api/v1/pins/{id}/grants',
  id: 'createGrant',
  summary: 'Open a protected site without its password',
  description:
    'Creates the URL that the right password would create: it opens the site for one minute. `expires_at` is the end of the ' +
    'viewing grant that it becomes. A new password, a renewal and a stop end it at once. It also works while the service ' +
    'is read-only.',
  needs: 'grants',
  inReadOnly: true,
  parameter: pinId,
  body: emptyBody('NewGrant'),
  codes: ['invalid_state'],
  answers: ({ publicUrl, limits: { grantLifetime } }) => {
    const example = (address: string) => ({
      grant: { url: `${address}?grant=eyJ4IjoxfQ.c2lnbmVk`, expires_at: '2026-11-20T21:30:00.000Z' },
    });
    return {
      201: {
        description: `The grant. Viewing ends after ${grantLifetime / hours(1)} hours, or with the publication.`,
        schema: grantAnswer,
        examples: {
          site_on_its_own_host: example(`https://${pinId.example}.sites.example/.pinfold:enter`),
          site_below_the_shared_url: example(sharedUrl(publicUrl, pinId.example as never)),
        },
      },
    };
  },
  handle: async (service, { caller, cause, credential, signal }, { pathValue: id }) => {
    if (service.createGrant === undefined) return refuseRequest('not_found');
    const outcome = await service.createGrant({ by: caller.account, id, cause, credential, signal });
    if (outcome.kind === 'created') {
      const { url, expiresAt } = outcome;
      return { status: 201, json: { grant: { url, expires_at: toRfc3339(expiresAt) } } };
    }
    return outcome.code === 'forbidden' ? refuseWhereTeamDecides() : refusedBy(outcome, 'open');
  },
});

/** The refusal if the embedding team decides who may view sites: then an API key opens none. */
export function refuseWhereTeamDecides(): AnyRefusal {
  return refuseRequest('forbidden', {
    title: 'This service decides who may look',
    detail: englishOf(REFUSAL_TEXTS.forbidden_viewing),
    advice: 'Open the shared URL and sign in there',
  });
}
