import type { Refusal } from '@pinfold/core';
import { englishOf, REFUSAL_TEXTS, type RefusalTextId } from '@pinfold/http/internal/texts';
import type { AnyRefusal, ProblemDetails } from './problem.ts';

export type RoleOperation = 'archive' | 'change' | 'name' | 'open' | 'reset_expiration' | 'stop';

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
