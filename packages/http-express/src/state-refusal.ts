import type { Refusal } from '@pinfold/core';
import type { HttpRefusal, ProblemDetails } from './problem.ts';

/** What was wanted of a role. */
export type RoleOperation = 'change' | 'reset_expiration' | 'stop';

const PUBLISH_AGAIN = 'Publish the site again and share the new URL';

const deleted: ProblemDetails = {
  detail: 'The publication is deleted and cannot change any more: publish the site again for a new URL.',
  advice: PUBLISH_AGAIN,
};

/** By operation, what each state that does not permit it means to the caller (contract, section 4). */
const TOLD: Readonly<Record<RoleOperation, Readonly<Record<string, ProblemDetails>>>> = {
  change: {
    deleted,
    expired: {
      detail: 'The publication is expired and can only be stopped: publish the site again for a new URL.',
      advice: PUBLISH_AGAIN,
    },
  },
  reset_expiration: {
    deleted,
    expired: {
      detail: 'The publication is expired and cannot be restored: publish the site again for a new URL.',
      advice: PUBLISH_AGAIN,
    },
    pinned: {
      detail:
        'The publication is pinned and has no expiration: to give it one, unpin it in the management screen.',
      advice: 'Leave it pinned, or unpin it in the management screen',
    },
  },
  stop: {
    deleted: {
      detail: 'The publication is deleted already: take it for stopped.',
      advice: 'Go on as if this request had stopped it',
    },
  },
};

/** A refusal by the state of a role, told to who wanted this of it; any other refusal as it is. */
export function tellState(refusal: Refusal | HttpRefusal, operation: RoleOperation): Refusal | HttpRefusal {
  const [{ rule } = { rule: '' }] = refusal.errors ?? [];
  const told = refusal.code === 'invalid_state' ? TOLD[operation][rule] : undefined;
  return told === undefined ? refusal : { ...refusal, ...told };
}
