import type { PublicationLimits } from '../domain/account.ts';
import { checkIdempotencyKey, type Fingerprint } from '../domain/idempotency.ts';
import { accountId, type Sha256 } from '../domain/identity.ts';
import { after } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import type { Publication } from '../domain/role.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Reading } from './reading.ts';

/** The state of an Idempotency-Key after cancelling. */
export type CancelOutcome =
  /** Nothing was published under the key. A later upload under it is refused as a mismatch. */
  | { readonly kind: 'cancelled' }
  /** A publication may be running under the key: ask again. */
  | { readonly kind: 'running' }
  /** It was published before, and may have been stopped since. */
  | { readonly kind: 'published'; readonly publication: Publication }
  | Refusal<'invalid_idempotency_key'>;

/** Cancels publications. */
export interface Cancelling {
  /**
   * Prevents an Idempotency-Key from publishing, unless it has published or a publication is running under it. It does not
   * stop a publication: `stop` does.
   *
   * @example
   * import type { UseCases } from '@pinfold/core';
   *
   * declare const useCases: UseCases;
   * const outcome = await useCases.cancel({ by: 'ada', key: 'site-42' });
   * if (outcome.kind === 'published') console.log(outcome.publication.sharedUrl);
   */
  cancel(request: { readonly by: string; readonly key: string }): Promise<CancelOutcome>;
}

const CANCELLED = 'cancelled' as Fingerprint;
const NO_ARCHIVE = { archiveBytes: 0, sha256: '0'.repeat(64) as Sha256 };
const UNLIMITED: PublicationLimits = { publications: null, sites: null, bytes: null, names: null };

export function cancelling(
  { roles, clock, ids }: Pick<AllPorts, 'roles' | 'clock' | 'ids'>,
  limits: Limits,
  findByKey: Reading['findByKey'],
): Cancelling {
  return {
    async cancel({ by, key: given }) {
      const key = checkIdempotencyKey(given, limits);
      if (isRefusal(key)) return key;
      const now = clock.now();
      // Reserves the key for the longest time that a reservation lasts: no upload takes longer.
      const reserved = await roles.reserve({
        ...NO_ARCHIVE,
        account: accountId(by),
        key,
        fingerprint: CANCELLED,
        token: ids.token(),
        limits: UNLIMITED,
        now,
        until: after(now, limits.reservationAge),
      });
      if (reserved.kind === 'reserved' || reserved.kind === 'in_progress') return { kind: 'cancelled' };
      const publication = await findByKey({ by, key });
      if (publication !== undefined) return { kind: 'published', publication };
      if (reserved.kind !== 'refused') return { kind: 'running' };
      // The commit of a running publication would be refused, too, unless the rate is free again by then.
      const isShort = reserved.code === 'rate_limited' && reserved.retryAt <= after(now, limits.lease);
      return { kind: isShort ? 'running' : 'cancelled' };
    },
  };
}
