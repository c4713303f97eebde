import {
  after,
  type BegunSignIn,
  minutes,
  type Person,
  type SignInFailure,
  type SignInReturn,
} from '@pinfold/core';
import { Semaphore } from '@pinfold/core/adapter';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { Claims } from './claims.ts';
import { failureOf } from './errors.ts';
import { type Client, type ClientMethod, Issuer } from './issuer.ts';
import { type PersonRules, personOf } from './person.ts';
import { keyOf, type SignInState, seal, unseal } from './state-cookie.ts';

export type SignInOptions = PersonRules & Client & { readonly scopes: string };

/** How long a person may take at the issuer. */
const LASTS = minutes(10);
/** Exchanges of codes under way at once, and waiting: each is two or three requests in the service's name. */
const EXCHANGES = { places: 8, queue: 64 };

/** An older state has most likely expired. */
const MAX_STATES = 4_096;

type Recognised = { readonly kind: 'recognised'; readonly person: Person };

/** Signs in by the code flow: PKCE with S256, state and nonce. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #issuer: Issuer;
  readonly #key: Uint8Array;
  /** The newest states that were used: each is valid once. */
  readonly #spent: Set<string> = new Set();
  readonly #exchanges: Semaphore<string> = new Semaphore(EXCHANGES);
  /** The authentication method that the issuer supports. */
  #method: ClientMethod = 'client_secret_basic';

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#issuer = new Issuer(options);
    this.#key = keyOf(options.issuer.href, options.clientId, options.clientSecret);
  }

  async begin(returnUrl: string): Promise<BegunSignIn | SignInFailure> {
    const { scopes, clock } = this.#options;
    const signInState: SignInState = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      endsAt: after(clock.now(), LASTS),
    };
    return await this.#orFailure(async () => {
      const url = buildAuthorizationUrl(await this.#issuer.known(), {
        redirect_uri: returnUrl,
        scope: scopes,
        state: signInState.state,
        nonce: signInState.nonce,
        code_challenge: await calculatePKCECodeChallenge(signInState.verifier),
        code_challenge_method: 'S256',
      });
      return { kind: 'begun', url: url.href, browserState: seal(signInState, this.#key) };
    });
  }

  async finish(
    cameBack: string,
    sealed: string | undefined,
    { client, signal }: SignInReturn,
  ): Promise<Recognised | SignInFailure> {
    const url = new URL(cameBack);
    const signInState = sealed === undefined ? undefined : unseal(sealed, this.#key);
    const isOurs = signInState !== undefined && signInState.endsAt > this.#options.clock.now();
    if (!isOurs || url.searchParams.get('state') !== signInState.state)
      return { kind: 'failed', problem: 'forgotten' };
    if (this.#spent.has(signInState.state)) return { kind: 'failed', problem: 'late' };
    this.#spend(signInState.state);
    const leave = await this.#exchanges.enter(client, signal).catch(() => undefined);
    if (leave === undefined) {
      // The code was not used: the browser may come back with it.
      this.#spent.delete(signInState.state);
      signal.throwIfAborted();
      return { kind: 'failed', problem: 'busy' };
    }
    try {
      return await this.#orFailure(async () => {
        const { sub, claimSets } = await this.#exchange(url, signInState, signal);
        return personOf(sub, claimSets, this.#options);
      }, signal);
    } finally {
      leave();
    }
  }

  async signOutUrl(): Promise<string | undefined> {
    try {
      const config = await this.#issuer.known();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(config).href;
    } catch (error) {
      // Our session has ended, whether theirs can be or not.
      failureOf(error);
      return undefined;
    }
  }

  #spend(state: string): void {
    const [oldest] = this.#spent;
    if (oldest !== undefined && this.#spent.size >= MAX_STATES) this.#spent.delete(oldest);
    this.#spent.add(state);
  }

  /** Exchanges the code for the issuer's claims. Tries the other way to authenticate where the issuer wants that. */
  async #exchange(url: URL, signInState: SignInState, signal: AbortSignal): ReturnType<typeof claimsOf> {
    const other = this.#method === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic';
    let methods: readonly string[] = [];
    try {
      return await this.#issuer.forExchange(this.#method, signal, (config) => {
        methods = config.serverMetadata().token_endpoint_auth_methods_supported ?? [];
        return claimsOf(config, url, signInState);
      });
    } catch (error) {
      if (!isUnknownClient(error) || !methods.includes(other)) throw error;
    }
    const stated = await this.#issuer.forExchange(other, signal, (config) =>
      claimsOf(config, url, signInState),
    );
    this.#method = other;
    return stated;
  }

  async #orFailure<Outcome>(
    work: () => Promise<Outcome>,
    signal?: AbortSignal,
  ): Promise<Outcome | SignInFailure> {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      return failureOf(error);
    }
  }
}

/** With 401 an issuer may name a scheme as well as an error (RFC 6749, section 5.2). */
function isUnknownClient(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return error.status === 401;
  return error instanceof ResponseBodyError && error.error === 'invalid_client';
}

async function claimsOf(
  config: Configuration,
  url: URL,
  { state, nonce, verifier }: SignInState,
): Promise<{ readonly sub: string; readonly claimSets: readonly Claims[] }> {
  const tokens = await authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  if (idToken === undefined) throw new TypeError('an expected id_token is there');
  // Section 3.1.3.7, number 5, of OpenID Connect Core; the library checks this only for several audiences.
  if (idToken.azp !== undefined && idToken.azp !== config.clientMetadata().client_id) {
    throw new ClientError('the id_token was issued to another client (azp)');
  }
  const { userinfo_endpoint } = config.serverMetadata();
  // Without a subject there is nothing more to ask.
  if (userinfo_endpoint === undefined || idToken.sub === '')
    return { sub: idToken.sub, claimSets: [idToken] };
  const userinfo = await fetchUserInfo(config, tokens.access_token, idToken.sub);
  return { sub: idToken.sub, claimSets: [idToken, userinfo] };
}
