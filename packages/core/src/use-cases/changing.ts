import { type Actor, type Credential, OPERATOR, reachOf, type SaveAuthority } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import { firstGrant, type Grant, grantEndsAt } from '../domain/grant.ts';
import { type Cause, causedBy, eventOf } from '../domain/history.ts';
import { type AccountId, parseRoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { type Password, parsePassword } from '../domain/password.ts';
import {
  checkCommand,
  type Decision,
  decide,
  type Generation,
  type Publication,
  type Role,
  type RoleCommand,
} from '../domain/role.ts';
import { parseTitle } from '../domain/text.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { LoadedRole, RoleStore } from '../ports/role-store.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { ShowPublication } from './show-publication.ts';

/** A role by its id, and the actor of the request. */
export interface RoleRequest {
  /** An account, or OPERATOR. */
  readonly by: Actor | string;
  /** A UUID in any letter case; any other text is an unknown role. */
  readonly id: string;
  /** Ends the request, and the retries of a change that conflicts with others. */
  readonly signal?: AbortSignal;
}

export interface Attribution {
  /** The cause that the history records. Default: the actor. */
  readonly cause?: Cause;
  /** The caller's key or session: once it has ended, nothing changes. Absent: no check. */
  readonly credential?: Credential;
}

/** The role to change, and who changes it. */
export interface ChangeRequest extends RoleRequest, Attribution {}

/** The attribute to change. The empty string and null both remove it. */
export type Update =
  | { readonly type: 'set_title'; readonly title: string | null }
  | { readonly type: 'set_password'; readonly password: string | null }
  | { readonly type: 'reset_expiration' };

/** The values that the caller saw: the change fails if they differ now. */
export interface Precondition {
  readonly title?: string | null;
  readonly generation?: Generation;
}

/** Someone else changed the publication first; this change was not applied. */
export interface Conflict {
  readonly kind: 'overtaken';
  readonly publication: Publication;
}

/** The publication after the change. */
export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly publication: Publication }
  | Refusal<'not_found' | 'invalid_state' | 'unauthorized'>
  | Unchangeable;

/** The publication after the update, or why the new value is invalid. */
export type UpdateOutcome = ChangeOutcome | Refusal<'invalid_title' | 'invalid_password'>;

/** Changes roles. Each change is decided against the newest state, and decided again after a conflict. */
export interface Changing {
  /**
   * Changes one attribute. A reset of the expiration and any change of the password end all earlier grants.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases, id: string;
   * const outcome = await useCases.update({ by: 'ada', id }, { type: 'set_title', title: 'Draft' });
   * if (outcome.kind === 'changed') console.log(outcome.publication.title);
   */
  update(request: ChangeRequest, update: Update): Promise<UpdateOutcome>;

  /** Like {@link Changing.update}, but fails if the values that the caller saw have changed. */
  updateSeen(request: ChangeRequest, update: Update, seen: Precondition): Promise<UpdateOutcome | Conflict>;

  /** Stops the publication: viewers get nothing from now on, and its archive is removed later. */
  stop(request: ChangeRequest): Promise<ChangeOutcome>;

  /** Removes the expiration of the role. Pinning again changes nothing. */
  pin(request: ChangeRequest): Promise<ChangeOutcome>;

  /** Makes the role expire again, after the time of a renewal. Unpinning again changes nothing. */
  unpin(request: ChangeRequest): Promise<ChangeOutcome>;
}

export type ChangePorts = Pick<AllPorts, 'roles' | 'passwords' | 'clock' | 'ids'>;

const SAVED = { kind: 'saved' } as const;

export const NOT_FOUND: Refusal<'not_found'> = { kind: 'refused', code: 'not_found' };

export function changing(
  ports: ChangePorts,
  limits: Limits,
  show: ShowPublication,
  limitsOf: (account: AccountId) => Promise<Limits>,
): Changing {
  const changeSeen = async (
    request: ChangeRequest,
    command: RoleCommand,
    seen: Precondition,
  ): Promise<ChangeOutcome | Conflict> => {
    // Only these two need the account's limits; other commands must not fail if the function that reads them does.
    const needsLimits = command.type === 'reset_expiration' || command.type === 'unpin';
    const authority = request.by === OPERATOR ? 'operator' : 'account';
    const outcome = await saveDecision(ports, request, authority, async ({ value: role }) => {
      if (!isAsSeen(role, seen)) return { kind: 'overtaken', publication: show(role) } as const;
      const inForce = needsLimits ? await limitsOf(role.account) : limits;
      return decide(role, command, ports.clock.now(), inForce);
    });
    return outcome.kind === 'saved' ? { kind: 'changed', publication: show(outcome.role) } : outcome;
  };
  const change = (request: ChangeRequest, command: RoleCommand) =>
    changeSeen(request, command, {}) as Promise<ChangeOutcome>;
  const updateSeen: Changing['updateSeen'] = async (request, update, seen) => {
    const command = await commandOf(ports, limits, request, update);
    return isRefusal(command) ? command : await changeSeen(request, command, seen);
  };
  return {
    update: (request, update) => updateSeen(request, update, {}) as Promise<UpdateOutcome>,
    updateSeen,
    stop: (request) => change(request, { type: 'stop' }),
    pin: (request) => change(request, { type: 'pin' }),
    unpin: (request) => change(request, { type: 'unpin' }),
  };
}

async function commandOf(
  ports: ChangePorts,
  limits: Limits,
  request: ChangeRequest,
  update: Update,
): Promise<RoleCommand | Exclude<UpdateOutcome, { kind: 'changed' }>> {
  switch (update?.type) {
    case 'set_title': {
      const title = parseTitle(update.title, limits);
      return isRefusal(title) ? title : { type: 'set_title', title };
    }
    case 'set_password': {
      const password = parsePassword(update.password, limits);
      if (password === null) return { type: 'set_password', hash: null };
      return isRefusal(password) ? password : await hashPassword(ports, request, password);
    }
    case 'reset_expiration':
      return { type: 'reset_expiration' };
    default:
      update satisfies never;
      throw new TypeError('an update is set_title, set_password or reset_expiration');
  }
}

/** Hashes a new password. Hashing is expensive, so this first checks whether the change would be refused anyway. */
async function hashPassword(
  { roles, clock, passwords }: ChangePorts,
  request: ChangeRequest,
  password: Password,
): Promise<RoleCommand | Refusal<'not_found' | 'invalid_state'>> {
  const loaded = await loadFor(roles, request);
  if (loaded === undefined) return NOT_FOUND;
  const refused = checkCommand(loaded.value, 'set_password', clock.now());
  if (refused !== undefined) return refused;
  return { type: 'set_password', hash: await passwords.hash(password, loaded.value.account, request.signal) };
}

/** Decides on the newest state of a role and saves the result; decides again after a conflict. */
async function saveDecision<Other extends { readonly kind: 'refused' | 'overtaken' }>(
  { roles, ids }: Pick<ChangePorts, 'roles' | 'ids'>,
  request: ChangeRequest,
  authority: SaveAuthority,
  decideOn: (loaded: LoadedRole) => Promise<Decision | Other>,
): Promise<
  | { readonly kind: 'saved'; readonly role: Role; readonly loaded: LoadedRole }
  | Other
  | Exclude<ChangeOutcome, { readonly kind: 'changed' }>
> {
  const { by, cause = causedBy(by), credential, signal } = request;
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await loadFor(roles, request);
    if (loaded === undefined) return NOT_FOUND;
    const { value: before, version } = loaded;
    const decision = await decideOn(loaded);
    if (decision.kind !== 'decided') return decision;
    const { role } = decision;
    const events = decision.events.map((event) => eventOf(ids, event, cause, role.account, role.id));
    const saved = role === before ? SAVED : await roles.save(role, version, events, authority, credential);
    if (isRefusal(saved)) return saved;
    if (saved.kind === 'saved') return { kind: 'saved', role, loaded };
  }
}

/** Loads a role; undefined if it is unknown or belongs to an account that the actor does not reach. */
export async function loadFor(
  roles: RoleStore,
  { by, id: text, signal }: RoleRequest,
): Promise<LoadedRole | undefined> {
  const isReached = reachOf(by);
  const id = parseRoleId(text);
  const loaded = id === undefined ? undefined : await roles.load(id, signal);
  return loaded !== undefined && isReached(loaded.value) ? loaded : undefined;
}

function isAsSeen(role: Role, seen: Precondition): boolean {
  return (['title', 'generation'] as const).every(
    (name) => seen[name] === undefined || seen[name] === role[name],
  );
}

/** A grant for the site, or why it is refused. */
export type GrantOutcome =
  | {
      readonly kind: 'granted';
      readonly publication: Publication;
      /** The site's host takes it within a minute; null if the site needs none. */
      readonly grant: Grant | null;
      /** When the grant ends that the site's host makes of it. */
      readonly endsAt: Instant;
    }
  | Exclude<ChangeOutcome, { readonly kind: 'changed' }>;

/** Opens sites for those who own them. */
export interface Granting {
  /**
   * Makes a grant without the password. It is recorded, works while the service is read-only, and is not counted as a password try.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases, id: string;
   * const outcome = await useCases.createGrant({ by: 'ada', id });
   * if (outcome.kind === 'granted') console.log(new Date(outcome.endsAt));
   */
  createGrant(request: ChangeRequest): Promise<GrantOutcome>;
}

export function granting(ports: ChangePorts, limits: Limits, show: ShowPublication): Granting {
  const { clock } = ports;
  return {
    createGrant: async (request) => {
      const authority = request.by === OPERATOR ? 'operator' : 'viewing';
      const outcome = await saveDecision(ports, request, authority, async ({ value: role }) =>
        decide(role, { type: 'create_grant' }, clock.now(), limits),
      );
      if (outcome.kind === 'refused') {
        // A deleted site is unknown, as it is to viewers.
        return outcome.code === 'invalid_state' && outcome.state === 'deleted' ? NOT_FOUND : outcome;
      }
      const publication = show(outcome.role);
      const shown = { publication, accountGeneration: outcome.loaded.accountGeneration };
      const grant = firstGrant('hand_over', shown, clock.now());
      return {
        kind: 'granted',
        publication,
        grant: publication.passwordProtected ? grant : null,
        endsAt: grantEndsAt({ ...grant, purpose: 'cookie' }, publication, limits),
      };
    },
  };
}
