import type { ProblemDetails } from '../problems/problem.ts';
import { archiveError, problemDetails, requestError } from '../problems/problem-details.ts';
import type { WireCode } from '../problems/problem-table.ts';
import { stateDetails } from '../problems/state-refusal.ts';

export const EXAMPLE_REQUEST_ID = '3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c';

export const EXAMPLE_FEED_CURSOR =
  '2s.5b0e3c52-7f1d-4c0a-9d3e-2a6f8b1c4d7e.9f86d081884c7d659a2feaa0c55ad015.1k2xq7z';

export const exampleDetails = (): Readonly<Partial<Record<WireCode, ProblemDetails>>> => ({
  archive_too_large: { errors: [archiveError({ rule: 'archive_too_large', limit: 10_485_760 })] },
  cursor_expired: { oldestCursor: EXAMPLE_FEED_CURSOR },
  invalid_archive: {
    errors: [
      archiveError({ rule: 'forbidden_name', path: 'site/.env', segment: '.env' }),
      archiveError({ rule: 'missing_index' }),
    ],
  },
  invalid_form: { errors: [requestError({ rule: 'archive_missing' })] },
  invalid_idempotency_key: problemDetails({
    kind: 'refused',
    code: 'invalid_idempotency_key',
    rule: 'empty',
  }),
  invalid_password: problemDetails({
    kind: 'refused',
    code: 'invalid_password',
    rule: 'too_short',
    limit: 8,
    actual: 5,
  }),
  invalid_state: stateDetails('deleted', 'change'),
  quota_exceeded: problemDetails({
    kind: 'refused',
    code: 'quota_exceeded',
    rule: 'sites',
    limit: 200,
    actual: 201,
  }),
  invalid_title: problemDetails({ kind: 'refused', code: 'invalid_title', rule: 'control_character' }),
});
