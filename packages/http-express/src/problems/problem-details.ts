import type { IdempotencyKeyRules, LimitAndActual, Refusal, RuleDetails, Warning } from '@pinfold/core';
import {
  archiveFinding,
  englishOf,
  FINDING_TEXTS,
  INPUT_TEXTS,
  type InputTextId,
  lineOf,
  type PublishProblem,
  REFUSAL_TEXTS,
  type RefusalTextId,
  warningFinding,
} from '@pinfold/http/internal/texts';
import type { WireError } from '../wire/problem.ts';
import type { AnyRefusal, ProblemDetails } from './problem.ts';

/** Rules of forms and headers, which the core does not know, and their texts. */
const REQUEST = {
  archive_missing: 'form_archive_missing',
  archive_unreadable: 'form_archive_unreadable',
  field_twice: 'form_field_twice',
  filename: 'invalid_filename',
  part_unreadable: 'form_part_unreadable',
  password_header: 'form_password_header',
  title_encoding: 'form_title_encoding',
  title_file: 'form_title_file',
  /** An Idempotency-Key in several headers. */
  twice: 'idempotency_key_twice',
  unknown_field: 'form_unknown_field',
} as const satisfies Readonly<Record<string, RefusalTextId>>;

export interface RequestProblem {
  readonly rule: keyof typeof REQUEST;
  /** The repeated field. */
  readonly field?: string;
}

export type WireWarning = Pick<WireError, 'rule' | 'detail' | 'path'>;

/** The text for a warning that a newer node has stored during an upgrade. */
const NEWER = 'A newer version of the service found this: repeat the request after the upgrade.';

const NO_MORE_NAMES = {
  detail: 'Delete names that are no longer needed, or ask the operator for a larger quota.',
  advice: 'Delete names that are no longer needed and send the very same request again',
};

/** Longer than for other refusals, since maintenance takes minutes. */
const READ_ONLY = { 'Retry-After': '60' };

export function problemDetails(refusal: Refusal): ProblemDetails {
  switch (refusal.code) {
    case 'account_blocked':
    case 'archive_too_large':
    case 'forbidden':
    case 'idempotency_mismatch':
    case 'invalid_cursor':
    case 'invalid_name':
    case 'not_found':
    case 'unauthorized':
      return {};
    case 'cursor_expired':
      return { oldestCursor: refusal.oldest };
    case 'idempotency_in_progress':
      return { retryAt: refusal.retryAt };
    case 'rate_limited':
      // The core only limits publications; `authorize.ts` limits requests.
      return { detail: englishOf(REFUSAL_TEXTS.rate_limited_publications), retryAt: refusal.retryAt };
    case 'invalid_archive':
      return { errors: refusal.problems.map(archiveError), omitted: refusal.omitted };
    case 'invalid_filename':
      return { errors: [requestError({ rule: 'filename' })] };
    case 'invalid_idempotency_key':
      return { errors: [requestTextError(`idempotency_key_${refusal.rule}`, refusal)] };
    case 'invalid_password':
      return { errors: [inputError(`password_${refusal.rule}`, refusal)] };
    case 'invalid_account':
      return accountDetails(refusal.state);
    case 'invalid_state':
      return stateDetails(refusal.state, 'change');
    case 'invalid_title':
      return { errors: [inputError(`title_${refusal.rule}`, refusal)] };
    case 'read_only': {
      const { message } = refusal;
      return { headers: READ_ONLY, ...(message === null ? {} : { detail: message }) };
    }
    case 'quota_exceeded':
      return {
        ...(refusal.rule === 'names' ? NO_MORE_NAMES : {}),
        errors: [inputError(`quota_${refusal.rule}`, refusal)],
      };
    case 'refused_by_host':
      return { errors: [{ rule: refusal.rule, detail: refusal.words.en }] };
    default:
      return refusal satisfies never;
  }
}

/** Only administrators see these texts, in English. */
const ACCOUNT_STATES = {
  erased: 'The account was erased: what is left of it cannot be changed.',
  erasing: 'The account is being erased and can no longer change.',
  never_erased: 'The account "default" is never erased.',
} as const;

function accountDetails(state: keyof typeof ACCOUNT_STATES): ProblemDetails {
  const detail = ACCOUNT_STATES[state];
  return { detail, advice: 'Choose another account', errors: [{ rule: state, detail }] };
}

export function archiveError(problem: PublishProblem): WireError {
  return wireError(problem, lineOf(archiveFinding(problem, bytesText), FINDING_TEXTS));
}

function inputError(
  text: InputTextId,
  details: { readonly rule: string } & Partial<LimitAndActual>,
): WireError {
  const { limit = 0, actual = 0 } = details;
  const values =
    details.rule === 'bytes' ? { limit: bytesText(limit), actual: bytesText(actual) } : { limit, actual };
  return wireError(details, lineOf({ texts: [text], values }, INPUT_TEXTS));
}

function bytesText(size: number): string {
  return `${size} bytes`;
}

export function requestError(problem: RequestProblem): WireError {
  return requestTextError(REQUEST[problem.rule], problem);
}

function requestTextError(
  text: RefusalTextId,
  details: RequestProblem | RuleDetails<IdempotencyKeyRules>,
): WireError {
  return wireError(details, englishOf(REFUSAL_TEXTS[text], { ...details }));
}

/** The warnings of a publication as the API reports them. */
export function wireWarnings(warnings: readonly Warning[]): readonly WireWarning[] {
  return warnings.map((warning) => {
    const finding = warningFinding(warning);
    const ids = [finding.texts, finding.seen ?? []].flat();
    const isKnown = ids.every((id) => Object.hasOwn(FINDING_TEXTS, id));
    return wireError(warning, isKnown ? lineOf(finding, FINDING_TEXTS) : NEWER);
  });
}

function wireError(details: object, detail: string): WireError {
  const { rule, path, limit, actual } = details as Omit<WireError, 'detail'>;
  return {
    rule,
    detail,
    ...(path === undefined ? {} : { path }),
    ...(limit === undefined ? {} : { limit }),
    ...(actual === undefined ? {} : { actual }),
  };
}

type RoleOperation = 'archive' | 'change' | 'name' | 'open' | 'reset_expiration' | 'stop';

type State = Refusal<'invalid_state'>['state'];
interface StateText {
  readonly text: RefusalTextId;
  readonly advice: string;
}

const PUBLISH_AGAIN = 'Publish the site again and share the new URL';

const CHOOSE_ANOTHER = 'Choose a publication that is in service';

/** The text for each state that forbids an operation. */
const BY_STATE: Readonly<Record<State, StateText>> = {
  archive_removed: { text: 'state_archive_removed', advice: PUBLISH_AGAIN },
  deleted: { text: 'state_deleted', advice: PUBLISH_AGAIN },
  expired: { text: 'state_expired', advice: PUBLISH_AGAIN },
  pinned: { text: 'state_pinned', advice: 'Leave it pinned, or unpin it in the management screen' },
};

/** Other texts, by operation. */
const BY_OPERATION: Readonly<Record<RoleOperation, Partial<Readonly<Record<State, StateText>>>>> = {
  archive: { deleted: { text: 'state_deleted_archive', advice: PUBLISH_AGAIN } },
  change: {},
  name: {
    deleted: { text: 'name_deleted', advice: CHOOSE_ANOTHER },
    expired: { text: 'name_expired', advice: CHOOSE_ANOTHER },
  },
  open: { expired: { text: 'state_expired_viewing', advice: PUBLISH_AGAIN } },
  reset_expiration: { expired: { text: 'state_expired_renewal', advice: PUBLISH_AGAIN } },
  stop: { deleted: { text: 'state_stopped_before', advice: 'Continue as if this request had stopped it' } },
};

export function stateDetails(state: State, operation: RoleOperation): ProblemDetails {
  const { text, advice } = BY_OPERATION[operation][state] ?? BY_STATE[state];
  const detail = englishOf(REFUSAL_TEXTS[text]);
  return { detail, advice, errors: [{ rule: state, detail }] };
}

/** Adds the text for the role's state to the refusal of an operation. */
export function refusedBy(refusal: Refusal, operation: RoleOperation): AnyRefusal {
  if (refusal.code !== 'invalid_state') return refusal;
  return { ...refusal, details: stateDetails(refusal.state, operation) };
}
