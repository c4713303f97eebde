import type { IncomingMessage } from 'node:http';
import type { Grant, KnownViewer, Publication } from '@pinfold/core';

/** A viewer as your server knows them: an id of 1 to 255 bytes of UTF-8 that is never given to another person. */
export type ViewerId = string;

/** Decides who may view publications. */
export interface ViewerAccess {
  /**
   * Returns the viewer who sent a request, or the place to sign in: an http or https URL, or a path on your server. Called
   * only for shared URLs: sites have their own hosts, which your cookies never reach.
   */
  identify(
    request: IncomingMessage,
  ): ViewerId | { readonly signIn: string } | Promise<ViewerId | { readonly signIn: string }>;

  /** Called for every request of a viewer. `password` asks for the publication's password, and is `no` if it has none. */
  mayView(viewer: ViewerId, publication: Publication): MayView | Promise<MayView>;
}

/** The result of {@link ViewerAccess.mayView}. */
export type MayView = 'yes' | 'no' | 'password';

/** The decision about a request to a shared URL. */
export type Decision =
  /** Everyone may view it, without a grant. */
  | { readonly kind: 'open' }
  | { readonly kind: 'welcome'; readonly viewer: KnownViewer }
  | { readonly kind: 'password'; readonly viewer?: KnownViewer }
  | { readonly kind: 'sign_in'; readonly location: string }
  | { readonly kind: 'refused' };

export interface Access {
  readonly identifiesViewers: boolean;

  isOpen(publication: Publication): boolean;

  decide(request: IncomingMessage, publication: Publication): Decision | Promise<Decision>;

  admits(grant: Grant, publication: Publication): boolean | Promise<boolean>;
}

export const byPassword: Access = {
  identifiesViewers: false,
  isOpen: (publication) => !publication.passwordProtected,
  decide: (_request, publication) => ({ kind: publication.passwordProtected ? 'password' : 'open' }),
  // A grant that names a viewer may not have proved the password.
  admits: (grant) => grant.viewer === undefined,
};

export function byViewer(rules: ViewerAccess, publicUrl: string): Access {
  if (typeof rules.identify !== 'function' || typeof rules.mayView !== 'function') {
    throw new TypeError('access must have the functions identify and mayView');
  }
  const ask = async (id: ViewerId, publication: Publication): Promise<MayView> => {
    const answer = await rules.mayView(id, publication);
    return answer === 'password' && !publication.passwordProtected ? 'no' : answer;
  };
  return {
    identifiesViewers: true,
    isOpen: () => false,
    async decide(request, publication) {
      const identified = await rules.identify(request);
      if (typeof identified !== 'string')
        return { kind: 'sign_in', location: signInUrl(identified?.signIn, publicUrl) };
      const id = checkViewerId(identified);
      const answer = await ask(id, publication);
      if (answer === 'yes') return { kind: 'welcome', viewer: { id, gavePassword: false } };
      if (answer === 'password') return { kind: 'password', viewer: { id, gavePassword: true } };
      return { kind: 'refused' };
    },
    async admits({ viewer }, publication) {
      if (viewer === undefined) return false;
      const answer = await ask(viewer.id, publication);
      return answer === 'yes' || (answer === 'password' && viewer.gavePassword);
    },
  };
}

/** @throws TypeError for anything but a viewer's id: a missing one must not admit anyone. */
function checkViewerId(id: string): ViewerId {
  if (id !== '' && id.isWellFormed() && Buffer.byteLength(id) <= 255) return id;
  throw new TypeError('identify must answer a viewer as 1 to 255 bytes of UTF-8, or { signIn }');
}

function signInUrl(url: unknown, publicUrl: string): string {
  const parsed =
    typeof url === 'string' && URL.canParse(url, publicUrl) ? new URL(url, publicUrl) : undefined;
  if (parsed !== undefined && /^https?:/.test(parsed.protocol)) return parsed.href;
  throw new TypeError('identify must answer a viewer, or { signIn } with a URL of http or https or a path');
}
