import type { Clock, IdentityProvider } from '@pinfold/core';
import type { ClaimRule } from './claims.ts';
import type { SignIn } from './sign-in.ts';

/** The issuer for {@link openIdConnect}, and the rules for its people. */
export interface OpenIdConnectOptions {
  /** The issuer's identifier, exactly as the issuer states it: an https URL, or http on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: `openid email profile`. */
  readonly scopes?: string | undefined;
  /** The issuer's name for people: "Sign in with …". Default: its host. */
  readonly name?: string | undefined;
  /** The prefix of accounts. Default: `oidc:`. With an empty one, a claim could name any account. */
  readonly accountPrefix?: string | undefined;
  /** The claim that follows the prefix in the account's name. Default: `sub`. */
  readonly accountClaim?: string | undefined;
  /** Decides who may sign in. Default: everyone whom the issuer knows. */
  readonly require?: ClaimRule | undefined;
  /** Decides whose sessions administer the service, for an hour each. Default: no one's. */
  readonly admins?: ClaimRule | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Signs people in to the management screen by OpenID Connect. It sends no request to the issuer before the first sign-in
 * and stores none of its tokens. Register the address `/sign-in/oidc` below the screen's there.
 *
 * @throws TypeError if the issuer is not an https URL, or an http URL on this machine.
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
  let started: Promise<SignIn> | undefined;
  const signIn = (): Promise<SignIn> => {
    started ??= createSignIn(issuer, options);
    return started;
  };
  return {
    name: options.name ?? issuer.host,
    begin: async (returnUrl) => (await signIn()).begin(returnUrl),
    finish: async (returnedUrl, signInState, from) => (await signIn()).finish(returnedUrl, signInState, from),
    signOutUrl: async () => (await signIn()).signOutUrl(),
  };
}

/**
 * Parses the URL of an issuer.
 *
 * @throws TypeError if it is not an https URL, or an http URL on this machine.
 */
export function issuerUrl(text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === null || !isSafe || url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new TypeError('must be an address that begins with https://, or with http:// on this machine');
  }
  return url;
}

/** Loads the client library on demand, when the first person signs in. */
async function createSignIn(issuer: URL, options: OpenIdConnectOptions): Promise<SignIn> {
  const { SignIn } = await import('./sign-in.ts');
  const { scopes = 'openid email profile', accountPrefix = 'oidc:', accountClaim = 'sub' } = options;
  return new SignIn({ ...options, issuer, scopes, accountPrefix, accountClaim });
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
