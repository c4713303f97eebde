import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Cleaning,
  type Keys,
  OPERATOR,
  type PublishOutcome,
  type PublishRequest,
  type UseCases,
} from '@pinfold/core';
import type { FeedItem, FollowRequest } from '@pinfold/core/history';
import type { Viewer } from '@pinfold/viewer';
import { checkOptions, type PinfoldOptions, TEXT_OPTIONS } from '../settings/options.ts';
import { settingsOf } from '../settings/settings.ts';
import { resolveWebAddresses } from '../settings/web-addresses.ts';
import { once } from './compose.ts';
import { makeDoors, openService } from './service.ts';

/** A handler that fits the types of Express 4 and 5. */
type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Pinfold as a part of your server. */
export interface Pinfold {
  /** The API, `/openapi.json` and `/llms.txt`: an Express router, mounted at the path of `publicUrl`. */
  readonly api: Middleware;
  /** Shared URLs and sites: a request handler, mounted at the root before all other handlers. */
  readonly viewer: Viewer;
  /** The management screen: an Express router, mounted at `manage` below `publicUrl`. */
  readonly management: Middleware;
  /**
   * Publishes from code, like the use case.
   *
   * @throws Fault if a part is unavailable; repeating with the same key is safe.
   */
  publish(request: PublishRequest): Promise<PublishOutcome>;
  /**
   * Yields the events of all accounts, or of one, each once and in a fixed order; waits for further ones until
   * Pinfold is closed. Store the last `cursor` to continue after it.
   *
   * @throws FeedError if the cursor is of another feed or has expired; the signal's reason if it aborts.
   */
  events(request?: Omit<FollowRequest, 'by'>): AsyncGenerator<FeedItem, void, undefined>;
  /** The use cases, for your own pages and jobs. */
  readonly useCases: UseCases &
    Cleaning & {
      /** API keys, for servers without an `authenticate`. */
      readonly keys: Keys;
    };
  /**
   * Waits up to 10 seconds for running publications, and closes everything that was opened. Close your server first.
   * Further calls wait for the same end.
   */
  close(): Promise<void>;
}

const MAX_STOP_TIME = 10_000;

/**
 * Opens Pinfold as a part of your server: opens its stores, brings them up to this release, and composes the doors to
 * mount. Removes expired and stopped archives at least every ten minutes until it is closed.
 *
 * @throws SettingsError when an option is wrong or cannot be used, such as an unavailable database or bucket; Fault when
 * another store cannot be opened.
 *
 * @example
 * import express from 'express';
 * import { openPinfold } from 'pinfold';
 *
 * const pinfold = await openPinfold({ dataDir: './data', publicUrl: 'http://localhost:8080' });
 * const server = express().use(pinfold.viewer, pinfold.api).use('/manage', pinfold.management);
 * server.listen(8080, '127.0.0.1');
 */
export async function openPinfold(options: PinfoldOptions): Promise<Pinfold> {
  checkOptions('openPinfold', options);
  const texts = Object.fromEntries(TEXT_OPTIONS.map((name) => [name, options[name]]));
  const settings = settingsOf({ ...texts, logLevel: options.logLevel ?? 'warn' });
  const addresses = resolveWebAddresses(settings, settings.port);
  const { modules } = options;
  // Loads InversifyJS only if there are modules.
  const layer =
    modules === undefined ? undefined : (await import('./container.ts')).createContainerLayer(modules);
  const service = await openService(settings, () => addresses, options, layer);
  const { useCases, manageKeys, manageHistory: history } = service.composition;
  const close = once(() => service.close(AbortSignal.timeout(MAX_STOP_TIME)));
  try {
    // Your server answers the paths that are not Pinfold's.
    const { api, viewer, management } = await makeDoors(service, 'pass');
    await service.logHealth();
    void service.watch();
    service.sweep();
    return {
      api: api as unknown as Middleware,
      viewer,
      management: management as unknown as Middleware,
      publish: useCases.publish,
      events: (request) => history.follow({ by: OPERATOR, ...request }),
      useCases: { ...useCases, keys: manageKeys },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
