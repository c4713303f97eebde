import type {
  IdempotencyKeyRules,
  NoDetails,
  PasswordRules,
  QuotaRules,
  RuleDetails,
  TitleRules,
} from '@pinfold/core';

/** The API's sentence for each rule, or a function that makes it of the details. A missing rule does not compile. */
export type Sentences<Rules> = {
  readonly [Rule in keyof Rules]: string | ((told: Rules[Rule]) => string);
};

export function sentenceOf<Rules>(sentences: Sentences<Rules>, told: RuleDetails<Rules>): string {
  const sentence: string | ((own: never) => string) = sentences[told.rule];
  return typeof sentence === 'string' ? sentence : sentence(told as never);
}

/** The rules of forms and headers, which the core does not have. */
export interface RequestRules {
  readonly archive_missing: NoDetails;
  readonly field_twice: { readonly field: string };
  readonly filename: NoDetails;
  readonly password_header: NoDetails;
  readonly title_encoding: NoDetails;
  readonly title_file: NoDetails;
  /** An Idempotency-Key that came in several headers. */
  readonly twice: NoDetails;
  readonly unknown_field: NoDetails;
}

export const REQUEST: Sentences<RequestRules> = {
  archive_missing: 'Send the ZIP as a file named "archive".',
  field_twice: ({ field }) => `Send the field "${field}" once.`,
  filename:
    'Send the archive as a file whose name has 1 to 255 characters in UTF-8 and no control characters.',
  password_header:
    'Send the password as encodeURIComponent writes it (UTF-8 with percent escapes), or leave the header out.',
  title_encoding: 'Send the title in UTF-8.',
  title_file: 'Send the title as text, without a file name.',
  twice: 'Send one Idempotency-Key header.',
  unknown_field:
    'Only the fields "archive" and "title" are accepted; a name goes into the query (?name=…), a password into the header Pinfold-Password.',
};

export const IDEMPOTENCY_KEY: Sentences<IdempotencyKeyRules> = {
  empty: 'The Idempotency-Key is empty.',
  characters: 'The Idempotency-Key must be printable ASCII.',
  too_long: ({ limit, actual }) =>
    `The Idempotency-Key has ${actual} characters; at most ${limit} are allowed.`,
  secret: 'The Idempotency-Key contains the API key.',
};

export const TITLE: Sentences<TitleRules> = {
  type: 'The title must be a string or null.',
  encoding: 'The title is not valid Unicode.',
  control_character: 'The title contains a control character.',
  too_long: ({ limit, actual }) => `The title has ${actual} characters; at most ${limit} are allowed.`,
};

export const PASSWORD: Sentences<PasswordRules> = {
  type: 'The password must be a string or null.',
  encoding: 'The password is not valid Unicode.',
  too_short: ({ limit }) => `The password needs at least ${limit} characters.`,
  too_long: ({ limit, actual }) => `The password has ${actual} bytes in UTF-8; at most ${limit} are allowed.`,
};

export const QUOTA: Sentences<QuotaRules> = {
  sites: ({ limit, actual }) =>
    `The account would have ${actual} publications in service; at most ${limit} are allowed.`,
  bytes: ({ limit, actual }) =>
    `The archives in service would have ${actual} bytes; at most ${limit} are allowed.`,
  names: ({ limit, actual }) => `The account would have ${actual} names; at most ${limit} are allowed.`,
  keys: ({ limit, actual }) =>
    `The account would have ${actual} API keys that are not revoked; at most ${limit} are allowed.`,
};
