import type { RoleId } from '@pinfold/core';
import type { Pin } from '@pinfold/http-express';
import { failureOf, foreignAnswer, parseJson, parseProblem, unreachable } from './answers.ts';
import type { Server } from './server.ts';

/** The one thing that a request changes, as the API takes it. */
export type Change =
  | { readonly title: string }
  | { readonly password: string }
  | { readonly reset_expiration: true };

const PAGE = 100;

/** The publications of the key's account, newest first. */
export async function* listPins(server: Server, state: string | undefined): AsyncGenerator<Pin> {
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (state !== undefined) query.set('state', state);
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = (await call(server, 'GET', `?${query}`)) as { pins?: unknown; next_cursor?: unknown } | null;
    if (!Array.isArray(page?.pins)) throw foreignAnswer();
    yield* page.pins.map(readPin);
    const next = typeof page.next_cursor === 'string' ? page.next_cursor : undefined;
    // A listing that comes round would never end.
    if (next !== undefined && next === cursor) throw foreignAnswer();
    cursor = next;
  } while (cursor !== undefined);
}

/** One publication, in any state. */
export async function readOne(server: Server, id: RoleId): Promise<Pin> {
  return pinIn(await call(server, 'GET', `/${id}`));
}

/** Changes one thing of a publication. */
export async function changePin(server: Server, id: RoleId, change: Change): Promise<Pin> {
  return pinIn(await call(server, 'PATCH', `/${id}`, change));
}

/** Stops a publication for good. */
export async function stopPin(server: Server, id: RoleId): Promise<void> {
  await call(server, 'DELETE', `/${id}`);
}

async function call(
  { url, apiKey }: Server,
  method: string,
  path: string,
  change?: Change,
): Promise<unknown> {
  const headers = new Headers({ authorization: `Bearer ${apiKey}` });
  if (change !== undefined) headers.set('content-type', 'application/json');
  const body = change === undefined ? null : JSON.stringify(change);
  try {
    // A redirect would take the key to another place.
    const request = { method, headers, body, redirect: 'manual' } as const;
    const answer = await fetch(`${url}/api/v1/pins${path}`, request);
    const text = await answer.text();
    if (answer.ok) return text === '' ? undefined : parseJson(text);
    throw failureOf(url, answer.status, parseProblem(text));
  } catch (error) {
    throw unreachable(url, error) ?? error;
  }
}

function pinIn(answer: unknown): Pin {
  return readPin((answer as { readonly pin?: unknown } | null | undefined)?.pin);
}

function readPin(found: unknown): Pin {
  const pin = found as Partial<Pin> | null | undefined;
  if (typeof pin?.id !== 'string' || typeof pin.shared_url !== 'string') throw foreignAnswer();
  return pin as Pin;
}
