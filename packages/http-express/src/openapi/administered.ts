import type { WireCode } from '../problems/problem-table.ts';
import { type JsonObject, schemaRef } from './json-schema.ts';
import { success } from './responses.ts';

/** Codes that every operation of the administration may answer: without the scope, all is 404. */
export const EVERYWHERE: readonly WireCode[] = [
  'invalid_request',
  'unauthorized',
  'not_found',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** Codes that those may answer which change something. */
export const CHANGING: readonly WireCode[] = [...EVERYWHERE, 'account_blocked'];

/** What else an operation with a body may answer. */
export const WITH_BODY: readonly WireCode[] = ['request_timeout', 'unsupported_media_type', 'invalid_update'];

/** The tag of these operations. */
export const administrationTag: JsonObject = {
  name: 'administration',
  description:
    'For keys of the scope `admin`, which the command alone makes. To any other key nothing is here: 404, whatever the ' +
    'path and method. These requests cost nothing of the rate of requests; wrong keys are bounded by address.',
};

/** An operation of the administration. */
export function operation(told: JsonObject): JsonObject {
  return { tags: [administrationTag.name], ...told };
}

/** An answer with its examples. */
export function answer(
  description: string,
  schema: string,
  examples: Readonly<Record<string, object>>,
): JsonObject {
  const values = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return success(description, { schema: schemaRef(schema), examples: Object.fromEntries(values) }, [], []);
}
