import type { Limits } from '../domain/limits.ts';
import { type ChangeOutcome, type ChangePorts, type ChangeRequest, changeRole } from './change-role.ts';

/** Stops a publication: viewers get nothing from that moment on; its archive is removed later. */
export class StopRole {
  readonly #ports: ChangePorts;
  readonly #limits: Limits;

  constructor(ports: ChangePorts, limits: Limits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** Stops the role; one that is stopped already is refused as `invalid_state`. */
  stop(request: ChangeRequest): Promise<ChangeOutcome> {
    return changeRole(this.#ports, this.#limits, request, { type: 'stop' });
  }
}
