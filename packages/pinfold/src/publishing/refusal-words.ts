import type {
  IdempotencyKeyRules,
  NameSetOutcome,
  PasswordRules,
  QuotaRules,
  Refusal,
  TitleRules,
  UpdateOutcome,
} from '@pinfold/core';
import { type Sentences, sentenceOf } from '@pinfold/http/internal';
import { archiveError } from '@pinfold/http-express/internal';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { brokenRules } from './publication.ts';

const IDEMPOTENCY_KEY: Sentences<IdempotencyKeyRules> = {
  empty: '--idempotency-key is empty',
  characters: '--idempotency-key must be printable ASCII',
  too_long: ({ limit, actual }) => `--idempotency-key has ${actual} characters; at most ${limit} are allowed`,
  secret: '--idempotency-key contains the API key',
};

const TITLE: Sentences<TitleRules> = {
  type: 'the title must be text',
  encoding: 'the title is not valid Unicode',
  control_character: 'the title contains a control character',
  too_long: ({ limit, actual }) => `the title has ${actual} characters; at most ${limit} are allowed`,
};

const PASSWORD: Sentences<PasswordRules> = {
  type: 'The password must be text.',
  encoding: 'The password is not valid Unicode.',
  too_short: ({ limit }) => `The password needs at least ${limit} characters.`,
  too_long: ({ limit, actual }) => `The password has ${actual} bytes in UTF-8; at most ${limit} are allowed.`,
};

/** What a name of publications must look like. */
export const NAME_FORM = 'must have 1 to 63 of a to z, 0 to 9 and -, without - at an end';
export const NOT_FOUND = 'There is no such publication in your account.';

const STATES: Readonly<Record<Refusal<'invalid_state'>['state'], string>> = {
  deleted: 'The publication was stopped and can no longer change.',
  expired: 'The publication has expired: it can be stopped, but not changed.',
  pinned: 'The publication is pinned and never expires: run "pinfold unpin ID" first.',
};

/** Why the state of a publication does not allow a change. */
export function stateText(state: string | undefined): string | undefined {
  return state !== undefined && Object.hasOwn(STATES, state)
    ? STATES[state as keyof typeof STATES]
    : undefined;
}

const QUOTA: Sentences<QuotaRules> = {
  sites: ({ limit }) =>
    `the account has reached its limit of ${limit} publications in service; stop one first`,
  bytes: ({ limit, actual }) =>
    `the archives in service would have ${actual} bytes, more than the ${limit} of the account; stop one first`,
  names: ({ limit }) => `the account has reached its limit of ${limit} names; delete one first`,
  keys: ({ limit }) => `the account has reached its limit of ${limit} API keys; revoke one first`,
};

export function noName(cause?: unknown): CommandFailure {
  return new CommandFailure('There is no such name in your account.', { code: 'not_found', cause });
}

/** Why a publication on this machine was not changed. */
export function changeFailure(refusal: Unchanged): CommandFailure {
  return new CommandFailure(changeText(refusal), { cause: refusal, code: refusal.code });
}

type Unchanged = Extract<NameSetOutcome | UpdateOutcome, Refusal> | Refusal<'forbidden' | 'invalid_cursor'>;

function changeText(refusal: Unchanged): string {
  switch (refusal.code) {
    case 'invalid_cursor':
      return 'the cursor is not one of this list';
    case 'forbidden':
      return 'the service itself decides who may look';
    case 'not_found':
      return NOT_FOUND;
    case 'invalid_state':
      return STATES[refusal.state];
    case 'invalid_title':
      return sentenceOf(TITLE, refusal);
    default:
      return publishRefusalText(refusal);
  }
}

/** Why the command cannot publish with this key, name or title. */
export function requestRefusalText(
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

/** @throws UsageError for an argument that the core refuses. */
export function readArgument<Read extends string | null>(
  read: Read | Parameters<typeof requestRefusalText>[0],
): Read {
  if (read === null || typeof read === 'string') return read;
  throw new UsageError(requestRefusalText(read), { cause: read });
}

/** Why an archive was not published; the API has the sentences about its rules. */
export function publishRefusalText(
  refusal: Refusal<
    | 'account_blocked'
    | 'idempotency_mismatch'
    | 'invalid_archive'
    | 'invalid_name'
    | 'invalid_password'
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
      return 'this --idempotency-key was used for another publication; choose a new one';
    case 'invalid_archive':
      return `the archive breaks these rules:\n${brokenRules(refusal.problems.map(archiveError))}`;
    case 'invalid_name':
      return `the name ${NAME_FORM}`;
    case 'invalid_password':
      return sentenceOf(PASSWORD, refusal);
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
