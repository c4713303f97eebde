import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { accountId, parseRoleId } from '../domain/identity.ts';
import type { Publication } from '../domain/publication.ts';
import { expectState, type Role, type RoleState } from '../domain/role.ts';
import type { Takedown } from '../domain/takedown.ts';
import { foldForSearch } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { TakedownStore } from '../ports/takedown-store.ts';
import type { Refusal } from '../refusal.ts';
import { NOT_FOUND } from './changing.ts';
import type { ShowPublication } from './show-publication.ts';

/** A publication of any account, and whether it was taken down: lifted or not, it stays stopped. */
export interface AdministeredPublication {
  readonly publication: Publication;
  readonly takedown: Takedown | undefined;
}

/** Which page of all roles is wanted. */
export interface RoleListRequest {
  /** Absent: those of every account. */
  readonly account?: string;
  /** Absent: all but deleted ones. */
  readonly state?: RoleState;
  /** A text to be found in titles and ids, whatever its case and width. */
  readonly search?: string;
  /** What an earlier page gave as `next`, under the same filter. */
  readonly cursor?: string;
  /** 1 to 100; 20 when absent. */
  readonly limit?: number;
}

/** A page, newest first, and the cursor of the next one; with `search` it may be short without being the last. */
export type RoleListOutcome =
  | {
      readonly kind: 'page';
      readonly publications: readonly AdministeredPublication[];
      readonly next: string | undefined;
    }
  | Refusal<'invalid_cursor'>;

/** Reads the roles of all accounts. */
export interface Overseeing {
  /**
   * A page of all roles, newest first.
   *
   * @throws TypeError when the limit is no whole number from 1 to 100, the account none, or the state none.
   */
  listRoles(request?: RoleListRequest): Promise<RoleListOutcome>;

  /** One role in any state; its id is a UUID in any letter case. */
  showRole(
    id: string,
    signal?: AbortSignal,
  ): Promise<({ readonly kind: 'found' } & AdministeredPublication) | Refusal<'not_found'>>;
}

/** The ports that it needs. */
export interface OverseeingPorts {
  readonly roles: RoleStore;
  readonly takedowns: TakedownStore;
  readonly clock: Clock;
}

export function overseeing({ roles, takedowns, clock }: OverseeingPorts, show: ShowPublication): Overseeing {
  async function withTakedowns(found: readonly Role[]): Promise<readonly AdministeredPublication[]> {
    const kept = found.length === 0 ? [] : await takedowns.of(found.map(({ id }) => id));
    return found.map((role) => ({
      publication: show(role),
      takedown: kept.find(({ id, sha256 }) => id === role.id && sha256 === role.sha256),
    }));
  }
  return {
    async listRoles({ account, state, search: text, cursor, limit = 20 } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new TypeError('limit is 1 to 100');
      expectState(state);
      const filter = {
        account: account === undefined ? undefined : accountId(account),
        state,
        search: text === undefined ? undefined : foldForSearch(text),
      };
      const after = cursor === undefined ? undefined : decodeCursor(cursor, filter);
      if (after !== undefined && 'kind' in after) return after;
      const query = { ...filter, now: clock.now(), idempotencyKey: undefined, after, limit };
      const { items, next } = await roles.list(query);
      return {
        kind: 'page',
        publications: await withTakedowns(items),
        next: next && encodeCursor(next, filter),
      };
    },
    async showRole(text, signal) {
      const id = parseRoleId(text);
      const loaded = id === undefined ? undefined : await roles.load(id, signal);
      if (loaded === undefined) return NOT_FOUND;
      const [found] = await withTakedowns([loaded.value]);
      return { kind: 'found', ...(found as AdministeredPublication) };
    },
  };
}
