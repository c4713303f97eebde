import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import {
  after,
  type BegunSignIn,
  type Instant,
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
import { type Claims, identifyPerson, type PersonRules } from './claims.ts';
import { toSignInFailure } from './errors.ts';
import { type Client, type ClientMethod, Issuer } from './issuer.ts';

type SignInOptions = PersonRules & Client & { readonly scopes: string };

/** How long a person may take at the issuer. */
const MAX_DURATION = minutes(10);
/** The exchanges of codes that run at once and that wait: each sends two or three requests to the issuer. */
const EXCHANGES = { places: 8, queue: 64 };

/** An older used state has most likely expired. */
const MAX_STATES = 4_096;

type Recognized = { readonly kind: 'recognized'; readonly person: Person };

/** Signs people in by the authorization code flow, with PKCE (S256), state and nonce. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #issuer: Issuer;
  readonly #key: Uint8Array;
  /** The newest used states: each is valid once. */
  readonly #usedStates: Set<string> = new Set();
  readonly #exchanges: Semaphore<string> = new Semaphore(EXCHANGES);
  /** The authentication method that the issuer accepts. */
  #method: ClientMethod = 'client_secret_basic';

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#issuer = new Issuer(options);
    this.#key = deriveStateKey(options.issuer.href, options.clientId, options.clientSecret);
  }

  async begin(returnUrl: string): Promise<BegunSignIn | SignInFailure> {
    const { scopes, clock } = this.#options;
    const signInState: SignInState = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      endsAt: after(clock.now(), MAX_DURATION),
    };
    return await this.#explainError(async () => {
      const url = buildAuthorizationUrl(await this.#issuer.configuration(), {
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
    returnedUrl: string,
    sealed: string | undefined,
    { client, signal }: SignInReturn,
  ): Promise<Recognized | SignInFailure> {
    const url = new URL(returnedUrl);
    const signInState = sealed === undefined ? undefined : unseal(sealed, this.#key);
    const isValid = signInState !== undefined && signInState.endsAt > this.#options.clock.now();
    if (!isValid || url.searchParams.get('state') !== signInState.state)
      return { kind: 'failed', problem: 'forgotten' };
    if (this.#usedStates.has(signInState.state)) return { kind: 'failed', problem: 'late' };
    this.#markUsed(signInState.state);
    const leave = await this.#exchanges.enter(client, signal).catch(() => undefined);
    if (leave === undefined) {
      // The code was not used, so the browser may come back with it.
      this.#usedStates.delete(signInState.state);
      signal.throwIfAborted();
      return { kind: 'failed', problem: 'busy' };
    }
    try {
      return await this.#explainError(async () => {
        const { sub, claimSets } = await this.#exchange(url, signInState, signal);
        return identifyPerson(sub, claimSets, this.#options);
      }, signal);
    } finally {
      leave();
    }
  }

  async signOutUrl(): Promise<string | undefined> {
    try {
      const config = await this.#issuer.configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(config).href;
    } catch (error) {
      // The local session has ended, whether or not the issuer's can be.
      toSignInFailure(error);
      return undefined;
    }
  }

  #markUsed(state: string): void {
    const [oldest] = this.#usedStates;
    if (oldest !== undefined && this.#usedStates.size >= MAX_STATES) this.#usedStates.delete(oldest);
    this.#usedStates.add(state);
  }

  /** Exchanges the code for the issuer's claims. Tries the other authentication method if the issuer requires it. */
  async #exchange(url: URL, signInState: SignInState, signal: AbortSignal): ReturnType<typeof fetchClaims> {
    const other = this.#method === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic';
    let methods: readonly string[] = [];
    try {
      return await this.#issuer.forExchange(this.#method, signal, (config) => {
        methods = config.serverMetadata().token_endpoint_auth_methods_supported ?? [];
        return fetchClaims(config, url, signInState);
      });
    } catch (error) {
      if (!isUnknownClient(error) || !methods.includes(other)) throw error;
    }
    const claims = await this.#issuer.forExchange(other, signal, (config) =>
      fetchClaims(config, url, signInState),
    );
    this.#method = other;
    return claims;
  }

  async #explainError<Outcome>(
    work: () => Promise<Outcome>,
    signal?: AbortSignal,
  ): Promise<Outcome | SignInFailure> {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      return toSignInFailure(error);
    }
  }
}

/** Besides the error code, an issuer may answer 401 with a scheme (RFC 6749, section 5.2). */
function isUnknownClient(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return error.status === 401;
  return error instanceof ResponseBodyError && error.error === 'invalid_client';
}

async function fetchClaims(
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
  // Without a subject, userinfo cannot be verified.
  if (userinfo_endpoint === undefined || idToken.sub === '')
    return { sub: idToken.sub, claimSets: [idToken] };
  const userinfo = await fetchUserInfo(config, tokens.access_token, idToken.sub);
  return { sub: idToken.sub, claimSets: [idToken, userinfo] };
}

/** The state of a sign-in, stored in the browser. It proves that the same browser starts and finishes it. */
interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The state is invalid from this instant. */
  readonly endsAt: Instant;
}

/** Derives the key from the client's own secret, so that all nodes have it without further settings. */
function deriveStateKey(issuer: string, clientId: string, clientSecret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', clientSecret, `${issuer}\n${clientId}`, 'pinfold oidc state', 32));
}

function seal(signInState: SignInState, key: Uint8Array): string {
  const text = Buffer.from(JSON.stringify(signInState)).toString('base64url');
  return `${text}.${signature(text, key).toString('base64url')}`;
}

/** Reads a state that was sealed with the same key; `undefined` for anything else. */
function unseal(sealed: string, key: Uint8Array): SignInState | undefined {
  const [text = '', signed = ''] = sealed.split('.');
  const [expected, sent] = [signature(text, key), Buffer.from(signed, 'base64url')];
  if (expected.length !== sent.length || !timingSafeEqual(expected, sent)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as SignInState;
}

function signature(text: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
