import type { HistoryEvent } from '@pinfold/core';
import { EVENT_TYPES, toRfc3339 } from '@pinfold/core/internal';
import * as T from '../schema.ts';

const EVENT = {
  id: T.uuid(),
  at: T.instant(),
  type: T.oneOf(EVENT_TYPES),
  account: T.nullable(T.string()),
  pin: T.nullable(T.string(), { description: 'The publication concerned.' }),
  actor: T.object({
    kind: T.oneOf(['key', 'person', 'operator', 'system']),
    id: T.nullable(T.string(), { description: 'The id of the key, or the name of the person.' }),
  }),
  request: T.nullable(T.string(), { description: 'The id of the request.' }),
  name: T.optional(T.string({ description: 'The name that was set or deleted.' })),
  address: T.optional(T.string({ description: 'The client’s address, if this service stores addresses.' })),
};

/** An event of the history as JSON. */
export type WireEvent = T.ObjectOf<typeof EVENT>;

/** The JSON of an event. */
export function eventOf(event: HistoryEvent): WireEvent {
  const { id, at, type, account, pin, name, actor, request, address } = event;
  return {
    ...{ id, at: toRfc3339(at), type, account, pin, actor, request },
    ...(name === null ? {} : { name }),
    ...(address === null ? {} : { address }),
  };
}

export const eventSchema = T.named('Event', () => T.object(EVENT));

export const exampleEvent: WireEvent = {
  id: '5b0e3c52-7f1d-4c0a-9d3e-2a6f8b1c4d7e',
  at: '2026-11-20T09:30:00.000Z',
  type: 'pin.renewed',
  account: 'default',
  pin: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  actor: { kind: 'key', id: '4fJ2kQ9xTzA' },
  request: '3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c',
};
