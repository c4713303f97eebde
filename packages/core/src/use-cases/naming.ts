import type { PublicationLimits } from '../domain/account.ts';
import type { Unchangeable } from '../domain/admission.ts';
import { cursorCodec, type PlaceReaders } from '../domain/cursor.ts';
import { causedBy, eventOf } from '../domain/history.ts';
import { type AccountId, accountId, parseRoleId } from '../domain/identity.ts';
import { type Name, type NameRecord, nameSegment, parseName, parseNameSegment } from '../domain/name.ts';
import type { Publication } from '../domain/role.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { isRefusal, type NameQuotaExceeded, type Refusal } from '../refusal.ts';
import { type Attribution, NOT_FOUND } from './changing.ts';
import { cutTo, type PageOutcome, type PageRequest, readPage } from './paging.ts';
import type { ShowName, ShowPublication } from './show-publication.ts';

/** A name and its account. */
export interface NameRequest {
  /** The account that it belongs to. */
  readonly by: string;
  readonly name: string;
}

/** The name to change, and who changes it. */
export interface NameChangeRequest extends NameRequest, Attribution {}

/** A page of an account's names to read. */
export interface NameListRequest extends PageRequest {
  readonly by: string;
}

/** The outcome of a request to set a name. */
export type NameSetOutcome =
  | { readonly kind: 'created' | 'moved' | 'unchanged'; readonly name: Name }
  | Refusal<'invalid_name' | 'not_found' | 'invalid_state' | 'unauthorized'>
  | NameQuotaExceeded
  | Unchangeable;

/** The outcome of a request to delete a name. */
export type NameDeleteOutcome =
  | { readonly kind: 'deleted' }
  | Refusal<'not_found' | 'unauthorized'>
  | Unchangeable;

/** The names of an account: each is an address that shows one of its publications. */
export interface Names {
  get(request: NameRequest): Promise<{ readonly kind: 'found'; readonly name: Name } | Refusal<'not_found'>>;

  /** Reads a page, in order of name. */
  list(request: NameListRequest): Promise<PageOutcome<'names', Name>>;

  /**
   * Points a name at a publication of its account that is in service. Creates the name if it is new.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases, pin: string;
   * const outcome = await useCases.names.set({ by: 'ada', name: 'pr-42', pin });
   * if (outcome.kind !== 'refused') console.log(outcome.name.url);
   */
  set(request: NameChangeRequest & { readonly pin: string }): Promise<NameSetOutcome>;

  delete(request: NameChangeRequest): Promise<NameDeleteOutcome>;
}

/** The target of a name's URL. `misspelled`: the text before the token differs from that in `segment`. */
export type NameVisit =
  | { readonly kind: 'unknown' | 'expired' }
  | { readonly kind: 'misspelled'; readonly segment: string }
  | { readonly kind: 'published'; readonly publication: Publication };

/** Manages names, and resolves them for viewers. */
export interface Naming {
  readonly names: Names;

  /** Resolves the last segment of a name's URL to its publication, by one read. */
  visitName(segment: string, signal?: AbortSignal): Promise<NameVisit>;
}

export type NamingPorts = Pick<AllPorts, 'names' | 'clock' | 'ids'>;

const NAME_PLACE: PlaceReaders<Pick<NameRecord, 'name'>> = {
  name: (text) => {
    const name = parseName(text);
    return isRefusal(name) ? undefined : name;
  },
};

export function naming(
  { names: store, clock, ids }: NamingPorts,
  show: ShowPublication,
  showName: ShowName,
  quotasOf: (account: AccountId) => Promise<PublicationLimits>,
): Naming {
  const names: Names = {
    async get({ by, name: text }) {
      const [account, name] = [accountId(by), parseName(text)];
      const found = typeof name === 'string' ? await store.find(account, name) : undefined;
      return found === undefined ? NOT_FOUND : { kind: 'found', name: showName(found) };
    },
    async list({ by, ...page }) {
      const account = accountId(by);
      return await readPage(
        'names',
        page,
        cursorCodec(NAME_PLACE, ['names', account]),
        async (after, limit) => {
          const { items, next } = cutTo(await store.list(account, after?.name, limit + 1), limit);
          return { items: items.map(showName), next: next?.name };
        },
      );
    },
    async set({ by, name: text, pin, cause = causedBy(by), credential = {} }) {
      const [account, name, role] = [accountId(by), parseName(text), parseRoleId(pin)];
      if (isRefusal(name)) return name;
      if (role === undefined) return NOT_FOUND;
      const { names: limit } = await quotasOf(account);
      const now = clock.now();
      const event = eventOf(ids, { type: 'name.set', at: now, name }, cause, account, role);
      const change = { account, name, credential, token: ids.nameToken(), role, now, limit };
      const outcome = await store.set(change, [event]);
      return outcome.kind === 'refused' ? outcome : { kind: outcome.kind, name: showName(outcome) };
    },
    async delete({ by, name: text, cause = causedBy(by), credential = {} }) {
      const [account, name] = [accountId(by), parseName(text)];
      if (typeof name !== 'string') return NOT_FOUND;
      const event = eventOf(ids, { type: 'name.deleted', at: clock.now(), name }, cause, account);
      const outcome = await store.delete({ account, name, credential }, [event]);
      if (outcome.kind === 'refused') return outcome;
      return outcome.kind === 'unknown' ? NOT_FOUND : { kind: 'deleted' };
    },
  };
  return {
    names,
    async visitName(segment, signal) {
      const parsed = parseNameSegment(segment);
      const found = parsed === undefined ? undefined : await store.resolve(parsed.token, signal);
      if (found === undefined || found.role.isHidden) return { kind: 'unknown' };
      const expected = nameSegment(found.name);
      if (segment !== expected) return { kind: 'misspelled', segment: expected };
      const publication = show(found.role.value);
      const { state } = publication;
      if (state === 'published') return { kind: state, publication };
      return { kind: state === 'deleted' ? 'unknown' : state };
    },
  };
}
