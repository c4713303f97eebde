import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '@pinfold/core';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createViewer, type ViewerMode } from '@pinfold/viewer';
import express from 'express';
import { type Inside, openService, type Stores, type TestService } from 'pinfold-test-servers/service';
import { openArchives, openRecords } from './addresses.ts';
import type { Addresses } from './places.ts';

export const MOUNTS = ['express', 'node:http'] as const;
export type Mount = (typeof MOUNTS)[number];

export interface NodeSettings<C extends Clock> extends Addresses {
  readonly clock: C;
  readonly mount?: Mount;
  readonly mode?: ViewerMode;
  /** Wraps each port. */
  readonly wrap?: WrapPort;
}

/** Wraps a port by its name. */
export type WrapPort = <Port extends object>(port: Port, name: string) => Port;

/** A hand-made service, with API, shared URLs and sites on 127.0.0.1. */
export interface ServiceNode<C extends Clock = Clock> extends Omit<TestService<Stores, C>, 'peer'> {
  readonly url: string;
  /** The errors of answers, as logged by the server. */
  readonly errors: readonly unknown[];
  /** Opens another node over the same data, with its own connections and caches; it closes with the first. */
  peer(): Promise<TestService<Stores, C>>;
}

/** Opens a node; the first one brings the records up to date. */
export async function openNode<C extends Clock>({
  folder,
  records,
  archives,
  clock,
  mount = 'express',
  mode = 'path',
  wrap = (port) => port,
}: NodeSettings<C>): Promise<ServiceNode<C>> {
  const wrapped = <Ports extends object>(ports: Ports): Ports =>
    Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, wrap(port, name)])) as Ports;
  const openStores = async (): Promise<Stores> => {
    const { apiKeys, history, erasures, ...stores } = await openRecords(records);
    await stores.migrate();
    const storage = await openArchives(archives, folder, clock);
    const close = async (): Promise<void> => {
      await storage.close();
      await stores.close();
    };
    return { ...stores, ...wrapped({ apiKeys, history, erasures }), archives: storage.archives, close };
  };
  const errors: unknown[] = [];
  const doors = (inside: Inside<C>): RequestListener => listenerOf(inside, mount, mode, errors);
  const service = await openService<Stores, C>(await openStores(), doors, {
    clock,
    folder,
    absolutePathsWork: mode === 'origin',
    ports: ({ passwords, grants, ids, ...others }) => wrapped(others),
  });
  const peer = async () => service.peer(await openStores(), doors);
  return { ...service, url: `http://127.0.0.1:${service.port}`, errors, peer };
}

function listenerOf(
  { useCases, keys, publicPort }: Inside<Clock>,
  mount: Mount,
  mode: ViewerMode,
  errors: unknown[],
): RequestListener {
  const publicUrl = `http://127.0.0.1:${publicPort}`;
  const log = ({ error }: { readonly error?: unknown }): void => {
    if (error !== undefined) errors.push(error);
  };
  const sitesUrl = `http://localhost:${publicPort}`;
  const view = createViewer({ useCases, publicUrl, sitesUrl, mode, log, cacheBytes: 0 });
  const authenticate = apiKeyAuthentication(keys, { onError: (error) => errors.push(error) });
  const api = createApi({
    unknownPaths: 'refuse',
    useCases,
    createGrant: view.createGrant,
    openArchive: view.openArchive,
    publicUrl,
    authenticate,
    log,
  });
  // Other requests get the viewer's 404 page, as in the reference server.
  const notFound = (request: IncomingMessage, response: ServerResponse): void => view(request, response);
  if (mount === 'express') return express().use(view).use(api).use(notFound);
  return (request, response) =>
    view(request, response, () =>
      api(request as never, response as never, () => notFound(request, response)),
    );
}
