import { readingEndpoint, writingEndpoint } from '../endpoint.ts';
import { refusedBy } from '../problems/problem-details.ts';
import { pageParameters } from '../reading/query.ts';
import { jsonBody } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import { oneAnswer, pageAnswer, pageOf } from '../wire/members.ts';
import { exampleName, nameAnswer, nameOf, nameSchema } from '../wire/name.ts';
import { EXAMPLE_ID } from '../wire/pin.ts';
import { pinName } from './path-parameters.ts';

export const listNames = readingEndpoint({
  method: 'GET',
  path: '/api/v1/names',
  id: 'listNames',
  summary: 'List the names of the account, by name',
  query: pageParameters('The next_cursor of an earlier page of the account.'),
  answers: ({ publicUrl }) =>
    pageAnswer('NameList', 'names', [nameSchema, exampleName(publicUrl)], {
      nextBy: 'this as cursor',
      order: 'By name.',
    }),
  handle: async ({ useCases, publicUrl }, { caller }, { query }) => {
    const listed = await useCases.names.list({ by: caller.account, ...query });
    return pageOf('names', listed, ({ names }) => names.map((name) => nameOf(name, publicUrl)));
  },
});

export const readName = readingEndpoint({
  method: 'GET',
  path: '/api/v1/names/{name}',
  id: 'readName',
  summary: 'Read a name',
  parameter: pinName,
  answers: ({ publicUrl }) => oneAnswer('The name.', 'name', nameAnswer, exampleName(publicUrl)),
  handle: async ({ useCases, publicUrl }, { caller }, { pathValue: name }) => {
    const found = await useCases.names.get({ by: caller.account, name });
    return found.kind === 'refused' ? found : { status: 200, json: { name: nameOf(found.name, publicUrl) } };
  },
});

export const setName = writingEndpoint({
  method: 'PUT',
  path: '/api/v1/names/{name}',
  id: 'setName',
  summary: 'Make a name, or point it at another publication',
  description: 'The last change wins, and viewers see it with their next request.',
  parameter: { ...pinName, refusedAs: 'invalid_name' },
  body: jsonBody({
    name: 'NameUpdate',
    schema: T.closedObject({
      pin: T.string({ description: 'The id of a publication of the account that is in service.' }),
    }),
    examples: { pin: { pin: EXAMPLE_ID } },
    expected: 'exactly one member, "pin", which is a string',
  }),
  codes: ['invalid_name', 'invalid_state', 'quota_exceeded'],
  answers: ({ publicUrl }) => {
    const described = { schema: nameAnswer, examples: { name: { name: exampleName(publicUrl) } } };
    return {
      200: { ...described, description: 'The name as it is now.' },
      201: { ...described, description: 'The new name.' },
    };
  },
  handle: async ({ useCases, publicUrl }, call, { pathValue: name, body: { pin } }) => {
    const { caller, cause, credential } = call;
    const outcome = await useCases.names.set({ by: caller.account, name, pin, cause, credential });
    if (outcome.kind === 'refused') return refusedBy(outcome, 'name');
    const status = outcome.kind === 'created' ? 201 : 200;
    return { status, json: { name: nameOf(outcome.name, publicUrl) } };
  },
});

export const deleteName = writingEndpoint({
  method: 'DELETE',
  path: '/api/v1/names/{name}',
  id: 'deleteName',
  summary: 'Delete a name',
  description: 'The publication that it shows stays as it is. A new name of the same text gets another URL.',
  parameter: pinName,
  answers: () => ({ 204: { description: 'Deleted.' } }),
  handle: async ({ useCases }, { caller, cause, credential }, { pathValue: name }) => {
    const outcome = await useCases.names.delete({ by: caller.account, name, cause, credential });
    return outcome.kind === 'refused' ? outcome : { status: 204 };
  },
});
