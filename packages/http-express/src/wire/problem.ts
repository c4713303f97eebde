import { problemTable } from '../problems/problem-table.ts';
import * as T from '../schema.ts';

const problemError = T.named('ProblemError', () =>
  T.object({
    // Rules of the embedding server's `beforePublish` begin with `host:`.
    rule: T.string({ pattern: '^(?:[a-z_]+|host:.+)$' }),
    detail: T.string({ minLength: 1 }),
    path: T.optional(T.string({ description: 'The entry of the archive it concerns.' })),
    limit: T.optional(T.number()),
    actual: T.optional(T.number()),
  }),
);

export type WireError = T.ValueOf<typeof problemError>;

/** The body of an error answer (RFC 9457). */
export const problemSchema = T.named('Problem', () =>
  T.object(
    {
      type: T.string({ pattern: '^urn:pinfold:problem:[a-z_]+$' }),
      title: T.string({ minLength: 1 }),
      status: T.integer({ minimum: 400, maximum: 599 }),
      detail: T.string({ minLength: 1, description: 'What is wrong or how to correct it, in one sentence.' }),
      code: T.oneOf([...new Set(Object.values(problemTable).map(({ code }) => code))]),
      // `T.UUID` without its `^`.
      instance: T.string({ pattern: `^urn:uuid:${T.UUID.slice(1)}`, description: 'The request id.' }),
      retryable: T.boolean({
        description: 'Whether the very same request, with the same Idempotency-Key, may succeed later.',
      }),
      suggestion: T.string({
        minLength: 1,
        description: 'The next step; for a publication also whether to keep the Idempotency-Key.',
      }),
      errors: T.optional(T.array(problemError, { maxItems: 20 })),
      errors_omitted: T.optional(T.count('How many more errors there are.')),
      oldest_cursor: T.optional(T.string({ description: 'With `cursor_expired`: the start of the feed.' })),
    },
    { description: 'RFC 9457.' },
  ),
);

export type ProblemBody = T.ValueOf<typeof problemSchema>;
