import type { Limits } from '../domain/limits.ts';
import { type ChangeOutcome, type ChangePorts, type ChangeRequest, changeRole } from './change-role.ts';

/** Pins and unpins roles: the management screen's and the operator's, never the API's. */
export class PinRole {
  readonly #ports: ChangePorts;
  readonly #limits: Limits;

  constructor(ports: ChangePorts, limits: Limits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** Keeps the role without expiration. Pinning again changes nothing. */
  pin(request: ChangeRequest): Promise<ChangeOutcome> {
    return changeRole(this.#ports, this.#limits, request, { type: 'pin' });
  }

  /** Lets the role expire again, a renewal from now. Unpinning again changes nothing. */
  unpin(request: ChangeRequest): Promise<ChangeOutcome> {
    return changeRole(this.#ports, this.#limits, request, { type: 'unpin' });
  }
}
