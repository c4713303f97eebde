import { serviceUpdateSchema, type WireService } from '../administration/service.ts';
import { answer, CHANGING, EVERYWHERE, operation, WITH_BODY } from './administered.ts';
import { type JsonObject, object, schemaRef } from './json-schema.ts';
import { problems } from './responses.ts';

const exampleService: WireService = {
  mode: 'read_only',
  message: 'Back at noon, when the database has moved.',
};

const serviceOperation = (): JsonObject =>
  operation({
    operationId: 'readService',
    summary: 'Read how the service runs',
    responses: {
      200: answer('How it runs.', 'ServiceAnswer', { service: { service: exampleService } }),
      ...problems(EVERYWHERE, []),
    },
  });

const changeServiceOperation = (): JsonObject =>
  operation({
    operationId: 'updateService',
    summary: 'Make the service read-only, or normal again',
    description:
      'While it is read-only, what accounts would change is 503 `unavailable` with `Retry-After: 60` and the message as ' +
      '`detail`. Views, passwords, sign-in, keys that are used or revoked, and what stands here go on. The answer comes when ' +
      'no change that began before can be stored any more. In the normal mode the message is null.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaRef('ServiceUpdate'),
          examples: {
            read_only: { value: exampleService },
            normal: { value: { mode: 'normal' } },
          },
        },
      },
    },
    responses: {
      200: answer('How it runs now.', 'ServiceAnswer', { service: { service: exampleService } }),
      ...problems([...CHANGING, ...WITH_BODY], []),
    },
  });

/** The path of the service itself with its operations. */
export const servicePaths = (): JsonObject => ({
  '/admin/v1/service': { get: serviceOperation(), patch: changeServiceOperation() },
});

/** The schemas of these operations. */
export const serviceSchemas = (): JsonObject => ({
  ServiceAnswer: object({
    service: object({
      mode: { enum: ['normal', 'read_only'] },
      message: { type: ['string', 'null'], maxLength: 255 },
    }),
  }),
  ServiceUpdate: serviceUpdateSchema,
});
