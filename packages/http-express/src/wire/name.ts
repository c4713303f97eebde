import type { Name } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/internal';
import { nameUrl, type PublicUrl } from '@pinfold/http';
import * as T from '../schema.ts';
import { exampleOf, memberOf, schemasOf, type WireOf, wireOf } from './members.ts';
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
