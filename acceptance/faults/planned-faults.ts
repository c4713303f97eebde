import { Fault, type FaultCode } from '@pinfold/core';
import { withFaults } from '@pinfold/test-contracts';
import type { WrapPort } from 'pinfold-proof/service/open-node.ts';

/** One call of a port, and whether it breaks before it reaches the port or only its answer is lost. */
export interface BrokenCall {
  /** `roles.commit 1` */
  readonly call: string;
  readonly when: 'before' | 'after';
}

/** The fault code of each port when its backend does not answer. */
const CODES: Readonly<Record<string, FaultCode>> = {
  roles: 'store_unavailable',
  accounts: 'store_unavailable',
  attempts: 'store_unavailable',
  apiKeys: 'store_unavailable',
  names: 'store_unavailable',
  staging: 'staging_unavailable',
  archives: 'storage_unavailable',
  inspector: 'staging_unavailable',
};

/** Breaks one call of a service at a time. */
export class PlannedFaults {
  readonly #calls: Map<string, number> = new Map();
  #broken: BrokenCall | undefined;
  #hasBroken = false;

  /** Resets the count of calls. From now on the given call fails, or none. */
  plan(broken?: BrokenCall): void {
    this.#calls.clear();
    this.#broken = broken;
    this.#hasBroken = false;
  }

  /** Whether the planned call was made. */
  get hasBroken(): boolean {
    return this.#hasBroken;
  }

  /** Every call since the last plan. */
  get calls(): readonly string[] {
    return [...this.#calls].flatMap(([name, count]) =>
      Array.from({ length: count }, (_, n) => `${name} ${n + 1}`),
    );
  }

  /** For the ports of the service. */
  readonly wrap: WrapPort = (port, name) => {
    const code = CODES[name];
    if (code === undefined) return port;
    return withFaults(port, {
      onCall: (method) => {
        const call = `${name}.${method}`;
        const count = (this.#calls.get(call) ?? 0) + 1;
        this.#calls.set(call, count);
        if (this.#broken?.call !== `${call} ${count}`) return undefined;
        this.#hasBroken = true;
        const { when } = this.#broken;
        return { when, fault: new Fault(code, `${call} broke ${when} its work`) };
      },
    });
  };
}
