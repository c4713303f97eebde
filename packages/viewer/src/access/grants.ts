import type { Grant, GrantPurpose, KnownViewer, Publication, VisibleRole } from '@pinfold/core';
import { firstGrant, grantEndsAt, withPurpose } from '@pinfold/core/internal';
import { type CreateGrant, type OpenArchive, sharedUrl } from '@pinfold/http';
import { type CookieScope, cookieValues, setCookie } from '@pinfold/http/internal';
import { chain, type MaybePromise, type ViewerContext } from '../exchange.ts';
import type { Redirect } from '../pages/answers.ts';
import { handOverUrl, siteBaseOf, withCookieMark } from '../routing/addresses.ts';
import type { Settings, ViewerUseCases } from '../viewer-options.ts';
import type { Access } from './access.ts';

/** The grant that admits a viewer; a promise only if `mayView` or the signer returns one. */
export type AdmittingGrant = MaybePromise<Grant | undefined>;

export class Grants {
  readonly #useCases: ViewerUseCases;
  readonly #access: Access;
  readonly #siteScope: CookieScope;
  readonly #sharedScope: Omit<CookieScope, 'path'>;
  readonly #settings: Settings;

  constructor(useCases: ViewerUseCases, access: Access, settings: Settings) {
    this.#useCases = useCases;
    this.#access = access;
    this.#settings = settings;
    const { secure } = settings;
    const scope = { secure, sameSite: 'Lax' } as const;
    this.#siteScope = { ...scope, name: secure ? '__Host-pinfold_grant' : 'pinfold_grant', path: '/' };
    this.#sharedScope = { ...scope, name: secure ? '__Secure-pinfold_grant' : 'pinfold_grant' };
  }

  admit(shown: VisibleRole, purpose: GrantPurpose, token: string): AdmittingGrant {
    return this.#findAdmitting(shown, purpose, [token]);
  }

  findForSite(shown: VisibleRole, cookies: string | undefined): AdmittingGrant {
    return this.#findAdmitting(shown, 'cookie', this.siteTokens(cookies));
  }

  findForSharedUrl(shown: VisibleRole, cookies: string | undefined): AdmittingGrant {
    return this.#findAdmitting(shown, 'cookie', this.sharedUrlTokens(cookies));
  }

  findFor(viewer: KnownViewer | undefined, shown: VisibleRole, cookies: string | undefined): AdmittingGrant {
    const isOwn = (grant: Grant): boolean => isSufficient(grant, viewer);
    return this.#findFirst(shown, 'cookie', this.sharedUrlTokens(cookies), isOwn);
  }

  createFor(shown: VisibleRole, viewer: KnownViewer): Grant {
    return { ...firstGrant('cookie', shown, this.#useCases.clock.now()), viewer };
  }

  /** Every token in a cookie of the site's origin, valid or not. */
  siteTokens(cookies: string | undefined): readonly string[] {
    return cookieValues(cookies, this.#siteScope.name);
  }

  /** Every token in a cookie of the shared URL, valid or not. */
  sharedUrlTokens(cookies: string | undefined): readonly string[] {
    return cookieValues(cookies, this.#sharedScope.name);
  }

  siteCookie(publication: Publication, grant: Grant): Promise<string> {
    return this.#write(publication, grant, this.#siteScope);
  }

  #sharedUrlCookie(publication: Publication, grant: Grant): Promise<string> {
    const path = this.#settings.sharedPath + publication.id;
    return this.#write(publication, grant, { ...this.#sharedScope, path });
  }

  get removedSiteCookie(): string {
    return setCookie(this.#siteScope, '', 0);
  }

  /** Returns the redirect from the shared URL to a path of a protected site, for a viewer with a grant. */
  async redirectIntoSite({ id }: Publication, grant: Grant, path: string): Promise<Redirect> {
    const { grants, clock } = this.#useCases;
    const isInPath = this.#settings.mode === 'path';
    // In a path, each cookie always has the same token, so that browsers reuse cached files.
    const token = await grants.sign(
      isInPath ? withPurpose(grant, 'path', grant.issuedAt) : withPurpose(grant, 'hand_over', clock.now()),
    );
    const location = isInPath
      ? `${siteBaseOf(this.#settings, id)}/~${token}${path}`
      : `${handOverUrl(this.#settings, id)}?grant=${token}&to=${encodeURIComponent(path)}`;
    return { location, referrer: 'no-referrer' };
  }

  /** Like {@link redirectIntoSite}, for a new grant: also sets the cookie of the shared URL. */
  async redirectWithCookie(publication: Publication, grant: Grant, path: string): Promise<Redirect> {
    // In origin mode the hand-over sets the cookie that the site needs.
    const marked = this.#settings.mode === 'path' ? withCookieMark(path) : path;
    const cookie = await this.#sharedUrlCookie(publication, grant);
    return { ...(await this.redirectIntoSite(publication, grant, marked)), cookie };
  }

  #findAdmitting(shown: VisibleRole, purpose: GrantPurpose, tokens: readonly string[]): AdmittingGrant {
    return this.#findFirst(shown, purpose, tokens, (grant) => this.#access.admits(grant, shown.publication));
  }

  #findFirst(
    shown: VisibleRole,
    purpose: GrantPurpose,
    tokens: readonly string[],
    suffices: (grant: Grant) => MaybePromise<boolean>,
  ): AdmittingGrant {
    const [token, ...others] = tokens;
    if (token === undefined) return undefined;
    return chain(this.#useCases.grants.admit(shown, purpose, [token]), (grant) =>
      chain(grant !== undefined && suffices(grant), (isFound) =>
        isFound ? grant : this.#findFirst(shown, purpose, others, suffices),
      ),
    );
  }

  async #write(publication: Publication, grant: Grant, scope: CookieScope): Promise<string> {
    const { clock, limits } = this.#useCases;
    const cookie = withPurpose(grant, 'cookie', clock.now());
    const secondsLeft = Math.floor((grantEndsAt(cookie, publication, limits) - clock.now()) / 1_000);
    return setCookie(scope, await this.#useCases.grants.sign(cookie), Math.max(0, secondsLeft));
  }
}

/** Creates URLs that open a site without its password, unless the embedding team decides who may view it. */
export function grantCreator({ access, settings, useCases }: Omit<ViewerContext, 'grants'>): CreateGrant {
  return async (request) => {
    if (access.identifiesViewers) return { kind: 'refused', code: 'forbidden' };
    const outcome = await useCases.createGrant(request);
    if (outcome.kind === 'refused') return outcome;
    const { grant, publication, endsAt: expiresAt } = outcome;
    const url =
      grant === null
        ? sharedUrl(settings.publicUrl, publication.id)
        : `${handOverUrl(settings, publication.id)}?grant=${await useCases.grants.sign(grant)}`;
    return { kind: 'created', url, expiresAt };
  };
}

/** Whether a grant belongs to the viewer, and proves the password if they need one. */
function isSufficient(grant: Grant, viewer: KnownViewer | undefined): boolean {
  if (grant.viewer?.id !== viewer?.id) return false;
  return viewer?.gavePassword !== true || grant.viewer?.gavePassword === true;
}

/** Opens the ZIPs of publications, unless the embedding team decides who may view them. */
export function archiveOpener({ access, useCases }: Pick<ViewerContext, 'access' | 'useCases'>): OpenArchive {
  return async (request) =>
    access.identifiesViewers ? { kind: 'refused', code: 'forbidden' } : useCases.openArchive(request);
}
