import type { WireEvent } from '../handlers/events.ts';
import type { WireViews } from '../handlers/read.ts';
import type { ProblemDetails } from '../problems/problem.ts';
import type { WireCode } from '../problems/problem-table.ts';
import { requestError, tell, type WireWarning, wireWarnings } from '../problems/tell.ts';

/** The request id in examples. */
export const EXAMPLE_REQUEST_ID = '3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c';

/** An event in examples. */
export const exampleEvent: WireEvent = {
  id: '5b0e3c52-7f1d-4c0a-9d3e-2a6f8b1c4d7e',
  at: '2026-11-20T09:30:00.000Z',
  type: 'pin.renewed',
  account: 'default',
  pin: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  actor: { kind: 'key', id: '4fJ2kQ9xTzA' },
  request: EXAMPLE_REQUEST_ID,
};

/** Views in examples. */
export const exampleViews: readonly WireViews[] = [
  { day: '2026-11-20', views: 18, refused_passwords: 0 },
  { day: '2026-11-18', views: 3, refused_passwords: 2 },
];

/** Warnings in examples. */
export const exampleWarnings: readonly WireWarning[] = wireWarnings([
  { rule: 'broken_reference', path: 'index.html', target: 'img/logo.png' },
]);

/** What an account has left in examples. */
export const exampleLeft = {
  rates: {
    requests: { limit: 6_000, window_seconds: 60, remaining: 5_999 },
    publications: { limit: 600, window_seconds: 3_600, remaining: 598 },
  },
  quotas: { sites: { limit: 200, used: 12 }, bytes: { limit: 1_073_741_824, used: 34_603_008 } },
};

/** The same of an account without bounds. */
export const exampleUnbounded = {
  rates: { requests: null, publications: null },
  quotas: { sites: null, bytes: null },
};

/** What is told in examples beside the code. */
export const exampleDetails = (): Readonly<Partial<Record<WireCode, ProblemDetails>>> => ({
  archive_too_large: { errors: [requestError({ rule: 'archive_too_large', limit: 10_485_760 })] },
  invalid_archive: tell({
    kind: 'refused',
    code: 'invalid_archive',
    problems: [{ rule: 'forbidden_name', path: 'site/.env', segment: '.env' }, { rule: 'missing_index' }],
  }),
  invalid_form: { errors: [requestError({ rule: 'archive_missing' })] },
  invalid_idempotency_key: tell({ kind: 'refused', code: 'invalid_idempotency_key', rule: 'empty' }),
  invalid_password: tell({
    kind: 'refused',
    code: 'invalid_password',
    rule: 'too_short',
    limit: 8,
    actual: 5,
  }),
  invalid_state: tell({ kind: 'refused', code: 'invalid_state', state: 'deleted' }),
  quota_exceeded: tell({ kind: 'refused', code: 'quota_exceeded', rule: 'sites', limit: 200, actual: 201 }),
  invalid_title: tell({ kind: 'refused', code: 'invalid_title', rule: 'control_character' }),
});
