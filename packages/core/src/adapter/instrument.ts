import type { HistoryEvent } from '../domain/history.ts';
import { snakeCase } from '../domain/text.ts';
import { STORES, type StoreName } from '../ports/all-ports.ts';

/** A method of a port, without the port. */
export type PortMethod = (...inputs: readonly unknown[]) => unknown;

/**
 * Wraps a method of a port: returns the function to call in its place, or the call itself to leave it unchanged. It runs
 * once for each method, when the service is composed. `roles.load` may return a role without a promise; every failure is a
 * rejected promise, even if the port throws.
 *
 * @param port the port's name in metrics and spans: `roles`, `api_keys`, `archives`.
 */
export type Observer = (call: PortMethod, method: string, port: string) => PortMethod;

const OBSERVED_PORTS = [...STORES, 'archives', 'staging', 'inspector'] as const;

type ObservedPorts = { readonly [Name in StoreName | 'archives' | 'staging' | 'inspector']?: object };

/**
 * Wraps every method of stores, archives, staging and inspector by the observers: the first one is nearest to the port, the
 * last one sees what callers see. Other ports stay the same.
 *
 * @example
 * import { createUseCases, type Ports } from '@pinfold/core';
 * import { instrument, type Observer } from '@pinfold/core/adapter';
 *
 * declare const ports: Ports;
 *
 * const logged: Observer = (call, method, port) => (...inputs) => {
 *   console.log(port, method);
 *   return call(...inputs);
 * };
 * const useCases = createUseCases(instrument(ports, [logged]));
 */
export function instrument<Ports extends ObservedPorts>(ports: Ports, observers: readonly Observer[]): Ports {
  const observed: Record<string, object> = {};
  for (const name of OBSERVED_PORTS) {
    const port = ports[name];
    if (port !== undefined) observed[name] = observePort(port, snakeCase(name), observers);
  }
  return { ...ports, ...observed };
}

/** Copies the port to a plain object: a Proxy would cost each view half a microsecond. */
function observePort(port: object, name: string, observers: readonly Observer[]): object {
  const observed = {};
  const inner = port as Readonly<Record<string, unknown>>;
  for (const member of membersOf(port)) {
    if (typeof inner[member] !== 'function') {
      Object.defineProperty(observed, member, { get: () => inner[member], enumerable: true });
      continue;
    }
    // Calls the method on the port itself, which may have private fields.
    const call: PortMethod = (...inputs) => {
      try {
        return (inner as Readonly<Record<string, PortMethod>>)[member]?.(...inputs);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    const value = observers.reduce((wrapped, observe) => observe(wrapped, member, name), call);
    Object.defineProperty(observed, member, { value, enumerable: true });
  }
  return observed;
}

function membersOf(port: object): ReadonlySet<string> {
  const members = new Set<string>();
  for (let at: object | null = port; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const member of Object.getOwnPropertyNames(at)) if (member !== 'constructor') members.add(member);
  }
  return members;
}

/** Receives an event of a publication once it is stored. It must neither throw nor block. */
export type OnEvent = (event: HistoryEvent) => void;

/** The calls that store events of publications: the index of the input with the events, and the outcomes that store them. */
const STORING_CALLS: Readonly<Record<string, readonly [input: number, ...outcomes: readonly string[]]>> = {
  'roles commit': [2, 'committed'],
  'roles save': [2, 'saved'],
  'takedowns takeDown': [2, 'taken_down'],
  'names set': [1, 'created', 'moved'],
};

/**
 * Reports each publication, change and takedown after it is stored, at most once. Best effort: events are lost if the
 * process dies, or if the store cannot say whether it stored them.
 */
export function onRoleEvents(onEvent: OnEvent): Observer {
  return (call, method, port) => {
    const stored = STORING_CALLS[`${port} ${method}`];
    if (stored === undefined) return call;
    const [input, ...kinds] = stored;
    return async (...inputs) => {
      const outcome = (await call(...inputs)) as { readonly kind: string };
      if (kinds.includes(outcome.kind)) {
        for (const event of inputs[input] as readonly HistoryEvent[]) onEvent(event);
      }
      return outcome;
    };
  };
}
