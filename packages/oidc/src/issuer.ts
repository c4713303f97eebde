import { after, type Clock, type Instant, minutes } from '@pinfold/core';
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
  #known: { readonly config: Configuration; readonly until: Instant } | undefined;
  /** Shared by all who ask meanwhile: an issuer that does not answer keeps one connection and not one for each. */
  #asking: Promise<Configuration> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** As it was at most ten minutes ago: where people sign in and out. */
  async known(): Promise<Configuration> {
    const now = this.#client.clock.now();
    if (this.#known !== undefined && this.#known.until > now) return this.#known.config;
    this.#asking ??= this.asked().finally(() => {
      this.#asking = undefined;
    });
    const config = await this.#asking;
    this.#known = { config, until: after(now, KNOWN_FOR) };
    return config;
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
