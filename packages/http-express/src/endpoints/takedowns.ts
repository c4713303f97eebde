import { operatorEndpoint } from '../endpoint.ts';
import { pageParameters } from '../reading/query.ts';
import { pageOf } from '../wire/members.ts';
import { exampleTakedown, takedownOf, takedownSchema } from '../wire/pin.ts';
import { archiveSha256 } from './path-parameters.ts';

export const listTakedowns = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/takedowns',
  scope: 'admin',
  id: 'listTakedowns',
  summary: 'List what was taken down and not lifted, newest first',
  query: pageParameters('What an earlier page gave as next_cursor.'),
  answers: () => ({
    200: {
      description: 'A page.',
      schema: pageOf('TakedownList', 'takedowns', takedownSchema, 'this as cursor'),
      examples: { page: { takedowns: [exampleTakedown], next_cursor: null } },
    },
  }),
  handle: async (_service, { administration }, { query }) => {
    const listed = await administration.listTakedowns(query);
    if (listed.kind === 'refused') return listed;
    return {
      status: 200,
      json: { takedowns: listed.takedowns.map(takedownOf), next_cursor: listed.next ?? null },
    };
  },
});

export const liftTakedown = operatorEndpoint({
  method: 'DELETE',
  path: '/admin/v1/takedowns/{sha256}',
  scope: 'admin',
  id: 'liftTakedown',
  summary: 'Let an archive be published again; what was taken down stays stopped',
  parameter: archiveSha256,
  answers: () => ({ 204: { description: 'It may be published again.' } }),
  handle: async (_service, { administration, cause }, { named: sha256 }) => {
    const lifted = await administration.liftTakedown(sha256, cause);
    return lifted.kind === 'refused' ? lifted : { status: 204 };
  },
});
