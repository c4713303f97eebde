import { operatorEndpoint } from '../endpoint.ts';
import { pageParameters } from '../reading/query.ts';
import { pageAnswer, pageOf } from '../wire/members.ts';
import { exampleTakedown, takedownOf, takedownSchema } from '../wire/pin.ts';
import { archiveSha256 } from './path-parameters.ts';

export const listTakedowns = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/takedowns',
  id: 'listTakedowns',
  summary: 'List takedowns in force, newest first',
  query: pageParameters('The next_cursor of an earlier page.'),
  answers: () =>
    pageAnswer('TakedownList', 'takedowns', [takedownSchema, exampleTakedown], { nextBy: 'this as cursor' }),
  handle: async (_service, { administration }, { query }) =>
    pageOf('takedowns', await administration.listTakedowns(query), ({ takedowns }) =>
      takedowns.map(takedownOf),
    ),
});

export const liftTakedown = operatorEndpoint({
  method: 'DELETE',
  path: '/admin/v1/takedowns/{sha256}',
  id: 'liftTakedown',
  summary: 'Allow an archive to be published again; publications that were taken down stay stopped',
  parameter: archiveSha256,
  answers: () => ({ 204: { description: 'It may be published again.' } }),
  handle: async (_service, { administration, cause }, { pathValue: sha256 }) => {
    const lifted = await administration.liftTakedown(sha256, cause);
    return lifted.kind === 'refused' ? lifted : { status: 204 };
  },
});
