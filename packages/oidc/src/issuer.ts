import { type Clock, type Instant, minutes } from '@pinfold/core';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  clockSkew,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client';

/** How a client says who it is. */
export type ClientMethod = 'client_secret_basic' | 'client_secret_post';

/** What names a client at an issuer. */
export interface Client {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** An answer that takes longer is not waited for, in seconds. */
const PATIENCE = 10;
/** How far the issuer's clock may be from ours, in seconds. */
const TOLERANCE = 120;
const KNOWN_FOR = minutes(10);

/** What an issuer says of itself at its well-known address. */
export class Issuer {
  readonly #client: Client;
  #known: { readonly config: Promise<Configuration>; readonly until: Instant } | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** As it was at most ten minutes ago: where people sign in and out. Any number who ask at once wait for one answer. */
  async known(): Promise<Configuration> {
    const now = this.#client.clock.now();
    if (this.#known !== undefined && this.#known.until > now) return await this.#known.config;
    const known = { config: this.asked(), until: (now + KNOWN_FOR) as Instant };
    this.#known = known;
    try {
      return await known.config;
    } catch (error) {
      if (this.#known === known) this.#known = undefined;
      throw error;
    }
  }

  /**
   * As it is now. Its keys are asked for with each of these: one that was changed is known at once, and one that was
   * withdrawn is good for nobody.
   */
  async asked(method?: ClientMethod): Promise<Configuration> {
    const { issuer, clientId, clientSecret, clock } = this.#client;
    const metadata = {
      [clockSkew]: Math.round((clock.now() - Date.now()) / 1_000),
      [clockTolerance]: TOLERANCE,
    };
    const authentication = method === 'client_secret_post' ? ClientSecretPost : ClientSecretBasic;
    return await discovery(issuer, clientId, metadata, authentication(clientSecret), {
      timeout: PATIENCE,
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
  }
}
