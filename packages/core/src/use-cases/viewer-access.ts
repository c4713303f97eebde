import { isPromise } from '../adapter/foreign-values.ts';
import { admits, firstGrant, type Grant, type GrantPurpose, type VisibleRole } from '../domain/grant.ts';
import { parseRoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { DROPPED_HASH, type PasswordHash, parseGuess } from '../domain/password.ts';
import type { Publication } from '../domain/role.ts';
import { isFault } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { AttemptTicket } from '../ports/attempt-counter.ts';
import type { LoadedRole, RoleStore } from '../ports/role-store.ts';
import type { Observe } from './measurement.ts';
import { WaitingTries } from './password-queue.ts';
import type { ShowPublication } from './show-publication.ts';

/** The current target of a shared URL. Stopped and hidden roles are unknown. */
export type Visit = { readonly kind: 'unknown' | 'expired' } | ({ readonly kind: 'published' } & VisibleRole);

/** A password that a viewer tries. */
export interface EnterRequest {
  readonly id: string;
  readonly password: string;
  /** The client's address, an IPv6 one reduced to its /64. */
  readonly address: string;
  /** The viewer's grant tokens: a valid one ends the wait for other tries. */
  readonly tokens?: readonly string[];
  /** Ends the wait for other tries. A try that has begun is always settled. */
  readonly signal?: AbortSignal;
}

/** The outcome of a password try. */
export type EnterOutcome =
  | { readonly kind: 'unknown' | 'expired' }
  | ({ readonly kind: 'not_protected' } & VisibleRole)
  | { readonly kind: 'granted'; readonly publication: Publication; readonly grant: Grant }
  | { readonly kind: 'wrong'; readonly publication: Publication }
  | { readonly kind: 'limited'; readonly publication: Publication; readonly until: Instant }
  /** Too many tries wait, or this one has waited too long; the password was not checked. */
  | { readonly kind: 'busy' };

/** A counted try, which must be settled or forgiven. */
interface BegunTry {
  readonly kind: 'begun';
  readonly shown: VisibleRole;
  readonly hash: PasswordHash;
  readonly ticket: AttemptTicket;
}

type EnterPorts = Pick<AllPorts, 'roles' | 'attempts' | 'passwords' | 'grants' | 'clock'>;

/** Grants prove that a viewer gave the password. */
export interface Grants {
  /**
   * Finds the first token whose grant is valid for this site and purpose; without a promise if `GrantSigner` answers without
   * one.
   */
  admit(
    shown: VisibleRole,
    purpose: GrantPurpose,
    tokens: readonly string[],
  ): Promise<Grant | undefined> | Grant | undefined;

  sign(grant: Grant): Promise<string> | string;
}

/** Resolves shared URLs, checks passwords and grants. */
export interface Entering {
  /** Reads the newest state of a role for viewers. Like `RoleStore.load`, it may return or throw without a promise. */
  visit(id: string, signal?: AbortSignal): Promise<Visit> | Visit;

  /**
   * Tries a password. Counts the try before it checks the password, and forgives it if that is right, so that concurrent
   * guesses never exceed the limit. Waits while wrong tries and those under way together reach the limit.
   *
   * @throws Fault `hasher_overloaded` when the queue for hashing is full; the try is not counted then.
   */
  enter(request: EnterRequest): Promise<EnterOutcome>;

  readonly grants: Grants;
}

export function entering(
  ports: EnterPorts,
  limits: Limits,
  show: ShowPublication,
  observe?: Observe,
): Entering {
  const { roles, grants, clock } = ports;
  const waiting = new WaitingTries(clock);

  function load(text: string, signal?: AbortSignal): ReturnType<RoleStore['load']> {
    const id = parseRoleId(text);
    return id && roles.load(id, signal);
  }

  function visitOf(loaded: LoadedRole | undefined): Visit {
    if (loaded === undefined || loaded.isHidden) return { kind: 'unknown' };
    const publication = show(loaded.value);
    const { state } = publication;
    if (state !== 'published') return { kind: state === 'deleted' ? 'unknown' : state };
    return { kind: state, publication, accountGeneration: loaded.accountGeneration };
  }

  function admit(
    shown: VisibleRole,
    purpose: GrantPurpose,
    tokens: readonly string[],
  ): ReturnType<Grants['admit']> {
    const now = clock.now();
    const isValid = (grant: Grant | undefined): grant is Grant =>
      grant !== undefined && admits(grant, purpose, shown, now, limits);
    for (const [at, token] of tokens.entries()) {
      const verified = grants.verify(token);
      if (isPromise<Grant | undefined>(verified)) {
        return verified.then((grant) =>
          isValid(grant) ? grant : admit(shown, purpose, tokens.slice(at + 1)),
        );
      }
      if (isValid(verified)) return verified;
    }
    return undefined;
  }

  /** Counts a try if the role has a password; `undefined` while the try must wait. */
  async function begin({
    id,
    address,
    tokens = [],
  }: EnterRequest): Promise<BegunTry | EnterOutcome | undefined> {
    const loaded = await load(id);
    const shown = visitOf(loaded);
    if (shown.kind !== 'published') return shown;
    const { publication } = shown;
    const hash = loaded?.value.passwordHash ?? null;
    if (hash === null) return { ...shown, kind: 'not_protected' };
    const attempt = await ports.attempts.begin({
      role: publication.id,
      address,
      now: clock.now(),
      window: limits.attemptWindow,
      perAddress: limits.attemptsPerAddress,
      perRole: limits.attemptsPerRole,
    });
    if (attempt.kind === 'admitted') return { kind: 'begun', shown, hash, ticket: attempt.ticket };
    if (attempt.kind === 'limited') return { kind: 'limited', publication, until: attempt.until };
    // A viewer with a grant need not wait: after `busy`, the door looks for one.
    return (await admit(shown, 'cookie', tokens)) && attempt;
  }

  async function holdsGrant({ id, tokens = [] }: EnterRequest): Promise<boolean> {
    const shown = visitOf(tokens.length > 0 ? await load(id) : undefined);
    return shown.kind === 'published' && (await admit(shown, 'cookie', tokens)) !== undefined;
  }

  async function enter(request: EnterRequest): Promise<EnterOutcome> {
    const line = JSON.stringify([request.id, request.address]);
    if (waiting.has(line) && (await holdsGrant(request))) return { kind: 'busy' };
    const begun = await waiting.ask(line, () => begin(request), request.signal);
    if (begun === undefined) return { kind: 'busy' };
    if (begun.kind !== 'begun') return begun;
    try {
      return await finish(ports, begun, request);
    } finally {
      waiting.wake(line);
    }
  }

  return {
    visit(id, signal) {
      const loaded = load(id, signal);
      return loaded && 'then' in loaded ? Promise.resolve(loaded).then(visitOf) : visitOf(loaded);
    },
    async enter(request) {
      const outcome = await enter(request);
      observe?.({ kind: 'try', outcome: outcome.kind });
      return outcome;
    },
    grants: { admit, sign: (grant) => grants.sign(grant) },
  };
}

async function finish(
  { attempts, passwords, clock }: EnterPorts,
  { shown, hash, ticket }: BegunTry,
  { password, address }: EnterRequest,
): Promise<EnterOutcome> {
  const guess = parseGuess(password);
  let end: 'forgive' | 'settle' = 'settle';
  try {
    const isGuess = guess !== undefined && hash !== DROPPED_HASH;
    if (isGuess && (await passwords.verify(guess, hash, address))) end = 'forgive';
  } catch (error) {
    if (isFault(error) && error.code === 'hasher_overloaded') end = 'forgive';
    throw error;
  } finally {
    await attempts[end](ticket);
  }
  return end === 'forgive'
    ? { kind: 'granted', publication: shown.publication, grant: firstGrant('cookie', shown, clock.now()) }
    : { kind: 'wrong', publication: shown.publication };
}
