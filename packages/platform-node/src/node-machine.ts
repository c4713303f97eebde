import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { type Machine, seconds, type Uptime } from '@pinfold/core';

/**
 * Identifies the machine by Linux's boot id, or else by its host name, and reports the system's uptime.
 *
 * @example
 * import { NodeMachine } from '@pinfold/platform-node';
 *
 * const { boot, elapsed } = new NodeMachine().uptime();
 * console.log(boot, elapsed); // the boot id, and milliseconds
 */
export class NodeMachine implements Machine {
  readonly #boot: string = readBootId() ?? hostname();

  uptime(): Uptime {
    return { boot: this.#boot, elapsed: seconds(uptime()) };
  }
}

function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
