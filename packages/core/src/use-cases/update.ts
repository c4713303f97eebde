import type { Limits } from '../domain/limits.ts';
import type { Password } from '../domain/password.ts';
import { decide, type RoleCommand } from '../domain/role.ts';
import type { Title } from '../domain/title.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Refusal } from '../refusal.ts';
import {
  type ChangeOutcome,
  type ChangePorts,
  type ChangeRequest,
  changeRole,
  changeSeenRole,
  loadFor,
  NOT_FOUND,
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

  /** Applies the update to the newest state. All earlier grants end with a reset and with any change of password. */
  async update(request: ChangeRequest, update: Update): Promise<ChangeOutcome> {
    const command = await this.#commandOf(request, update);
    return 'kind' in command ? command : await changeRole(this.#ports, this.#limits, request, command);
  }

  /** Applies the update as {@link update} does, but only to the state the caller saw. */
  async updateSeen(request: ChangeRequest, update: Update, seen: Seen): Promise<ChangeOutcome | Overtaken> {
    const command = await this.#commandOf(request, update);
    return 'kind' in command
      ? command
      : await changeSeenRole(this.#ports, this.#limits, request, command, seen);
  }

  /** Hashing is dear, so a request that would be refused anyway is refused before it. */
  async #commandOf(
    { by, id, signal }: ChangeRequest,
    update: Update,
  ): Promise<RoleCommand | Refusal<'not_found' | 'invalid_state'>> {
    if (update.type !== 'set_password') return update;
    const { password } = update;
    if (password === null) return { type: 'set_password', hash: null };
    const { roles, clock, passwords } = this.#ports;
    const loaded = await loadFor(roles, by, id, signal);
    if (loaded === undefined) return NOT_FOUND;
    const trial = decide(loaded.value, { type: 'set_password', hash: null }, clock.now(), this.#limits);
    if (trial.kind === 'refused') return trial;
    return { type: 'set_password', hash: await passwords.hash(password, loaded.value.account, signal) };
  }
}
