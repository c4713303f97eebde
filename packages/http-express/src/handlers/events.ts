import { type Actor, type HistoryEvent, OPERATOR, parseRoleId, type RoleId } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import { refuseRequest } from '../problems/problem.ts';
import type { AdminEventQuery, EventQuery } from '../reading/query.ts';
import type { Call, Outcome, Service } from '../service.ts';

/** `GET /api/v1/events`: what happened to the account and its roles, newest first. */
export function events(service: Service, { caller }: Call, query: EventQuery): Promise<Outcome> {
  return pageOf(service, caller.account, query);
}

/** `GET /admin/v1/events`: what happened to all accounts and to the service, newest first. */
export function listEvents(service: Service, _call: unknown, query: AdminEventQuery): Promise<Outcome> {
  return pageOf(service, OPERATOR, query);
}

async function pageOf({ history }: Service, by: Actor, { pin, ...query }: AdminEventQuery): Promise<Outcome> {
  if (history === undefined) return refuseRequest('not_found');
  const ofRole = pin === undefined ? {} : { pin: parseRoleId(pin) as RoleId };
  const listed = await history.list({ by, ...query, ...ofRole });
  if (listed.kind === 'refused') return listed;
  return { status: 200, json: { events: listed.events.map(eventOf), next_cursor: listed.next ?? null } };
}

/** An event of the history as JSON. */
export interface WireEvent {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly account: string | null;
  readonly pin: string | null;
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly request: string | null;
  readonly address?: string;
}

/**
 * The JSON of an event.
 *
 * @example
 * import type { HistoryEvent } from '@pinfold/core';
 * import { eventOf } from '@pinfold/http-express';
 *
 * declare const event: HistoryEvent;
 * console.log(JSON.stringify(eventOf(event)));
 */
export function eventOf({ id, at, type, account, pin, actor, request, address }: HistoryEvent): WireEvent {
  const told = { id, at: toRfc3339(at), type, account, pin, actor, request };
  return address === null ? told : { ...told, address };
}
