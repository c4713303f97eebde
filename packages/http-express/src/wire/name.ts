import type { Name } from '@pinfold/core';
import { ROLE_STATES, toRfc3339 } from '@pinfold/core/internal';
import { nameUrl, type PublicUrl } from '@pinfold/http';
import * as T from '../schema.ts';
import { exampleOf, instantOrNull, memberOf, schemasOf, type WireOf, wireOf } from './members.ts';
import { EXAMPLE_ID } from './pin.ts';

const of = memberOf<Name>();
const NAME = {
  name: of(T.string({ pattern: '^[a-z0-9-]{1,63}$' }), 'pr-42', ({ name }) => name),
  url: of(
    T.string({
      pattern: '^https?://',
      description: 'The URL that viewers use; the same until the name is deleted.',
    }),
    'https://share.example/n/pr-42-3QpMtRzX81aKfYw0BvNc7d',
    ({ url }) => url,
  ),
  pin: of(
    T.uuid('The publication that it shows: the last one that was set, in any state.'),
    EXAMPLE_ID,
    ({ pin }) => pin,
  ),
  updated_at: of(T.instant(), '2026-11-20T12:00:00.000Z', ({ updatedAt }) => toRfc3339(updatedAt)),
  pin_state: of(
    T.oneOf(ROLE_STATES, { description: 'The state of that publication at the moment of the answer.' }),
    'published',
    ({ pinState }) => pinState,
  ),
  pin_expires_at: of(
    T.nullable(T.instant(), { description: 'When that publication expires; null while it is pinned.' }),
    '2026-11-27T12:00:00.000Z',
    ({ pinExpiresAt }) => instantOrNull(pinExpiresAt),
  ),
  previous: of(
    T.nullable(T.uuid(), {
      description: 'The publication that it showed before it was last moved; null if it never was.',
    }),
    '5d0b7f0e-7c5d-4a51-9f0b-2f6f3c1d8e97',
    ({ previous }) => previous,
  ),
};

export type WireName = WireOf<typeof NAME>;

export function nameOf(name: Name, publicUrl: PublicUrl): WireName {
  return wireOf(NAME, { ...name, url: nameUrl(publicUrl, name) });
}

export const nameSchema = T.named('Name', () => T.object(schemasOf(NAME)));
export const nameAnswer = T.named('NameAnswer', () => T.object({ name: nameSchema }));

export function exampleName(publicUrl: PublicUrl): WireName {
  const name = exampleOf(NAME);
  return { ...name, url: nameUrl(publicUrl, name) };
}
