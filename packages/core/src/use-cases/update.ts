import type { Limits } from '../domain/limits.ts';
import type { Password } from '../domain/password.ts';
import { decide, type RoleCommand } from '../domain/role.ts';
import type { Title } from '../domain/title.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import { type Refusal, refuse } from '../refusal.ts';
import {
  type ChangeOutcome,
  type ChangePorts,
  type ChangeRequest,
  changeRole,
  loadFor,
  type Overtaken,
  type Seen,
} from './change-role.ts';

/** The one attribute an owner changes, its value proved. */
export type Update =
  | { readonly type: 'set_title'; readonly title: Title | null }
  | { readonly type: 'set_password'; readonly password: Password | null }
  | { readonly type: 'reset_expiration' };

/** Changes one attribute of a role. */
export class UpdateRole {
  readonly #ports: ChangePorts & { readonly passwords: PasswordHasher };
  readonly #limits: Limits;

  constructor(ports: ChangePorts & { readonly passwords: PasswordHasher }, limits: Limits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * Applies the update to the newest state, or, with `seen`, only to the state the caller saw. All earlier grants end
   * with a reset and with any change of password.
   */
  async update<S extends Seen | undefined = undefined>(
    request: ChangeRequest,
    update: Update,
    seen?: S,
  ): Promise<ChangeOutcome | (S extends Seen ? Overtaken : never)> {
    const command = update.type === 'set_password' ? await this.#hashed(request, update.password) : update;
    return 'kind' in command ? command : await changeRole(this.#ports, this.#limits, request, command, seen);
  }

  /** Hashing is dear, so a request that would be refused anyway is refused before it. */
  async #hashed(
    { by, id, signal }: ChangeRequest,
    password: Password | null,
  ): Promise<RoleCommand | Refusal<'not_found' | 'invalid_state'>> {
    if (password === null) return { type: 'set_password', hash: null };
    const { roles, clock, passwords } = this.#ports;
    const loaded = await loadFor(roles, by, id, signal);
    if (loaded === undefined) return refuse('not_found');
    const trial = decide(loaded.value, { type: 'set_password', hash: null }, clock.now(), this.#limits);
    if (trial.kind === 'refused') return trial;
    return { type: 'set_password', hash: await passwords.hash(password, signal) };
  }
}
