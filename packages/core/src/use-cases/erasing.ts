import { type Account, checkErasure, erasedAccount, isErasedAccount } from '../domain/account.ts';
import { OPERATOR } from '../domain/actor.ts';
import { type Cause, causedBy, expectCause } from '../domain/history.ts';
import { accountId } from '../domain/identity.ts';
import { after } from '../domain/instant.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Erasure, ErasureStep } from '../ports/erasure-store.ts';
import { CLAIM } from '../ports/role-cleanup.ts';
import type { Refusal } from '../refusal.ts';
import { everyItem } from './paging.ts';
import { AT_ONCE, allOf, removeArchive } from './removal.ts';

/** The ports of erasures. */
type ErasingPorts = Pick<AllPorts, 'erasures' | 'roles' | 'archives' | 'clock' | 'ids'>;

/** The beginning of an erasure; `not_found` if nothing is stored of the account. */
export type EraseOutcome = { readonly kind: 'erasing' } | Refusal<'invalid_account' | 'not_found'>;

/** Erases accounts. */
export interface Erasing {
  /**
   * Begins to erase an account: blocks it, hides its sites and makes its keys and sessions unknown. A sweep on any node, or
   * `finishErasure`, does the rest. Repeating it before the end changes nothing.
   */
  eraseAccount(name: string, cause?: Cause): Promise<EraseOutcome>;

  /**
   * Erases the rest of an account that is being erased. Several processes may call it at once.
   *
   * @returns whether the erasure has ended; false while archives cannot be removed.
   */
  finishErasure(name: string, signal?: AbortSignal): Promise<boolean>;

  /** Finds takedowns whose reason contains a text, such as the name of an erased account. An erasure does not change reasons. */
  takedownsNaming(text: string): Promise<readonly Takedown[]>;
}

export function erasing(ports: ErasingPorts): Erasing {
  const { erasures, clock, ids } = ports;
  return {
    async eraseAccount(name, cause = causedBy(OPERATOR)) {
      const account = accountId(name);
      const state = checkErasure(account);
      if (state !== undefined) return { kind: 'refused', code: 'invalid_account', state };
      const replacement = erasedAccount(ids.token());
      const begun = await erasures.begin({
        account,
        replacement,
        at: clock.now(),
        actor: expectCause(cause).actor,
      });
      return begun === 'begun' ? { kind: 'erasing' } : { kind: 'refused', code: 'not_found' };
    },
    async finishErasure(name, signal) {
      const account = accountId(name);
      const erasure = (await everyErasure(ports)).find((one) => one.account === account);
      return erasure === undefined || (await finish(ports, erasure, signal));
    },
    takedownsNaming: (text) => erasures.takedownsNaming(text),
  };
}

/** Checks whether the operator may change an account. */
export function checkAccountChange({
  name,
  blocked,
}: Pick<Account, 'name' | 'blocked'>): Refusal<'invalid_account'> | undefined {
  if (blocked?.isErasing === true) return { kind: 'refused', code: 'invalid_account', state: 'erasing' };
  if (isErasedAccount(name)) return { kind: 'refused', code: 'invalid_account', state: 'erased' };
  return undefined;
}

/** The accounts that are being erased. */
export function everyErasure({ erasures }: Pick<ErasingPorts, 'erasures'>): Promise<readonly Erasure[]> {
  return everyItem((last, limit) => erasures.list(last?.account, limit));
}

/** Continues an erasure while there is time. Returns whether it has ended. */
export async function finish(
  ports: ErasingPorts,
  erasure: Erasure,
  signal: AbortSignal | undefined,
  hasTimeLeft: () => boolean = () => true,
): Promise<boolean> {
  const { erasures, clock, ids } = ports;
  while (hasTimeLeft()) {
    signal?.throwIfAborted();
    const events = Array.from({ length: erasures.eventsAtOnce }, () => ids.event());
    const step: ErasureStep = await erasures.advance(erasure, clock.now(), events);
    if (step === 'erased') return true;
    if (step === 'archives_left' && !(await removeArchives(ports, erasure, signal))) return false;
  }
  return false;
}

/** Removes some archives without the usual delay. Returns whether it removed any. */
async function removeArchives(
  ports: ErasingPorts,
  { replacement }: Erasure,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const now = ports.clock.now();
  const claim = { now, token: ports.ids.token(), until: after(now, CLAIM), limit: AT_ONCE };
  const tasks = await ports.erasures.claimArchives(replacement, claim);
  const removals = await allOf(tasks, (task) => removeArchive(ports, task, { cause: BY_NOBODY, signal }));
  return removals.some((isGone) => isGone);
}

/** Events of an erased account name no person. */
const BY_NOBODY: Cause = { actor: { kind: 'system', id: null }, asOperator: true };
