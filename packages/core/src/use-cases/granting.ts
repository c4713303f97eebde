import { OPERATOR } from '../domain/actor.ts';
import { firstGrant, type Grant, grantEndsAt } from '../domain/grant.ts';
import type { Instant } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { decide, type Publication } from '../domain/role.ts';
import {
  type ChangeOutcome,
  type ChangePorts,
  type ChangeRequest,
  NOT_FOUND,
  saveDecision,
} from './changing.ts';
import type { ShowPublication } from './show-publication.ts';

/** A grant for the site, or why it is refused. */
export type GrantOutcome =
  | {
      readonly kind: 'granted';
      readonly publication: Publication;
      /** To be handed over to the site within a minute; null where it needs none. */
      readonly grant: Grant | null;
      /** When the viewing grant ends that it becomes. */
      readonly endsAt: Instant;
    }
  | Exclude<ChangeOutcome, { readonly kind: 'changed' }>;

/** Opens sites for those who own them. */
export interface Granting {
  /**
   * Makes what the right password makes: a grant that viewers hand over. It is recorded, works while the service is
   * read-only, and is no password try.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases, id: string;
   * const outcome = await useCases.createGrant({ by: 'ada', id });
   * if (outcome.kind === 'granted') console.log(new Date(outcome.endsAt));
   */
  createGrant(request: ChangeRequest): Promise<GrantOutcome>;
}

export function granting(ports: ChangePorts, limits: Limits, show: ShowPublication): Granting {
  const { clock } = ports;
  return {
    createGrant: async (request) => {
      const authority = request.by === OPERATOR ? 'operator' : 'viewing';
      const outcome = await saveDecision(ports, request, authority, async ({ value: role }) =>
        decide(role, { type: 'create_grant' }, clock.now(), limits),
      );
      if (outcome.kind === 'refused') {
        // To be opened, a deleted site is as unknown as it is to viewers.
        return outcome.code === 'invalid_state' && outcome.state === 'deleted' ? NOT_FOUND : outcome;
      }
      const publication = show(outcome.role);
      const shown = { publication, accountGeneration: outcome.loaded.accountGeneration };
      const grant = firstGrant('hand_over', shown, clock.now());
      return {
        kind: 'granted',
        publication,
        grant: publication.passwordProtected ? grant : null,
        endsAt: grantEndsAt({ ...grant, purpose: 'cookie' }, publication, limits),
      };
    },
  };
}
