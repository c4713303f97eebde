import type { HistoryEvent } from '../domain/history.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { TakedownStore } from '../ports/takedown-store.ts';

/** Takes what happened to a publication, when it is stored. It must neither throw nor wait. */
export type OnEvent = (event: HistoryEvent) => void;

/**
 * A role store that tells of each publication and each change, after it is stored and at most once. What a process does
 * not live to tell, or of which the store cannot say whether it is stored, is told by nobody.
 *
 * @example
 * import { createUseCases, type Ports } from '@pinfold/core';
 * import { tellingRoles } from '@pinfold/core/adapter';
 *
 * declare const ports: Ports;
 * const roles = tellingRoles(ports.roles, ({ type, pin }) => console.log(type, pin));
 * const useCases = createUseCases({ ...ports, roles });
 */
export function tellingRoles(roles: RoleStore, onEvent: OnEvent): RoleStore {
  const own: Pick<RoleStore, 'commit' | 'save'> = {
    async commit(publication, lease, events) {
      const outcome = await roles.commit(publication, lease, events);
      if (outcome.kind === 'committed') for (const event of events) onEvent(event);
      return outcome;
    },
    async save(role, loadedAt, events, ...by) {
      const outcome = await roles.save(role, loadedAt, events, ...by);
      if (outcome.kind === 'saved') for (const event of events) onEvent(event);
      return outcome;
    },
  };
  return replacing(roles, own);
}

/**
 * A store of takedowns that tells of each, as {@link tellingRoles} does.
 *
 * @example
 * import { tellingTakedowns } from '@pinfold/core/adapter';
 * import { type AdministrationPorts, createAdministration } from '@pinfold/core/administration';
 *
 * declare const ports: AdministrationPorts;
 * const takedowns = tellingTakedowns(ports.takedowns, ({ type, pin }) => console.log(type, pin));
 * const administration = createAdministration({ ...ports, takedowns });
 */
export function tellingTakedowns(takedowns: TakedownStore, onEvent: OnEvent): TakedownStore {
  return replacing(takedowns, {
    async takeDown(takedown, stopped, events) {
      const outcome = await takedowns.takeDown(takedown, stopped, events);
      if (outcome.kind === 'taken_down') for (const event of events) onEvent(event);
      return outcome;
    },
  });
}

/** Stores are classes with private fields: their other methods are called on themselves. */
function replacing<Store extends object>(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const replaced: unknown = Reflect.get(own, name);
      if (replaced !== undefined) return replaced;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
