import { operatorEndpoint } from '../endpoint.ts';
import { jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { oneAnswer, operatorText } from '../wire/members.ts';
import { SERVICE, serviceOf, type WireService } from '../wire/service.ts';

const serviceAnswer = T.named('ServiceAnswer', () => T.object({ service: T.object(SERVICE) }));
const EXAMPLE: WireService = { mode: 'read_only', message: 'Back at noon, when the database has moved.' };

export const readService = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/service',
  id: 'readService',
  summary: 'Read how the service runs',
  answers: () => oneAnswer('How it runs.', 'service', serviceAnswer, EXAMPLE),
  handle: async (_service, { administration }) => ({
    status: 200,
    json: { service: serviceOf(await administration.showService()) },
  }),
});

export const updateService = operatorEndpoint({
  method: 'PATCH',
  path: '/admin/v1/service',
  id: 'updateService',
  summary: 'Make the service read-only, or normal again',
  description:
    'While the service is read-only, changes by accounts are refused: 503 `unavailable` with `Retry-After: 60` and the ' +
    'message as `detail`. Views, passwords, sign-in, the use and revocation of keys, and administration still work. The ' +
    'answer comes once no earlier change can still be stored. In the normal mode the message is null.',
  body: jsonBody({
    name: 'ServiceUpdate',
    schema: T.closedObject({
      mode: SERVICE.mode,
      message: T.optional(
        T.nullable(
          operatorText('The answer to callers whose changes are refused, without control characters.'),
        ),
      ),
    }),
    examples: { read_only: EXAMPLE, normal: { mode: 'normal' } },
    expected: '"mode" and, if you like, "message"',
  }),
  answers: () => oneAnswer('How it runs now.', 'service', serviceAnswer, EXAMPLE),
  handle: async (_service, { administration, cause }, { body }) => {
    const wanted = { kind: body.mode, message: body.message ?? null };
    return { status: 200, json: { service: serviceOf(await administration.changeService(wanted, cause)) } };
  },
});
