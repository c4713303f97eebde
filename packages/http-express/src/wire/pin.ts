import type { Publication, Takedown } from '@pinfold/core';
import type { AdministeredPublication } from '@pinfold/core/administration';
import { ROLE_STATES, toRfc3339 } from '@pinfold/core/internal';
import { type PublicUrl, sharedUrl } from '@pinfold/http';
import * as T from '../schema.ts';
import {
  exampleOf,
  instantOrNull,
  memberOf,
  operatorText,
  schemasOf,
  type WireOf,
  wireOf,
} from './members.ts';

export const EXAMPLE_ID = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';
const EXAMPLE_TAKEDOWN = { reason: 'Phishing', at: '2026-11-21T08:15:00.000Z' };

const of = memberOf<Publication>();
const PIN = {
  id: of(T.uuid('The last segment of the shared URL.'), EXAMPLE_ID, ({ id }) => id),
  title: of(
    T.nullable(T.string(), { description: 'The management title; null when there is none.' }),
    'Spring catalogue',
    ({ title }) => title,
  ),
  state: of(
    T.oneOf(ROLE_STATES, { description: 'The state at the moment of the answer.' }),
    'published',
    ({ state }) => state,
  ),
  shared_url: of(
    T.string({ pattern: '^https?://', description: 'The URL that viewers use.' }),
    `https://share.example/s/${EXAMPLE_ID}`,
    (publication) => publication.sharedUrl,
  ),
  password_protected: of(T.boolean(), false, ({ passwordProtected }) => passwordProtected),
  pinned: of(
    T.boolean({ description: 'A pinned publication does not expire.' }),
    false,
    ({ pinned }) => pinned,
  ),
  published_at: of(T.instant(), '2026-11-20T12:00:00.000Z', ({ publishedAt }) => toRfc3339(publishedAt)),
  expires_at: of(
    T.nullable(T.instant(), { description: 'Null while pinned.' }),
    '2026-11-27T12:00:00.000Z',
    ({ expiresAt }) => instantOrNull(expiresAt),
  ),
  deleted_at: of(T.nullable(T.instant(), { description: 'Null unless stopped.' }), null, ({ deletedAt }) =>
    instantOrNull(deletedAt),
  ),
  file_count: of(
    T.count('Files of the site, without folders and files that operating systems add.'),
    12,
    ({ fileCount }) => fileCount,
  ),
  size: of(T.count('Bytes of those files, expanded.'), 348_160, ({ size }) => size),
  original_filename: of(
    T.nullable(T.string({ minLength: 1, maxLength: 255 }), {
      description: 'As uploaded; null once it was deleted, some time after the publication has ended.',
    }),
    'catalogue.zip',
    ({ originalFilename }) => originalFilename,
  ),
};

/** The JSON of a publication. */
export type Pin = WireOf<typeof PIN>;

/** The JSON of a publication. */
export function pinOf(publication: Publication, publicUrl: PublicUrl): Pin {
  return wireOf(PIN, { ...publication, sharedUrl: sharedUrl(publicUrl, publication.id) });
}

export const pinSchema = T.named('Pin', ({ titleCharacters }) => {
  const members = schemasOf(PIN);
  const title: typeof members.title = { ...members.title, maxLength: titleCharacters };
  return T.object({ ...members, title });
});

export const pinAnswer = T.named('PinAnswer', () => T.object({ pin: pinSchema }));

export function examplePin(publicUrl: PublicUrl): Pin {
  return { ...exampleOf(PIN), shared_url: sharedUrl(publicUrl, EXAMPLE_ID as Publication['id']) };
}

const account = T.string();
const sha256 = T.string({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the ZIP.' });
export const EXAMPLE_SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const ofAny = memberOf<AdministeredPublication>();
const ADMINISTERED = {
  account: ofAny(account, 'web-team', ({ publication }) => publication.account),
  archive_bytes: ofAny(T.count('Bytes of the ZIP.'), 120_334, ({ publication }) => publication.archiveBytes),
  sha256: ofAny(sha256, EXAMPLE_SHA256, ({ publication }) => publication.sha256),
  taken_down: ofAny(
    T.nullable(T.object({ reason: operatorText(), at: T.instant() }), {
      description: 'The reason and time of a takedown; null without one.',
    }),
    null,
    ({ takedown }) =>
      takedown === undefined ? null : { reason: takedown.reason, at: toRfc3339(takedown.at) },
  ),
};

export type AdministeredPin = Pin & WireOf<typeof ADMINISTERED>;

export function administeredPinOf(found: AdministeredPublication, publicUrl: PublicUrl): AdministeredPin {
  return { ...pinOf(found.publication, publicUrl), ...wireOf(ADMINISTERED, found) };
}

export const administeredPinSchema = T.named('AdministeredPin', () => ({
  allOf: [pinSchema, T.object(schemasOf(ADMINISTERED))],
}));

export const administeredPinAnswer = T.named('AdministeredPinAnswer', () =>
  T.object({ pin: administeredPinSchema }),
);

export function exampleAdministeredPin(publicUrl: PublicUrl): AdministeredPin {
  return { ...examplePin(publicUrl), ...exampleOf(ADMINISTERED) };
}

export function exampleTakenDown(publicUrl: PublicUrl): AdministeredPin {
  const deleted = { state: 'deleted', deleted_at: EXAMPLE_TAKEDOWN.at } as const;
  return { ...exampleAdministeredPin(publicUrl), ...deleted, taken_down: EXAMPLE_TAKEDOWN };
}

export const publicationId = T.string({ description: 'The id of the publication.' });

const ofTakedown = memberOf<Takedown>();
const TAKEDOWN = {
  id: ofTakedown(publicationId, EXAMPLE_ID, ({ id }) => id),
  account: ofTakedown(account, 'web-team', (takedown) => takedown.account),
  sha256: ofTakedown(sha256, EXAMPLE_SHA256, (takedown) => takedown.sha256),
  reason: ofTakedown(operatorText(), EXAMPLE_TAKEDOWN.reason, ({ reason }) => reason),
  at: ofTakedown(T.instant(), EXAMPLE_TAKEDOWN.at, ({ at }) => toRfc3339(at)),
};

export type WireTakedown = WireOf<typeof TAKEDOWN>;

export function takedownOf(takedown: Takedown): WireTakedown {
  return wireOf(TAKEDOWN, takedown);
}

export const takedownSchema = T.object(schemasOf(TAKEDOWN));
export const exampleTakedown: WireTakedown = exampleOf(TAKEDOWN);
