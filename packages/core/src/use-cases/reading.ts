import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { checkIdempotencyKey } from '../domain/idempotency.ts';
import { accountId } from '../domain/identity.ts';
import type { Limits } from '../domain/limits.ts';
import type { Publication } from '../domain/publication.ts';
import { expectState, type RoleState } from '../domain/role.ts';
import { foldForSearch } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoleQuery, RoleStore } from '../ports/role-store.ts';
import type { Refusal } from '../refusal.ts';
import { loadFor, NOT_FOUND, type RoleRequest } from './changing.ts';
import type { ShowPublication } from './show-publication.ts';

/** Which page of an account's publications is wanted. */
export interface ListRequest {
  /** Whose publications: an account lists its own. */
  readonly by: string;
  /** Absent: all but deleted ones. */
  readonly state?: RoleState;
  /** A text to be found in titles and ids, whatever its case and width. */
  readonly search?: string;
  /** What an earlier page gave as `next`, under the same filter. */
  readonly cursor?: string;
  /** 1 to 100; 20 when absent. */
  readonly limit?: number;
}

/** One publication, or no such publication in reach. */
export type ReadOutcome =
  | { readonly kind: 'found'; readonly publication: Publication }
  | Refusal<'not_found'>;

/** A page, newest first, and the cursor of the next one. */
export type ListOutcome =
  | {
      readonly kind: 'page';
      readonly publications: readonly Publication[];
      readonly next: string | undefined;
    }
  | Refusal<'invalid_cursor'>;

/** Reads publications. */
export interface Reading {
  /** One publication in any state; one out of the actor's reach is as unknown as one that never was. */
  read(request: RoleRequest): Promise<ReadOutcome>;

  /**
   * A page of an account's publications, newest first.
   *
   * @throws TypeError when the limit is no whole number from 1 to 100, or the state is none.
   */
  list(request: ListRequest): Promise<ListOutcome>;

  /** What a key published, in any state, for a caller whose answer got lost. */
  findByKey(request: { readonly by: string; readonly key: string }): Promise<Publication | undefined>;
}

export function reading(
  { roles, clock }: { readonly roles: RoleStore; readonly clock: Clock },
  limits: Limits,
  show: ShowPublication,
): Reading {
  const page = (query: Partial<RoleQuery> & Pick<RoleQuery, 'account' | 'limit'>) =>
    roles.list({
      now: clock.now(),
      state: undefined,
      search: undefined,
      idempotencyKey: undefined,
      after: undefined,
      ...query,
    });
  return {
    async read(request) {
      const loaded = await loadFor(roles, request);
      return loaded === undefined ? NOT_FOUND : { kind: 'found', publication: show(loaded.value) };
    },
    async list({ by, state, search: text, cursor, limit = 20 }) {
      if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new TypeError('limit is 1 to 100');
      expectState(state);
      const search = text === undefined ? undefined : foldForSearch(text);
      const filter = { account: accountId(by), state, search };
      const after = cursor === undefined ? undefined : decodeCursor(cursor, filter);
      if (after !== undefined && 'kind' in after) return after;
      const { items, next } = await page({ ...filter, after, limit });
      return {
        kind: 'page',
        publications: items.map(show),
        next: next === undefined ? undefined : encodeCursor(next, filter),
      };
    },
    async findByKey({ by, key }) {
      const account = accountId(by);
      const idempotencyKey = checkIdempotencyKey(key, limits);
      if (typeof idempotencyKey !== 'string') return undefined;
      const [role] = (await page({ account, idempotencyKey, limit: 1 })).items;
      return role && show(role);
    },
  };
}
