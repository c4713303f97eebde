import type { Clock, IdentityProvider } from '@pinfold/core';
import type { ClaimRule } from './claims.ts';
import type { SignIn } from './sign-in.ts';

/** What {@link openIdConnect} needs to know of an issuer, and of the people it knows. */
export interface OpenIdConnectOptions {
  /** Its address, as it says it itself: https, or http on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default `openid email profile`. */
  readonly scopes?: string | undefined;
  /** Its name for people: "Sign in with …". Default: the issuer's host. */
  readonly name?: string | undefined;
  /** The prefix of accounts. Default: `oidc:`. With an empty one, a claim could name another account. */
  readonly accountPrefix?: string | undefined;
  /** The claim that names the account, after the prefix. Default `sub`. */
  readonly accountClaim?: string | undefined;
  /** Decides who may sign in. Default: everyone whom the issuer knows. */
  readonly require?: ClaimRule | undefined;
  /** The people whose sessions administer the service, an hour each. Default: none. */
  readonly admins?: ClaimRule | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Recognises people by OpenID Connect, for the management screen. It asks the issuer nothing before the first sign-in
 * and stores none of its tokens. The address to register there is `/sign-in/oidc` below the screen's.
 *
 * @throws TypeError when the issuer is no address of https, or of http on this machine.
 *
 * @example
 * import { openIdConnect, parseClaimRule } from '@pinfold/oidc';
 * import { SystemClock } from '@pinfold/platform-node';
 *
 * const identityProvider = openIdConnect({
 *   issuer: 'https://login.example',
 *   clientId: 'pinfold',
 *   clientSecret: 'from the issuer',
 *   require: parseClaimRule('groups=staff'),
 *   clock: new SystemClock(),
 * });
 * console.log(identityProvider.name); // login.example
 */
export function openIdConnect(options: OpenIdConnectOptions): IdentityProvider {
  const issuer = issuerUrl(options.issuer);
  let made: Promise<SignIn> | undefined;
  const signIn = (): Promise<SignIn> => {
    made ??= makeSignIn(issuer, options);
    return made;
  };
  return {
    name: options.name ?? issuer.host,
    begin: async (returnUrl) => (await signIn()).begin(returnUrl),
    finish: async (cameBack, signInState, from) => (await signIn()).finish(cameBack, signInState, from),
    signOutUrl: async () => (await signIn()).signOutUrl(),
  };
}

/**
 * Takes a text as the address of an issuer.
 *
 * @throws TypeError unless it is an address of https, or of http on this machine.
 */
export function issuerUrl(text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === null || !isSafe || url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new TypeError('must be an address that begins with https://, or with http:// on this machine');
  }
  return url;
}

/** The client library is loaded when the first person signs in. */
async function makeSignIn(issuer: URL, options: OpenIdConnectOptions): Promise<SignIn> {
  const { SignIn } = await import('./sign-in.ts');
  const { scopes = 'openid email profile', accountPrefix = 'oidc:', accountClaim = 'sub' } = options;
  return new SignIn({ ...options, issuer, scopes, accountPrefix, accountClaim });
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
