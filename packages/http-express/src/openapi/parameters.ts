import type { Parameters } from '../reading/query.ts';
import type { JsonObject } from './json-schema.ts';

/** The publication that a path names. */
export const idParameter: JsonObject = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The last segment of the shared URL, in any letter case.',
  schema: { type: 'string' },
  example: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
};

/** Parameters of a query as the document has them. */
export function documented(parameters: Parameters): readonly JsonObject[] {
  return Object.entries(parameters).map(([name, { description, schema }]) => {
    return { name, in: 'query', description, schema };
  });
}
