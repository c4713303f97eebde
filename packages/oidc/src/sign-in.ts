import { after, type BegunSignIn, type Clock, minutes, type Person, type SignInTrouble } from '@pinfold/core';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
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
import { type ClientMethod, Issuer } from './issuer.ts';
import { type Kept, keyOf, seal, unseal } from './kept.ts';
import { type PersonRules, personOf } from './person.ts';
import { troubleOf } from './trouble.ts';

/** A client of an issuer, with all that was left out filled in. */
export interface SignInOptions extends PersonRules {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** How long a person may take at the issuer. */
const LASTS = minutes(10);

/** Signs in by the code flow: PKCE with S256, state and nonce. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #issuer: Issuer;
  readonly #key: Uint8Array;
  /** What the issuer was found to take. */
  #method: ClientMethod = 'client_secret_basic';

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#issuer = new Issuer(options);
    this.#key = keyOf(options.issuer.href, options.clientId, options.clientSecret);
  }

  async begin(returnUrl: string): Promise<BegunSignIn | SignInTrouble> {
    const { scopes, clock } = this.#options;
    const kept: Kept = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      endsAt: after(clock.now(), LASTS),
    };
    return await this.#troubled(async () => {
      const url = buildAuthorizationUrl(await this.#issuer.known(), {
        redirect_uri: returnUrl,
        scope: scopes,
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      });
      return { kind: 'begun', url: url.href, kept: seal(kept, this.#key) };
    });
  }

  async finish(
    cameBack: string,
    sealed: string | undefined,
  ): Promise<{ readonly kind: 'recognised'; readonly person: Person } | SignInTrouble> {
    const url = new URL(cameBack);
    const kept = sealed === undefined ? undefined : unseal(sealed, this.#key);
    const isOurs = kept !== undefined && kept.endsAt > this.#options.clock.now();
    if (!isOurs || url.searchParams.get('state') !== kept.state)
      return { kind: 'trouble', problem: 'forgotten' };
    return await this.#troubled(async () => {
      const { sub, sayings } = await this.#exchange(url, kept);
      return personOf(sub, sayings, this.#options);
    });
  }

  async signOutUrl(): Promise<string | undefined> {
    try {
      const config = await this.#issuer.known();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(config).href;
    } catch (error) {
      // Our session has ended, whether theirs can be or not.
      troubleOf(error);
      return undefined;
    }
  }

  /** Changes the code for what the issuer says of the person. An issuer may want to be told of the client otherwise. */
  async #exchange(url: URL, kept: Kept): ReturnType<typeof saidBy> {
    const config = await this.#issuer.asked(this.#method);
    const other = this.#method === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic';
    const { token_endpoint_auth_methods_supported: methods = [] } = config.serverMetadata();
    try {
      return await saidBy(config, url, kept);
    } catch (error) {
      if (!isUnknownClient(error) || !methods.includes(other)) throw error;
    }
    const said = await saidBy(await this.#issuer.asked(other), url, kept);
    this.#method = other;
    return said;
  }

  async #troubled<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | SignInTrouble> {
    try {
      return await work();
    } catch (error) {
      return troubleOf(error);
    }
  }
}

/** With 401 an issuer may name a scheme as well as an error (RFC 6749, section 5.2). */
function isUnknownClient(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return error.status === 401;
  return error instanceof ResponseBodyError && error.error === 'invalid_client';
}

async function saidBy(
  config: Configuration,
  url: URL,
  { state, nonce, verifier }: Kept,
): Promise<{ readonly sub: string; readonly sayings: readonly Claims[] }> {
  const tokens = await authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  if (idToken === undefined) throw new TypeError('an expected id_token is there');
  const { userinfo_endpoint } = config.serverMetadata();
  // Of nobody there is nothing more to ask.
  if (userinfo_endpoint === undefined || idToken.sub === '') return { sub: idToken.sub, sayings: [idToken] };
  const userinfo = await fetchUserInfo(config, tokens.access_token, idToken.sub);
  return { sub: idToken.sub, sayings: [idToken, userinfo] };
}
