import type { IdempotencyKeyRules, QuotaRules, Refusal, TitleRules } from '@pinfold/core';
import { type Sentences, sentenceOf } from '@pinfold/http';
import { archiveError } from '@pinfold/http-express';
import { brokenRules } from './publication.ts';

const IDEMPOTENCY_KEY: Sentences<IdempotencyKeyRules> = {
  empty: '--idempotency-key is empty',
  characters: '--idempotency-key must be printable ASCII',
  too_long: ({ limit, actual }) => `--idempotency-key has ${actual} characters; at most ${limit} are allowed`,
  secret: '--idempotency-key contains the API key',
};

const TITLE: Sentences<TitleRules> = {
  type: '--title must be text',
  encoding: '--title is not valid Unicode',
  control_character: '--title contains a control character',
  too_long: ({ limit, actual }) => `--title has ${actual} characters; at most ${limit} are allowed`,
};

const QUOTA: Sentences<QuotaRules> = {
  sites: ({ limit }) => `the account may have ${limit} publications in service, and has them; stop one first`,
  bytes: ({ limit, actual }) =>
    `the archives in service would have ${actual} bytes, more than the ${limit} of the account; stop one first`,
  keys: ({ limit }) => `the account may have ${limit} API keys, and has them; revoke one first`,
};

/** Why the command cannot publish under this key, name or title. */
export function wishWords(
  refusal: Refusal<'invalid_filename' | 'invalid_idempotency_key' | 'invalid_title'>,
): string {
  switch (refusal.code) {
    case 'invalid_filename':
      return 'PATH needs a name of 1 to 255 characters without control characters';
    case 'invalid_idempotency_key':
      return sentenceOf(IDEMPOTENCY_KEY, refusal);
    case 'invalid_title':
      return sentenceOf(TITLE, refusal);
    default:
      return refusal satisfies never;
  }
}

/** Why an archive was not published. Of its rules the command says what the API says. */
export function publishWords(
  refusal: Refusal<
    | 'account_blocked'
    | 'idempotency_mismatch'
    | 'invalid_archive'
    | 'quota_exceeded'
    | 'read_only'
    | 'refused_by_host'
    | 'unauthorized'
  >,
): string {
  switch (refusal.code) {
    case 'account_blocked':
      return `the account is blocked: ${refusal.reason}`;
    case 'idempotency_mismatch':
      return 'this Idempotency-Key has published something else; take a new one';
    case 'invalid_archive':
      return `the archive breaks these rules:\n${brokenRules(refusal.problems.map(archiveError))}`;
    case 'quota_exceeded':
      return sentenceOf(QUOTA, refusal);
    case 'read_only':
      return `the service is read-only${refusal.message === null ? '' : `: ${refusal.message}`}`;
    case 'refused_by_host':
      return refusal.words.en;
    case 'unauthorized':
      return 'the API key was revoked or the session has ended; sign in again';
    default:
      return refusal satisfies never;
  }
}
