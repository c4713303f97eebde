import type { Limits, Publication, RoleId, RoleState } from '@pinfold/core';
import { ROLE_STATES, toRfc3339 } from '@pinfold/core/adapter';
import { type PublicUrl, sharedUrl } from '@pinfold/http';
import { count, instant, type JsonObject, object, UUID } from '../openapi/json-schema.ts';

/** The JSON of a publication. */
export interface Pin {
  readonly id: string;
  readonly title: string | null;
  readonly state: RoleState;
  readonly shared_url: string;
  readonly password_protected: boolean;
  readonly pinned: boolean;
  readonly published_at: string;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  readonly file_count: number;
  readonly size: number;
  readonly original_filename: string;
}

/**
 * Writes a publication.
 *
 * @example
 * import type { Publication } from '@pinfold/core';
 * import { pinOf, publicUrl } from '@pinfold/http-express';
 *
 * declare const publication: Publication;
 *
 * const pin = pinOf(publication, publicUrl('https://pages.example'));
 */
export function pinOf(publication: Publication, publicUrl: PublicUrl): Pin {
  const { id, title, state, pinned, publishedAt, expiresAt, deletedAt, size } = publication;
  return {
    id,
    title,
    state,
    shared_url: sharedUrl(publicUrl, id),
    password_protected: publication.passwordProtected,
    pinned,
    published_at: toRfc3339(publishedAt),
    expires_at: expiresAt === null ? null : toRfc3339(expiresAt),
    deleted_at: deletedAt === null ? null : toRfc3339(deletedAt),
    file_count: publication.fileCount,
    size,
    original_filename: publication.originalFilename,
  };
}

/** What the API document says of a pin. */
export function pinSchema({ titleCharacters }: Limits): JsonObject {
  return object({
    id: { type: 'string', pattern: UUID, description: 'The last segment of the shared URL.' },
    title: {
      type: ['string', 'null'],
      maxLength: titleCharacters,
      description: 'The management title; null when there is none.',
    },
    state: {
      enum: ROLE_STATES,
      description: 'The state at the moment of the answer.',
    },
    shared_url: { type: 'string', pattern: '^https?://', description: 'The URL that viewers use.' },
    password_protected: { type: 'boolean' },
    pinned: { type: 'boolean', description: 'A pinned role does not expire.' },
    published_at: instant(),
    expires_at: { ...instant(), type: ['string', 'null'], description: 'Null while pinned.' },
    deleted_at: { ...instant(), type: ['string', 'null'], description: 'Null unless stopped.' },
    file_count: count('Files of the site; folders and what operating systems add are not counted.'),
    size: count('Bytes of those files, expanded.'),
    original_filename: { type: 'string', minLength: 1, maxLength: 255, description: 'As uploaded.' },
  });
}

/** A pin in the examples of the API document. */
export function examplePin(publicUrl: PublicUrl): Pin {
  const id = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20' as RoleId;
  return {
    id,
    title: 'Spring catalogue',
    state: 'published',
    shared_url: sharedUrl(publicUrl, id),
    password_protected: false,
    pinned: false,
    published_at: '2026-11-20T12:00:00.000Z',
    expires_at: '2026-11-27T12:00:00.000Z',
    deleted_at: null,
    file_count: 12,
    size: 348_160,
    original_filename: 'catalogue.zip',
  };
}
