import type { Instant, Takedown } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import type { AdministeredRole } from '@pinfold/core/administration';
import type { PublicUrl } from '@pinfold/http';
import { type Pin, pinOf } from '../handlers/pin.ts';

/** A role as JSON for those who administer. */
export interface AdministeredPin extends Pin {
  readonly account: string;
  /** Bytes of the ZIP. */
  readonly archive_bytes: number;
  /** SHA-256 of the ZIP. */
  readonly sha256: string;
  readonly taken_down: { readonly reason: string; readonly at: string } | null;
}

/**
 * The JSON of a role for those who administer.
 *
 * @example
 * import type { Clock } from '@pinfold/core';
 * import type { Administration } from '@pinfold/core/administration';
 * import { administeredPinOf, publicUrl } from '@pinfold/http-express';
 *
 * declare const administration: Administration;
 * declare const clock: Clock;
 * declare const id: string;
 * const found = await administration.showRole(id);
 * if (found.kind === 'found') {
 *   console.log(administeredPinOf(found, publicUrl('https://pages.example'), clock.now()).sha256);
 * }
 */
export function administeredPinOf(
  { role, takedown }: AdministeredRole,
  publicUrl: PublicUrl,
  now: Instant,
): AdministeredPin {
  return {
    ...pinOf(role, publicUrl, now),
    account: role.account,
    archive_bytes: role.archiveBytes,
    sha256: role.sha256,
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
