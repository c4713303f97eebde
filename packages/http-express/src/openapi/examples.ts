import type { Problem } from '@pinfold/core';
import type { Pin } from '../pin.ts';
import type { WireCode } from '../problem-table.ts';
import type { JsonObject } from './schemas.ts';

/** The request id in examples. */
export const EXAMPLE_REQUEST_ID = '3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c';

/** A pin in examples. */
export function examplePin(publicUrl: string): Pin {
  const id = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';
  return {
    id,
    title: 'Spring catalogue',
    state: 'published',
    shared_url: `${publicUrl}/s/${id}`,
    password_protected: false,
    pinned: false,
    published_at: '2026-11-20T12:00:00.000Z',
    expires_at: '2026-11-27T12:00:00.000Z',
    deleted_at: null,
    file_count: 12,
    size: 348_160,
    original_filename: 'catalogue.zip',
  };
}

/** A warning in examples. */
export const exampleWarning: JsonObject = {
  rule: 'broken_reference',
  detail: 'No file of the site answers "img/logo.png".',
  path: 'index.html',
};

/** What errors list in examples, of codes that list something. */
export const exampleErrors: Readonly<Partial<Record<WireCode, readonly Problem[]>>> = {
  archive_too_large: [
    { rule: 'archive_too_large', detail: 'The ZIP has more than 10485760 bytes.', limit: 10_485_760 },
  ],
  invalid_archive: [
    { rule: 'forbidden_name', detail: 'Leave ".env" out of the ZIP.', path: 'site/.env' },
    {
      rule: 'missing_index',
      detail:
        'Put an index.html (lower case) at the root of the ZIP or in the one folder that holds everything.',
    },
  ],
  invalid_form: [{ rule: 'archive_missing', detail: 'Send the ZIP as a file named "archive".' }],
  invalid_idempotency_key: [{ rule: 'empty', detail: 'The Idempotency-Key is empty.' }],
  invalid_password: [
    { rule: 'too_short', detail: 'The password needs at least 8 characters.', limit: 8, actual: 5 },
  ],
  invalid_state: [
    { rule: 'deleted', detail: 'The publication was stopped; nothing about it can change any more.' },
  ],
  invalid_title: [{ rule: 'control_character', detail: 'The title has a control character.' }],
};
