import type { Grant, GrantPurpose, Role, Shown } from '@pinfold/core';
import { grantEndsAt, passOn } from '@pinfold/core/adapter';
import { type CookieScope, cookieValues, setCookie } from '@pinfold/http';
import type { Settings, ViewerUseCases } from '../viewer-options.ts';

/** Checks the grants that viewers show, and writes those they get. */
export class Grants {
  readonly #useCases: ViewerUseCases;
  readonly #siteScope: CookieScope;
  readonly #sharedScope: Omit<CookieScope, 'path'>;
  readonly #sharedPath: string;

  constructor(useCases: ViewerUseCases, { secure, sharedPath }: Settings) {
    this.#useCases = useCases;
    const scope = { secure, sameSite: 'Lax' } as const;
    this.#siteScope = { ...scope, name: secure ? '__Host-pinfold_grant' : 'pinfold_grant', path: '/' };
    this.#sharedScope = { ...scope, name: secure ? '__Secure-pinfold_grant' : 'pinfold_grant' };
    this.#sharedPath = sharedPath;
  }

  /** The grant that a token is, if it admits to the site for that purpose now. */
  admit(shown: Shown, purpose: GrantPurpose, token: string): Grant | undefined {
    return this.#useCases.grants.admit(shown, purpose, [token]);
  }

  /** The grant in a cookie on the site's own origin. */
  ofSite(shown: Shown, cookies: string | undefined): Grant | undefined {
    return this.#useCases.grants.admit(shown, 'cookie', cookieValues(cookies, this.#siteScope.name));
  }

  /** The grant in a cookie of the shared URL. */
  ofSharedUrl(shown: Shown, cookies: string | undefined): Grant | undefined {
    return this.#useCases.grants.admit(shown, 'cookie', this.sharedUrlTokens(cookies));
  }

  /** Every token in a cookie of the shared URL, whatever it is worth. */
  sharedUrlTokens(cookies: string | undefined): readonly string[] {
    return cookieValues(cookies, this.#sharedScope.name);
  }

  /** The same right, to be handed over to the site's own origin now. */
  handOver(grant: Grant): string {
    const { grants, clock } = this.#useCases;
    return grants.sign(passOn(grant, 'hand_over', clock.now()));
  }

  /** The same right in a path: one and the same for each cookie, so that browsers find what they have of it. */
  path(grant: Grant): string {
    return this.#useCases.grants.sign(passOn(grant, 'path', grant.issuedAt));
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
    return setCookie(scope, this.#useCases.grants.sign(cookie), Math.max(0, left));
  }
}
