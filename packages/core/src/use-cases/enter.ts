import { admits, firstGrant, type Grant, type GrantPurpose } from '../domain/grant.ts';
import type { RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { type Password, type PasswordHash, parseGuess } from '../domain/password.ts';
import { type Role, stateOf } from '../domain/role.ts';
import { isFault } from '../fault.ts';
import type { AttemptCounter, AttemptTicket } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { GrantSigner } from '../ports/grant-signer.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { RoleStore } from '../ports/role-store.ts';
import { WaitingTries } from './waiting-tries.ts';

/** What a shared URL leads to now. A stopped role is as unknown as one that never was. */
export type Visit =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'published'; readonly role: Role };

/** A viewer's password for a role. */
export interface EnterRequest {
  readonly id: RoleId;
  /** As sent. */
  readonly password: string;
  /** The client's address, an IPv6 one reduced to its /64. */
  readonly address: string;
  /** Tokens of grants that the viewer shows: with a good one nobody waits while others try. */
  readonly tokens?: readonly string[];
  /** Ends the wait for other tries. A try that has begun is settled whoever leaves. */
  readonly signal?: AbortSignal;
}

export type EnterOutcome =
  | { readonly kind: 'unknown' | 'expired' }
  | { readonly kind: 'not_protected'; readonly role: Role }
  | { readonly kind: 'granted'; readonly role: Role; readonly grant: Grant }
  | { readonly kind: 'wrong'; readonly role: Role }
  | { readonly kind: 'limited'; readonly role: Role; readonly until: Instant }
  /** Others were trying for too long, or too many wait for that; the password was not looked at. */
  | { readonly kind: 'busy' };

/** A try that was counted, and has to be settled or forgiven. */
interface BegunTry {
  readonly kind: 'begun';
  readonly role: Role;
  readonly hash: PasswordHash;
  readonly ticket: AttemptTicket;
}

/** The ports that letting viewers in needs. */
export interface EnterPorts {
  readonly roles: RoleStore;
  readonly attempts: AttemptCounter;
  readonly passwords: PasswordHasher;
  readonly grants: GrantSigner;
  readonly clock: Clock;
}

/** Lets viewers in: tells what a shared URL leads to, takes passwords, and checks grants. */
export class Enter {
  readonly #ports: EnterPorts;
  readonly #limits: Limits;
  readonly #waiting: WaitingTries;

  constructor(ports: EnterPorts, limits: Limits) {
    this.#ports = ports;
    this.#limits = limits;
    this.#waiting = new WaitingTries(ports.clock);
  }

  /** The newest state of a role, as viewers meet it. */
  async visit(id: RoleId, signal?: AbortSignal): Promise<Visit> {
    const loaded = await this.#ports.roles.load(id, signal);
    if (loaded === undefined) return { kind: 'unknown' };
    const state = stateOf(loaded.value, this.#ports.clock.now());
    if (state === 'published') return { kind: 'published', role: loaded.value };
    return { kind: state === 'expired' ? 'expired' : 'unknown' };
  }

  /** The first of the presented tokens that admits to the role for this purpose, if any does. */
  admit(role: Role, purpose: GrantPurpose, tokens: readonly string[]): Grant | undefined {
    const now = this.#ports.clock.now();
    for (const token of tokens) {
      const grant = this.#ports.grants.verify(token);
      if (grant !== undefined && admits(grant, purpose, role, now, this.#limits)) return grant;
    }
    return undefined;
  }

  /** Writes a grant as the token that viewers carry. */
  sign(grant: Grant): string {
    return this.#ports.grants.sign(grant);
  }

  /**
   * Tries a password. The try is counted before the password is looked at and taken back when it is right, so that
   * guesses in parallel never exceed the limit. While wrong tries and those under way reach it together, it waits.
   *
   * @throws Fault `hasher_overloaded` when too many wait to be hashed; the try is not counted then.
   */
  async enter(request: EnterRequest): Promise<EnterOutcome> {
    const line = JSON.stringify([request.id, request.address]);
    const begun = await this.#waiting.ask(line, () => this.#begin(request), request.signal);
    if (begun === undefined) return { kind: 'busy' };
    if (begun.kind !== 'begun') return begun;
    try {
      return await this.#finish(begun, request);
    } finally {
      this.#waiting.wake(line);
    }
  }

  /** Counts a try, unless there is nothing to try; `undefined` while it has to wait. */
  async #begin({ id, address, tokens = [] }: EnterRequest): Promise<BegunTry | EnterOutcome | undefined> {
    const visit = await this.visit(id);
    if (visit.kind !== 'published') return visit;
    const { role } = visit;
    const hash = role.passwordHash;
    if (hash === null) return { kind: 'not_protected', role };
    const attempt = await this.#ports.attempts.begin({
      role: role.id,
      address,
      now: this.#ports.clock.now(),
      window: this.#limits.attemptWindow,
      perAddress: this.#limits.attemptsPerAddress,
      perRole: this.#limits.attemptsPerRole,
    });
    switch (attempt.kind) {
      case 'admitted':
        return { kind: 'begun', role, hash, ticket: attempt.ticket };
      case 'limited':
        return { kind: 'limited', role, until: attempt.until };
      case 'busy':
        return this.admit(role, 'cookie', tokens) === undefined ? undefined : { kind: 'busy' };
      default:
        return attempt satisfies never;
    }
  }

  async #finish(begun: BegunTry, { password, address }: EnterRequest): Promise<EnterOutcome> {
    const { role, ticket } = begun;
    const guess = parseGuess(password);
    if (guess === undefined || !(await this.#verify(guess, begun, address))) {
      await this.#ports.attempts.settle(ticket);
      return { kind: 'wrong', role };
    }
    await this.#ports.attempts.forgive(ticket);
    return { kind: 'granted', role, grant: firstGrant('cookie', role, this.#ports.clock.now()) };
  }

  async #verify(guess: Password, { hash, ticket }: BegunTry, address: string): Promise<boolean> {
    try {
      return await this.#ports.passwords.verify(guess, hash, address);
    } catch (error) {
      if (isFault(error) && error.code === 'hasher_overloaded') await this.#ports.attempts.forgive(ticket);
      else await this.#ports.attempts.settle(ticket);
      throw error;
    }
  }
}
