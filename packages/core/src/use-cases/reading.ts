import { roleCursors } from '../domain/cursor.ts';
import { checkIdempotencyKey } from '../domain/idempotency.ts';
import { accountId } from '../domain/identity.ts';
import type { Limits } from '../domain/limits.ts';
import type { Publication } from '../domain/publication.ts';
import { expectState, type Role, type RoleState } from '../domain/role.ts';
import { foldForSearch } from '../domain/text.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Page, RoleQuery } from '../ports/role-store.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { loadFor, NOT_FOUND, type RoleRequest } from './changing.ts';
import { type PageOutcome, type PageRequest, readPage } from './paging.ts';
import type { ShowPublication } from './show-publication.ts';

/** Which page of an account's publications is wanted. */
export interface ListRequest extends PageRequest {
  /** Whose publications: an account lists its own. */
  readonly by: string;
  /** Absent: all but deleted ones. */
  readonly state?: RoleState;
  /** A text to find in titles and ids, in any case and width. */
  readonly search?: string;
}

/** One publication, or no such publication in reach. */
export type ReadOutcome =
  | { readonly kind: 'found'; readonly publication: Publication }
  | Refusal<'not_found'>;

/** A page of publications, or why there is none. */
export type ListOutcome = PageOutcome<'publications', Publication>;

/** Reads publications. */
export interface Reading {
  /** One publication in any state; those out of the actor's reach read as not found. */
  read(request: RoleRequest): Promise<ReadOutcome>;

  /**
   * A page of an account's publications, newest first.
   *
   * @throws TypeError when the limit is no whole number from 1 to 100, or the state is unknown.
   */
  list(request: ListRequest): Promise<ListOutcome>;

  /** The publication of a key, in any state, for a caller whose answer got lost. */
  findByKey(request: { readonly by: string; readonly key: string }): Promise<Publication | undefined>;
}

type ReadingPorts = Pick<AllPorts, 'roles' | 'clock'>;

export function reading(ports: ReadingPorts, limits: Limits, show: ShowPublication): Reading {
  const { roles } = ports;
  return {
    async read(request) {
      const loaded = await loadFor(roles, request);
      return loaded === undefined ? NOT_FOUND : { kind: 'found', publication: show(loaded.value) };
    },
    list: async ({ by, ...request }) =>
      await listRoles(ports, { ...request, account: accountId(by) }, async (found) => found.map(show)),
    async findByKey({ by, key }) {
      const account = accountId(by);
      const idempotencyKey = checkIdempotencyKey(key, limits);
      if (isRefusal(idempotencyKey)) return undefined;
      const [role] = (await roleRows(ports, { account, idempotencyKey, limit: 1 })).items;
      return role && show(role);
    },
  };
}

/** A page of roles, newest first; without an account those of every account. */
export async function listRoles<Shown>(
  ports: ReadingPorts,
  { account, state, search, ...page }: Omit<ListRequest, 'by'> & { readonly account?: string | undefined },
  show: (roles: readonly Role[]) => Promise<readonly Shown[]>,
): Promise<PageOutcome<'publications', Shown>> {
  expectState(state);
  const filter = {
    account: account === undefined ? undefined : accountId(account),
    state,
    search: search === undefined ? undefined : foldForSearch(search),
  };
  return await readPage('publications', page, roleCursors(filter), async (after, limit) => {
    const { items, next } = await roleRows(ports, { ...filter, after, limit });
    return { items: await show(items), next };
  });
}

function roleRows(
  { roles, clock }: ReadingPorts,
  query: Partial<RoleQuery> & Pick<RoleQuery, 'account' | 'limit'>,
): Promise<Page<Role>> {
  const rest = { state: undefined, search: undefined, idempotencyKey: undefined, after: undefined };
  return roles.list({ now: clock.now(), ...rest, ...query });
}
