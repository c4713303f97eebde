import { toRfc3339 } from '@pinfold/core/adapter';
import type { AdministeredAccount } from '@pinfold/core/administration';

/** An account as JSON. */
export interface WireAccount {
  readonly name: string;
  readonly blocked: { readonly reason: string; readonly sites: 'keep' | 'hide'; readonly at: string } | null;
  /** What was set for it; null where what holds for all does. */
  readonly limits: {
    readonly requests: string | null;
    readonly publications: string | null;
    readonly sites: number | 'off' | null;
    readonly bytes: number | 'off' | null;
  };
  readonly used: { readonly sites: number; readonly bytes: number; readonly publications_24h: number };
  readonly last_published_at: string | null;
}

/**
 * The JSON of an account.
 *
 * @example
 * import type { Administration } from '@pinfold/core/administration';
 * import { accountOf } from '@pinfold/http-express';
 *
 * declare const administration: Administration;
 * const found = await administration.showAccount('ada');
 * if (found !== undefined) console.log(JSON.stringify(accountOf(found)));
 */
export function accountOf({ account, used }: AdministeredAccount): WireAccount {
  const { name, blocked, lastPublishedAt } = account;
  const { requests, publications, sites, bytes } = account.limits;
  return {
    name,
    blocked: blocked && { reason: blocked.reason, sites: blocked.sites, at: toRfc3339(blocked.at) },
    limits: { requests, publications, sites, bytes },
    used: { sites: used.sites, bytes: used.bytes, publications_24h: used.publications24h },
    last_published_at: lastPublishedAt === null ? null : toRfc3339(lastPublishedAt),
  };
}
