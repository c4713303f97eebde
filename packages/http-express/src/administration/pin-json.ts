import type { Takedown } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import type { AdministeredPublication } from '@pinfold/core/administration';
import type { PublicUrl } from '@pinfold/http';
import { type Pin, pinOf } from '../handlers/pin.ts';

/** A publication as JSON for those who administer. */
export interface AdministeredPin extends Pin {
  readonly account: string;
  /** Bytes of the ZIP. */
  readonly archive_bytes: number;
  /** SHA-256 of the ZIP. */
  readonly sha256: string;
  readonly taken_down: { readonly reason: string; readonly at: string } | null;
}

/**
 * The JSON of a publication for those who administer.
 *
 * @example
 * import type { Administration } from '@pinfold/core/administration';
 * import { administeredPinOf, publicUrl } from '@pinfold/http-express';
 *
 * declare const administration: Administration;
 * declare const id: string;
 * const found = await administration.showRole(id);
 * if (found.kind === 'found') {
 *   console.log(administeredPinOf(found, publicUrl('https://pages.example')).sha256);
 * }
 */
export function administeredPinOf(
  { publication, takedown }: AdministeredPublication,
  publicUrl: PublicUrl,
): AdministeredPin {
  return {
    ...pinOf(publication, publicUrl),
    account: publication.account,
    archive_bytes: publication.archiveBytes,
    sha256: publication.sha256,
    taken_down: takedown === undefined ? null : { reason: takedown.reason, at: toRfc3339(takedown.at) },
  };
}

/** A takedown as JSON. */
export interface WireTakedown {
  readonly id: string;
  readonly account: string;
  readonly sha256: string;
  readonly reason: string;
  readonly at: string;
}

/**
 * The JSON of a takedown.
 *
 * @example
 * import type { Administration } from '@pinfold/core/administration';
 * import { takedownOf } from '@pinfold/http-express';
 *
 * declare const administration: Administration;
 * const listed = await administration.listTakedowns();
 * if (listed.kind === 'page') console.log(JSON.stringify(listed.takedowns.map(takedownOf)));
 */
export function takedownOf({ id, account, sha256, reason, at }: Takedown): WireTakedown {
  return { id, account, sha256, reason, at: toRfc3339(at) };
}
