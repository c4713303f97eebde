import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createViewer, type ViewerMode } from '@pinfold/viewer';
import express from 'express';
import { closed, listening } from 'pinfold-test-servers/service';
import type { ServiceNode } from './open-node.ts';

/** What API and viewer are mounted in. */
export const MOUNTS = ['express', 'node:http'] as const;
export type Mount = (typeof MOUNTS)[number];

/** A node that answers requests. */
export interface ServedNode {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** What went wrong with an answer, as the server logged it. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

/** How a node is served. */
export interface ServeOptions {
  readonly mount?: Mount;
  readonly mode?: ViewerMode;
  /** The port of the service's public URL; the server's own when absent. */
  readonly publicPort?: number;
}

/** Serves API, shared URLs and sites of a node on 127.0.0.1. */
export async function serveNode(node: ServiceNode, options: ServeOptions = {}): Promise<ServedNode> {
  const { mount = 'express', mode = 'origin' } = options;
  const server = await listening();
  const { port } = server.address() as AddressInfo;
  const errors: unknown[] = [];
  const publicPort = options.publicPort ?? port;
  server.on('request', listenerOf(node, mount, mode, publicPort, errors));
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    errors,
    close: () => closed(server),
  };
}

function listenerOf(
  node: ServiceNode,
  mount: Mount,
  mode: ViewerMode,
  publicPort: number,
  errors: unknown[],
): RequestListener {
  const { useCases, keys } = node;
  const publicUrl = `http://127.0.0.1:${publicPort}`;
  const log = ({ error }: { readonly error?: unknown }): void => {
    if (error !== undefined) errors.push(error);
  };
  const view = createViewer({
    useCases,
    publicUrl,
    sitesUrl: `http://localhost:${publicPort}`,
    mode,
    log,
    cacheBytes: 0,
  });
  const authenticate = apiKeyAuthentication(keys, { onError: (error) => errors.push(error) });
  const api = createApi({ useCases, createGrant: view.createGrant, publicUrl, authenticate, log });
  if (mount === 'express') return express().use(view).use(api);
  return (request, response) =>
    view(request, response, () => api(request as never, response as never, notFound));
  function notFound(): void {
    throw new Error('nobody answers');
  }
}
