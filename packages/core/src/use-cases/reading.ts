import { type RoleOrder, roleCursors } from '../domain/cursor.ts';
import { checkIdempotencyKey, type IdempotencyKey } from '../domain/idempotency.ts';
import { accountId } from '../domain/identity.ts';
import { seconds } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { expectState, type Publication, type Role, type RoleState } from '../domain/role.ts';
import { foldForSearch } from '../domain/text.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Page, RoleQuery } from '../ports/role-store.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { loadFor, NOT_FOUND, type RoleRequest } from './changing.ts';
import { type PageOutcome, type PageRequest, readPage } from './paging.ts';
import type { ShowPublication } from './show-publication.ts';

/** A page of an account's publications to read. */
export interface ListRequest extends PageRequest {
  readonly by: string;
  /** Absent: all but deleted ones. */
  readonly state?: RoleState;
  /** A text to find in titles, original file names and ids, in any case and width. */
  readonly search?: string;
  /** Absent: newest first. */
  readonly order?: RoleOrder;
}

/** The publication, or `not_found`: also for a role of another account. */
export type ReadOutcome =
  | { readonly kind: 'found'; readonly publication: Publication }
  | Refusal<'not_found'>;

/** Reads publications. */
export interface Reading {
  /** Reads a publication in any state; those that the actor does not reach read as not found. */
  read(request: RoleRequest): Promise<ReadOutcome>;

  /** @throws TypeError when the limit is not a whole number from 1 to 100, or the state is unknown. */
  list(request: ListRequest): Promise<PageOutcome<'publications', Publication>>;

  /** Finds the publication of a key, in any state, for a caller that did not get the answer. */
  findByKey(request: { readonly by: string; readonly key: string }): Promise<Publication | undefined>;
}

/** The time after which a search that finds little answers with a short page. */
const MAX_SEARCH_TIME = seconds(2);

type ReadingPorts = Pick<AllPorts, 'roles' | 'clock'>;

export function reading(ports: ReadingPorts, limits: Limits, show: ShowPublication): Reading {
  const { roles } = ports;
  const showAll = async (found: readonly Role[]) => found.map(show);
  return {
    async read(request) {
      const loaded = await loadFor(roles, request);
      return loaded === undefined ? NOT_FOUND : { kind: 'found', publication: show(loaded.value) };
    },
    list: async ({ by, ...request }) =>
      await listRoles(ports, { ...request, account: accountId(by) }, showAll),
    async findByKey({ by, key }) {
      const account = accountId(by);
      const idempotencyKey = checkIdempotencyKey(key, limits);
      if (isRefusal(idempotencyKey)) return undefined;
      const found = await listRoles(ports, { account, idempotencyKey, limit: 1 }, showAll);
      return found.kind === 'page' ? found.publications[0] : undefined;
    },
  };
}

interface RolesRequest extends Omit<ListRequest, 'by'> {
  readonly account?: string | undefined;
  readonly idempotencyKey?: IdempotencyKey;
}

/** Reads a page of roles of an account or, without one, of all accounts. */
export async function listRoles<Shown>(
  { roles, clock }: ReadingPorts,
  { account, state, search, order, idempotencyKey, ...page }: RolesRequest,
  show: (roles: readonly Role[]) => Promise<readonly Shown[]>,
): Promise<PageOutcome<'publications', Shown>> {
  expectState(state);
  const filter = {
    account: account === undefined ? undefined : accountId(account),
    state,
    search: search && foldForSearch(search),
    order,
    idempotencyKey,
  };
  return await readPage('publications', page, roleCursors(filter), async (after, limit) => {
    const { items, next } = await fill(roles, clock, { ...filter, after, limit });
    return { items: await show(items), next };
  });
}

/** Reads until the page is full, the list has ended, or {@link MAX_SEARCH_TIME} is over. */
async function fill(
  roles: ReadingPorts['roles'],
  clock: ReadingPorts['clock'],
  query: Omit<RoleQuery, 'now'>,
): Promise<Page<Role>> {
  const now = clock.now();
  const items: Role[] = [];
  let { after } = query;
  for (;;) {
    const part = await roles.list({ ...query, now, after, limit: query.limit - items.length });
    items.push(...part.items);
    // The absolute difference ends the search even if the clock was set back.
    const isLate = Math.abs(clock.now() - now) >= MAX_SEARCH_TIME;
    if (items.length === query.limit || part.next === undefined || isLate) return { items, next: part.next };
    after = part.next;
  }
}
