import type { Actor } from '../domain/actor.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import type { IdempotencyKey } from '../domain/idempotency.ts';
import { type AccountId, accountId, type RoleId } from '../domain/identity.ts';
import type { Role, RoleState } from '../domain/role.ts';
import { foldForSearch } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { Refusal } from '../refusal.ts';
import { loadFor, NOT_FOUND } from './change-role.ts';

/** Which page of an account's roles is wanted. */
export interface ListRequest {
  /** Whose roles: an account lists its own. */
  readonly by: AccountId;
  /** Absent: all but deleted ones. */
  readonly state?: RoleState;
  /** A text to be found in titles and ids, whatever its case and width. */
  readonly search?: string;
  /** What an earlier page gave as `next`, under the same filter. */
  readonly cursor?: string;
  /** 1 to 100. */
  readonly limit: number;
}

/** Reads roles. */
export class ReadRoles {
  readonly #roles: RoleStore;
  readonly #clock: Clock;

  constructor(ports: { readonly roles: RoleStore; readonly clock: Clock }) {
    this.#roles = ports.roles;
    this.#clock = ports.clock;
  }

  /** One role in any state; one out of the actor's reach is as unknown as one that never was. */
  async read(
    by: Actor,
    id: RoleId,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'found'; readonly role: Role } | Refusal<'not_found'>> {
    const loaded = await loadFor(this.#roles, by, id, signal);
    return loaded === undefined ? NOT_FOUND : { kind: 'found', role: loaded.value };
  }

  /** A page, newest first, and the cursor of the next one. */
  async list(request: ListRequest): Promise<
    | {
        readonly kind: 'page';
        readonly roles: readonly Role[];
        readonly next: string | undefined;
      }
    | Refusal<'invalid_cursor'>
  > {
    const search = request.search === undefined ? undefined : foldForSearch(request.search);
    const filter = { account: accountId(request.by), state: request.state, search };
    const after = request.cursor === undefined ? undefined : decodeCursor(request.cursor, filter);
    if (after !== undefined && 'kind' in after) return after;
    const page = await this.#roles.list({
      ...filter,
      now: this.#clock.now(),
      idempotencyKey: undefined,
      after,
      limit: request.limit,
    });
    const next = page.next === undefined ? undefined : encodeCursor(page.next, filter);
    return { kind: 'page', roles: page.items, next };
  }

  /** The role that a key published, in any state, for a caller whose answer got lost. */
  async findByKey(by: AccountId, key: IdempotencyKey): Promise<Role | undefined> {
    const page = await this.#roles.list({
      account: accountId(by),
      now: this.#clock.now(),
      state: undefined,
      idempotencyKey: key,
      search: undefined,
      after: undefined,
      limit: 1,
    });
    return page.items[0];
  }
}
