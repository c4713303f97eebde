import {
  type Account,
  type AccountLimits,
  type AccountUse,
  type Block,
  isAccountLimit,
  NO_ACCOUNT_LIMITS,
} from '../domain/account.ts';
import type { Mode } from '../domain/admission.ts';
import { cursorCodec } from '../domain/cursor.ts';
import { type Cause, type EventType, eventOf } from '../domain/history.ts';
import { type AccountId, accountId, parseAccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import { FIRST_GENERATION, type Generation } from '../domain/role.ts';
import { expectReason, isOperatorText } from '../domain/text.ts';
import type { AccountChange } from '../ports/account-store.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Refusal } from '../refusal.ts';
import {
  type AdministeredArchives,
  administeredArchives,
  type Overseeing,
  overseeing,
} from './admin-publications.ts';
import { checkAccountChange, type Erasing, erasing } from './erasing.ts';
import { cutTo, type PageOutcome, type PageRequest, readPage } from './paging.ts';
import { type PublicationOptions, showing } from './show-publication.ts';
import { type TakingDown, takingDown } from './taking-down.ts';

/** An account and its usage. */
export interface AdministeredAccount {
  readonly account: Account;
  readonly used: AccountUse;
}

/** A changed account, or a refusal for one that is being or was erased. */
export type AccountOutcome = AdministeredAccount | Refusal<'invalid_account'>;

/** The reason of a block, and its effect on the account's sites. */
export type NewBlock = Omit<Block, 'at'>;

/**
 * The operator's actions on accounts, on publications of any account and on the service. These do not authorize the caller:
 * do it first.
 */
export interface Administration extends Overseeing, AdministeredArchives, TakingDown, Erasing {
  /** Reads a page, in order of name. */
  listAccounts(request?: PageRequest): Promise<PageOutcome<'accounts', AdministeredAccount>>;

  showAccount(name: string): Promise<AdministeredAccount | undefined>;

  /**
   * Sets the given limits of an account. Creates the account if it is unknown.
   *
   * @throws TypeError for an invalid limit.
   */
  limitAccount(name: string, limits: Partial<AccountLimits>, cause: Cause): Promise<AccountOutcome>;

  /**
   * Blocks an account, or changes its block. Creates the account if it is unknown.
   *
   * @throws TypeError for an invalid reason, and for `sites` other than `keep` and `hide`.
   */
  blockAccount(name: string, block: NewBlock, cause: Cause): Promise<AccountOutcome>;

  unblockAccount(name: string, cause: Cause): Promise<AccountOutcome>;

  showService(): Promise<Mode>;

  /**
   * Changes the mode of the service or its message. Once it is read-only, changes that accounts have begun are not stored.
   *
   * @throws TypeError for an invalid mode, and for a message that is neither null nor 1 to 255 characters.
   */
  changeService(mode: Mode, cause: Cause): Promise<Mode>;
}

/** The ports of `createAdministration`. */
export type AdministrationPorts = Pick<
  AllPorts,
  'accounts' | 'erasures' | 'mode' | 'roles' | 'takedowns' | 'archives' | 'history' | 'clock' | 'ids'
>;

/** Cursors escape names, which may have any printable character. */
const CURSORS = cursorCodec<{ readonly escaped: string }>(
  { escaped: (text) => (parseAccountId(unescaped(text)) === undefined ? undefined : text) },
  ['accounts'],
);

function escaped(name: AccountId): string {
  return name.replace(/[^0-9A-Za-z_-]/gu, (character) => `~${character.codePointAt(0)?.toString(16)}~`);
}

function unescaped(text: string): string {
  return text.replace(/~([0-9a-f]{1,5}|10[0-9a-f]{4})~/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/** The change of an account and its event type; undefined if nothing changes. */
type Decision = { readonly change: AccountChange; readonly type: EventType } | undefined;

/**
 * Creates the administration.
 *
 * @example
 * import { type AdministrationPorts, createAdministration } from '@pinfold/core/administration';
 *
 * declare const ports: AdministrationPorts;
 * const administration = createAdministration(ports);
 * const cause = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;
 * await administration.blockAccount('team-7', { reason: 'Phishing', sites: 'keep' }, cause);
 */
export function createAdministration(
  ports: AdministrationPorts,
  options: PublicationOptions = {},
): Administration {
  const { accounts, mode, clock, ids } = ports;
  const { show } = showing(clock, options);
  const withUse = async (account: Account): Promise<AdministeredAccount> => ({
    account,
    used: await accounts.usedBy(account.name, clock.now()),
  });
  const change = async (
    name: string,
    cause: Cause,
    decide: (account: AccountChange, now: Instant) => Decision,
  ): Promise<AccountOutcome> => {
    const outcome = await changeAccount(ports, accountId(name), cause, decide);
    return 'code' in outcome ? outcome : await withUse(outcome);
  };
  return {
    ...overseeing(ports, show),
    ...administeredArchives(ports, show),
    ...takingDown(ports, show),
    ...erasing(ports),
    listAccounts: (request = {}) =>
      readPage('accounts', request, CURSORS, async (after, limit) => {
        const last = after && accountId(unescaped(after.escaped));
        const { items, next } = cutTo(await accounts.list(last, limit + 1), limit);
        const used: AdministeredAccount[] = [];
        // One after another, so that a page does not take every connection of the pool.
        for (const account of items) used.push(await withUse(account));
        return { items: used, next: next && { escaped: escaped(next.name) } };
      }),
    async showAccount(name) {
      const found = await accounts.load(accountId(name));
      return found && withUse(found.value);
    },
    async limitAccount(name, limits, cause) {
      const given = expectLimits(limits);
      return await change(name, cause, (account) => decideLimits(account, given));
    },
    async blockAccount(name, block, cause) {
      expectReason(block.reason);
      if (block.sites !== 'keep' && block.sites !== 'hide') throw new TypeError('sites is keep or hide');
      return await change(name, cause, (account, now) => decideBlock(account, block, now));
    },
    unblockAccount: (name, cause) =>
      change(name, cause, (account) =>
        account.blocked === null
          ? undefined
          : { change: { ...account, blocked: null }, type: 'account.unblocked' },
      ),
    showService: () => mode.load(),
    async changeService(wanted, cause) {
      expectMode(wanted);
      const { kind } = wanted;
      // A message only applies to read-only mode.
      const next = { kind, message: kind === 'normal' ? null : wanted.message };
      await mode.change(next, [eventOf(ids, { type: 'service.mode_changed', at: clock.now() }, cause, null)]);
      return next;
    },
  };
}

/** Validates the given limits. A member that is undefined counts as absent. */
function expectLimits(wanted: Partial<AccountLimits>): Partial<AccountLimits> {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!isAccountLimit(name, value)) throw new TypeError(`${String(value)} is not a valid limit of ${name}`);
  }
  return Object.fromEntries(given);
}

function expectMode({ kind, message }: Mode): void {
  if (kind !== 'normal' && kind !== 'read_only') throw new TypeError('a mode is normal or read_only');
  if (message === null || isOperatorText(message)) return;
  throw new TypeError('a message has 1 to 255 characters, no control characters');
}

function decideLimits(account: AccountChange, wanted: Partial<AccountLimits>): Decision {
  const limits = { ...account.limits, ...wanted };
  const names = Object.keys(NO_ACCOUNT_LIMITS) as (keyof AccountLimits)[];
  if (names.every((name) => limits[name] === account.limits[name])) return undefined;
  return { change: { ...account, limits }, type: 'account.limits_changed' };
}

function decideBlock(account: AccountChange, { reason, sites }: NewBlock, at: Instant): Decision {
  const before = account.blocked;
  if (before?.reason === reason && before.sites === sites) return undefined;
  const isHidden = sites === 'hide' && before?.sites !== 'hide';
  const generation = isHidden ? ((account.generation + 1) as Generation) : account.generation;
  return { change: { ...account, blocked: { reason, sites, at }, generation }, type: 'account.blocked' };
}

/** Changes an account; decides again after a conflict. */
async function changeAccount(
  { accounts, clock, ids }: AdministrationPorts,
  name: AccountId,
  cause: Cause,
  decide: (account: AccountChange, now: Instant) => Decision,
): Promise<Account | Refusal<'invalid_account'>> {
  for (;;) {
    const found = await accounts.load(name);
    const { limits, blocked, generation } = found?.value ?? NEW_ACCOUNT;
    const before: AccountChange = { name, limits, blocked, generation };
    const refused = checkAccountChange(before);
    if (refused !== undefined) return refused;
    const at = clock.now();
    const decision = decide(before, at);
    if (decision === undefined && found !== undefined) return found.value;
    const { change, type } = decision ?? { change: before };
    const events = type === undefined ? [] : [eventOf(ids, { type, at }, cause, name)];
    const outcome = await accounts.save(change, found?.version, events);
    const known = found?.value ?? { lastPublishedAt: null, publicationsMark: null };
    if (outcome.kind === 'saved') return { ...known, ...change };
  }
}

const NEW_ACCOUNT = { limits: NO_ACCOUNT_LIMITS, blocked: null, generation: FIRST_GENERATION };
