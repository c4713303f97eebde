import { type Cause, eventOf } from '../domain/history.ts';
import { parseRoleId, type RoleId, type Sha256 } from '../domain/identity.ts';
import { after } from '../domain/instant.ts';
import type { Publication, Role } from '../domain/role.ts';
import { type Takedown, takedownCursors, takenDown } from '../domain/takedown.ts';
import { expectReason } from '../domain/text.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { CLAIM } from '../ports/role-cleanup.ts';
import type { Refusal } from '../refusal.ts';
import { NOT_FOUND } from './changing.ts';
import { cutTo, everyItem, type PageOutcome, type PageRequest, readPage } from './paging.ts';
import { AT_ONCE, allOf, removeArchive } from './removal.ts';
import type { ShowPublication } from './show-publication.ts';

/** The ports of takedowns. */
type TakedownPorts = Pick<AllPorts, 'roles' | 'takedowns' | 'archives' | 'clock' | 'ids'>;

/** A publication to take down, and why. */
export interface TakedownRequest {
  /** A UUID in any letter case. */
  readonly id: string;
  readonly reason: string;
  /** Whether to remove archives immediately, not by a later sweep. */
  readonly purge?: boolean;
  /** Whether to take down all publications in service with the same archive, or only those in a list. */
  readonly copies?: boolean | readonly RoleId[];
  readonly cause: Cause;
}

/** The outcome of a takedown; `copies` were in service with the same archive. */
export type TakedownOutcome =
  | { readonly kind: 'taken_down'; readonly publication: Publication; readonly copies: readonly RoleId[] }
  | Refusal<'not_found'>;

/** Takes publications down: stops them, and forbids publishing their archives again. */
export interface TakingDown {
  /**
   * Stops a publication in any state, and forbids its archive to all accounts. Repeating it only completes a `purge` or
   * `copies`. The next sweep removes archives that storage could not, without the usual delay.
   *
   * @throws TypeError for an invalid reason.
   */
  takeDown(request: TakedownRequest): Promise<TakedownOutcome>;

  /** Finds the publications in service with the same archive, which a takedown with `copies` would stop. */
  copiesOf(id: RoleId): Promise<readonly RoleId[]>;

  /** Reads a page of the takedowns in force, newest first. */
  listTakedowns(request?: PageRequest): Promise<PageOutcome<'takedowns', Takedown>>;

  /** Allows an archive to be published again; publications that were taken down remain stopped. */
  liftTakedown(sha256: Sha256, cause: Cause): Promise<{ readonly kind: 'lifted' } | Refusal<'not_found'>>;

  /** Imports a takedown: stops its publication, if any, and forbids its archive. Returns whether anything changed. */
  bringTakedown(takedown: Omit<Takedown, 'liftedAt'>, cause: Cause): Promise<boolean>;
}

export function takingDown(ports: TakedownPorts, show: ShowPublication): TakingDown {
  const { takedowns } = ports;
  return {
    async takeDown({ id: text, cause, purge = false, copies: wanted = false, reason }) {
      expectReason(reason);
      const id = parseRoleId(text);
      const done = id === undefined ? undefined : await stop(ports, id, { reason }, cause);
      if (done === undefined) return NOT_FOUND;
      const { role } = done;
      const copies = await copiesOf(ports, role);
      const isWanted = (copy: RoleId): boolean =>
        copy === role.id || (typeof wanted === 'boolean' ? wanted : wanted.includes(copy));
      await allOf(copies.filter(isWanted), (copy) => stop(ports, copy, { reason }, cause));
      if (purge) {
        const banned = (await takenDownOf(ports, role)).filter(isWanted);
        await allOf(banned, (each) => purgeOne(ports, each, cause));
      }
      return { kind: 'taken_down', publication: show(role), copies };
    },
    async copiesOf(id) {
      const role = (await ports.roles.load(id))?.value;
      const all = role === undefined ? [] : await copiesOf(ports, role);
      return all.filter((copy) => copy !== id);
    },
    listTakedowns: (request = {}) =>
      readPage('takedowns', request, takedownCursors, async (after, limit) =>
        cutTo(await takedowns.list({ sha256: undefined, after, limit: limit + 1 }), limit),
      ),
    async liftTakedown(sha256, cause) {
      let isLifted = false;
      for (;;) {
        const found = await takedowns.list({ sha256, after: undefined, limit: AT_ONCE });
        if (found.length === 0) return isLifted ? { kind: 'lifted' } : NOT_FOUND;
        for (const takedown of found) isLifted = (await lift(ports, takedown, cause)) || isLifted;
      }
    },
    async bringTakedown({ at, reason, ...brought }, cause) {
      expectReason(reason);
      const stopped = await stop(ports, brought.id, { at, reason }, cause);
      return (await forbid(ports, { ...brought, at, reason }, cause)) || stopped?.isChanged === true;
    },
  };
}

/** Stops a role, bans its archive and records that in one step, by its newest state; `undefined` for an unknown role. */
async function stop(
  { roles, takedowns, clock, ids }: TakedownPorts,
  id: RoleId,
  { reason, at: importedAt }: Pick<Takedown, 'reason'> & Partial<Pick<Takedown, 'at'>>,
  cause: Cause,
): Promise<{ readonly role: Role; readonly isChanged: boolean } | undefined> {
  for (;;) {
    const loaded = await roles.load(id);
    if (loaded === undefined) return undefined;
    const { account, sha256 } = loaded.value;
    const at = clock.now();
    const known = (await takedowns.of([id])).find((each) => each.sha256 === sha256);
    const role = takenDown(loaded.value, at);
    if (role === loaded.value && known?.liftedAt === null) return { role, isChanged: false };
    const event = eventOf(ids, { type: 'pin.taken_down', at }, cause, account, id);
    const takedown = { id, account, sha256, reason, at: importedAt ?? at, liftedAt: null };
    const outcome = await takedowns.takeDown(takedown, { ...loaded, value: role }, [event]);
    if (outcome.kind === 'taken_down') return { role, isChanged: true };
  }
}

async function forbid(
  { takedowns, clock, ids }: TakedownPorts,
  takedown: Omit<Takedown, 'liftedAt'>,
  cause: Cause,
): Promise<boolean> {
  const { account, id } = takedown;
  const event = eventOf(ids, { type: 'pin.taken_down', at: clock.now() }, cause, account, id);
  const outcome = await takedowns.takeDown({ ...takedown, liftedAt: null }, undefined, [event]);
  return outcome.kind === 'taken_down';
}

async function lift(
  { takedowns, clock, ids }: TakedownPorts,
  takedown: Takedown,
  cause: Cause,
): Promise<boolean> {
  const at = clock.now();
  const event = eventOf(ids, { type: 'takedown.lifted', at }, cause, takedown.account, takedown.id);
  return (await takedowns.lift(takedown, at, [event])).kind === 'lifted';
}

/** Finds publications in service with the archive of a stopped one. There can be no new ones: the archive is forbidden. */
function copiesOf({ takedowns, clock }: TakedownPorts, { sha256 }: Role): Promise<readonly RoleId[]> {
  const now = clock.now();
  return everyItem((after, limit) => takedowns.copies({ sha256, now, after, limit }));
}

/** Finds all takedowns of an archive, even earlier ones, to complete an interrupted purge. */
async function takenDownOf({ takedowns }: TakedownPorts, { sha256 }: Role): Promise<readonly RoleId[]> {
  const found = await everyItem<Takedown>((after, limit) => takedowns.list({ sha256, after, limit }));
  return found.map(({ id }) => id);
}

async function purgeOne(ports: TakedownPorts, role: RoleId, cause: Cause): Promise<void> {
  const { takedowns, clock, ids } = ports;
  const claim = { role, token: ids.token(), until: after(clock.now(), CLAIM) };
  const task = await takedowns.claimPurge(claim);
  if (task !== undefined) await removeArchive(ports, task, { cause, signal: undefined });
}
