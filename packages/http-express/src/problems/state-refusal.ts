import type { Refusal } from '@pinfold/core';
import type { AnyRefusal, ProblemDetails } from './problem.ts';

export type RoleOperation = 'change' | 'name' | 'open' | 'reset_expiration' | 'stop';

type State = Refusal<'invalid_state'>['state'];
type Words = Required<Pick<ProblemDetails, 'detail' | 'advice'>>;

const PUBLISH_AGAIN = 'Publish the site again and share the new URL';

const CHOOSE_ANOTHER = 'Choose a publication that is in service';

/** The text for each state that does not permit a change. */
const TOLD: Readonly<Record<State, Words>> = {
  deleted: {
    detail: 'The publication is deleted and can no longer change: publish the site again for a new URL.',
    advice: PUBLISH_AGAIN,
  },
  expired: {
    detail: 'The publication is expired and can only be stopped: publish the site again for a new URL.',
    advice: PUBLISH_AGAIN,
  },
  pinned: {
    detail:
      'The publication is pinned and has no expiration: to give it one, unpin it in the management screen.',
    advice: 'Leave it pinned, or unpin it in the management screen',
  },
};

/** The texts of operations that need others. */
const OTHERWISE: Readonly<Record<RoleOperation, Partial<Readonly<Record<State, Words>>>>> = {
  change: {},
  name: {
    deleted: {
      detail: 'The publication is deleted: point the name at one that is in service.',
      advice: CHOOSE_ANOTHER,
    },
    expired: {
      detail: 'The publication is expired: point the name at one that is in service.',
      advice: CHOOSE_ANOTHER,
    },
  },
  open: {
    expired: {
      detail:
        'The publication is expired, and viewers can no longer see it: publish the site again for a new URL.',
      advice: PUBLISH_AGAIN,
    },
  },
  reset_expiration: {
    expired: {
      detail: 'The publication is expired and cannot be restored: publish the site again for a new URL.',
      advice: PUBLISH_AGAIN,
    },
  },
  stop: {
    deleted: {
      detail: 'The publication is already deleted; treat it as stopped.',
      advice: 'Go on as if this request had stopped it',
    },
  },
};

export function tellState(state: State, operation: RoleOperation): ProblemDetails {
  const words = OTHERWISE[operation][state] ?? TOLD[state];
  return { ...words, errors: [{ rule: state, detail: words.detail }] };
}

/** The refusal of an operation, with what the role's state means to this operation. */
export function refusedBy(refusal: Refusal, operation: RoleOperation): AnyRefusal {
  if (refusal.code !== 'invalid_state') return refusal;
  return { ...refusal, told: tellState(refusal.state, operation) };
}
