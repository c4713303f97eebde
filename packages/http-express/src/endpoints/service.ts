import { operatorEndpoint } from '../endpoint.ts';
import { jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { operatorText } from '../wire/members.ts';
import { SERVICE, serviceOf, type WireService } from '../wire/service.ts';

const serviceAnswer = T.named('ServiceAnswer', () => T.object({ service: T.object(SERVICE) }));
const EXAMPLE: WireService = { mode: 'read_only', message: 'Back at noon, when the database has moved.' };
const examples = { service: { service: EXAMPLE } };

export const readService = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/service',
  id: 'readService',
  summary: 'Read how the service runs',
  answers: () => ({ 200: { description: 'How it runs.', schema: serviceAnswer, examples } }),
  handle: async (_service, { administration }) => ({
    status: 200,
    json: { service: serviceOf(await administration.showService()) },
  }),
});

const updateSchema = T.closedObject({
  mode: SERVICE.mode,
  message: T.optional(
    T.nullable(operatorText('The answer to callers whose changes are refused, without control characters.')),
  ),
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
    schema: updateSchema,
    examples: { read_only: EXAMPLE, normal: { mode: 'normal' } },
    expected: '"mode" and, if you like, "message"',
  }),
  answers: () => ({ 200: { description: 'How it runs now.', schema: serviceAnswer, examples } }),
  handle: async (_service, { administration, cause }, { body }) => {
    const wanted = { kind: body.mode, message: body.message ?? null };
    return { status: 200, json: { service: serviceOf(await administration.changeService(wanted, cause)) } };
  },
});
