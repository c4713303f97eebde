import type { AdministeredPublication } from '@pinfold/core/administration';
import { ROLE_STATES } from '@pinfold/core/internal';
import { operatorEndpoint } from '../endpoint.ts';
import { pageParameters } from '../reading/query.ts';
import { jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { accountFilter } from '../wire/account.ts';
import { oneAnswer, operatorText, pageAnswer, pageOf } from '../wire/members.ts';
import {
  administeredPinAnswer,
  administeredPinOf,
  administeredPinSchema,
  exampleAdministeredPin,
  exampleTakedown,
  exampleTakenDown,
  publicationId,
  takedownOf,
  takedownSchema,
} from '../wire/pin.ts';
import { archiveSha256, pinId } from './path-parameters.ts';

export const listAllPins = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/pins',
  id: 'listAllPins',
  summary: 'List publications of all accounts, newest first',
  query: {
    ...pageParameters('The next_cursor of an earlier page with the same account, state and search.'),
    account: { description: 'Only pins of this account.', schema: accountFilter },
    state: {
      description: 'Only pins in this state. Without it, all but deleted ones.',
      schema: T.oneOf(ROLE_STATES),
    },
    search: {
      description:
        'A text in the title or the original file name, in any letter case and width, or in the id. After two seconds of searching, the answer is a page that may not be full.',
      schema: T.string({ minLength: 1, maxLength: 255 }),
    },
  },
  answers: ({ publicUrl }) =>
    pageAnswer('AdministeredPinList', 'pins', [administeredPinSchema, exampleAdministeredPin(publicUrl)], {
      nextBy: 'the same account, state and search, and this as cursor',
    }),
  handle: async ({ publicUrl }, { administration }, { query }) => {
    const pinFor = (found: AdministeredPublication) => administeredPinOf(found, publicUrl);
    return pageOf('pins', await administration.listRoles(query), ({ publications }) =>
      publications.map(pinFor),
    );
  },
});

export const readAnyPin = operatorEndpoint({
  method: 'GET',
  path: '/admin/v1/pins/{id}',
  id: 'readAnyPin',
  summary: 'Read a publication of any account in any state',
  parameter: pinId,
  answers: ({ publicUrl }) =>
    oneAnswer('The pin.', 'pin', administeredPinAnswer, exampleAdministeredPin(publicUrl)),
  handle: async ({ publicUrl }, { administration, signal }, { pathValue: id }) => {
    const found = await administration.showRole(id, signal);
    if (found.kind === 'refused') return found;
    return { status: 200, json: { pin: administeredPinOf(found, publicUrl) } };
  },
});

const takedownAnswer = T.named('TakedownAnswer', () =>
  T.object({
    pin: administeredPinSchema,
    copies: T.array(publicationId, {
      description: 'Other publications in service with the same archive. `copies` takes them down, too.',
    }),
  }),
);

export const takeDownPin = operatorEndpoint({
  method: 'POST',
  path: '/admin/v1/pins/{id}/takedown',
  id: 'takeDownPin',
  summary: 'Stop a publication in any state, and forbid its archive to every account',
  description:
    'Viewers get nothing from the next request on, and bodies under way end within a MiB. Nobody can publish the same ' +
    'ZIP again: 422 `invalid_archive` with the rule `forbidden_content`. Repeating it changes nothing, but `purge` ' +
    'removes an archive that is still stored.',
  parameter: pinId,
  body: jsonBody({
    name: 'Takedown',
    schema: T.closedObject({
      reason: operatorText(),
      purge: T.boolean({
        description: 'Whether to remove the archive before the answer instead of in a later sweep.',
      }),
      copies: T.optional(
        T.boolean({
          default: false,
          description: 'Whether to take down every other publication in service with the same archive, too.',
        }),
      ),
    }),
    examples: { phishing: { reason: 'Phishing', purge: true, copies: true } },
    expected: '"reason", "purge" and, if you like, "copies"',
  }),
  answers: ({ publicUrl }) => ({
    200: {
      description: 'The pin, and other publications in service with the same archive.',
      schema: takedownAnswer,
      examples: {
        taken: { pin: exampleTakenDown(publicUrl), copies: ['7d1e0b52-93c4-4f0a-8a65-2f4b9c0d1e3f'] },
      },
    },
  }),
  handle: async ({ publicUrl }, { administration, cause }, { pathValue: id, body }) => {
    const taken = await administration.takeDown({ id, ...body, cause });
    if (taken.kind === 'refused') return taken;
    const found = await administration.showRole(id);
    if (found.kind === 'refused') return found;
    return { status: 200, json: { pin: administeredPinOf(found, publicUrl), copies: taken.copies } };
  },
});

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
