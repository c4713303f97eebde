import type { IdempotencyKeyRules, NoDetails, RuleDetails } from '@pinfold/core';

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
