import {
  admits,
  type Grant,
  type GrantPurpose,
  grantEndsAt,
  passOn,
  type Role,
  type UseCases,
} from '@pinfold/core';
import { type CookieScope, cookieValues, setCookie } from '@pinfold/http';
import { LRUCache } from 'lru-cache';
import type { Settings } from '../viewer-options.ts';

const VERIFIED_AT_MOST = 8_192;

/** Checks the grants that viewers show, and writes those they get. */
export class Grants {
  readonly #useCases: UseCases;
  readonly #siteScope: CookieScope;
  readonly #sharedScope: Omit<CookieScope, 'path'>;
  readonly #sharedPath: string;
  /**
   * Tokens whose signature has been verified. A signature stays right for good, so only it is remembered: whether the
   * grant admits is asked anew each time.
   */
  readonly #verified = new LRUCache<string, Grant>({ max: VERIFIED_AT_MOST });

  constructor(useCases: UseCases, { secure, sharedPath }: Settings) {
    this.#useCases = useCases;
    const scope = { secure, sameSite: 'Lax' } as const;
    this.#siteScope = { ...scope, name: secure ? '__Host-pinfold_grant' : 'pinfold_grant', path: '/' };
    this.#sharedScope = { ...scope, name: secure ? '__Secure-pinfold_grant' : 'pinfold_grant' };
    this.#sharedPath = sharedPath;
  }

  /** The grant that a token is, if it admits to the role for that purpose now. */
  admit(role: Role, purpose: GrantPurpose, token: string): Grant | undefined {
    const { enter, clock, limits } = this.#useCases;
    const verified = this.#verified.get(token);
    if (verified !== undefined) {
      return admits(verified, purpose, role, clock.now(), limits) ? verified : undefined;
    }
    const grant = enter.admit(role, purpose, [token]);
    if (grant !== undefined) this.#verified.set(token, grant);
    return grant;
  }

  /** The grant in a cookie on the site's own origin. */
  ofSite(role: Role, cookies: string | undefined): Grant | undefined {
    return this.#first(role, cookieValues(cookies, this.#siteScope.name));
  }

  /** The grant in a cookie of the shared URL. */
  ofSharedUrl(role: Role, cookies: string | undefined): Grant | undefined {
    return this.#first(role, this.sharedUrlTokens(cookies));
  }

  /** Every token in a cookie of the shared URL, whatever it is worth. */
  sharedUrlTokens(cookies: string | undefined): readonly string[] {
    return cookieValues(cookies, this.#sharedScope.name);
  }

  #first(role: Role, tokens: readonly string[]): Grant | undefined {
    for (const token of tokens) {
      const grant = this.admit(role, 'cookie', token);
      if (grant !== undefined) return grant;
    }
    return undefined;
  }

  /** The same right, to be handed over to the site's own origin now. */
  handOver(grant: Grant): string {
    const { enter, clock } = this.#useCases;
    return enter.sign(passOn(grant, 'hand_over', clock.now()));
  }

  /** The same right in a path: one and the same for each cookie, so that browsers find what they have of it. */
  path(grant: Grant): string {
    return this.#useCases.enter.sign(passOn(grant, 'path', grant.issuedAt));
  }

  /** The Set-Cookie line that lets a viewer into the site's own origin. */
  siteCookie(role: Role, grant: Grant): string {
    return this.#write(role, grant, this.#siteScope);
  }

  /** The Set-Cookie line by which the shared URL knows the viewer again. */
  sharedUrlCookie(role: Role, grant: Grant): string {
    return this.#write(role, grant, { ...this.#sharedScope, path: this.#sharedPath + role.id });
  }

  /** The Set-Cookie line that takes the cookie of the site's own origin away. */
  get removedSiteCookie(): string {
    return setCookie(this.#siteScope, '', 0);
  }

  #write(role: Role, grant: Grant, scope: CookieScope): string {
    const { clock, limits } = this.#useCases;
    const cookie = grant.purpose === 'cookie' ? grant : passOn(grant, 'cookie', clock.now());
    const left = Math.floor((grantEndsAt(cookie, role, limits) - clock.now()) / 1_000);
    return setCookie(scope, this.#useCases.enter.sign(cookie), Math.max(0, left));
  }
}
