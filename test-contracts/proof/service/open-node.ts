import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { Clock, Ports } from '@pinfold/core';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { HmacGrantSigner, RandomIds, ScryptPasswordHasher } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { createViewer, type ViewerMode } from '@pinfold/viewer';
import express from 'express';
import { closed, composed, listening, type Parts } from 'pinfold-test-servers/service';
import { type ArchivesAddress, openArchives, openRecords, type RecordsAddress } from './addresses.ts';

export const MOUNTS = ['express', 'node:http'] as const;
export type Mount = (typeof MOUNTS)[number];

export interface NodeSettings {
  readonly records: RecordsAddress;
  readonly archives: ArchivesAddress;
  readonly staging: string;
  readonly clock: Clock;
  readonly mount?: Mount;
  readonly mode?: ViewerMode;
  /** The port of the service's public URL; the node's own when absent. */
  readonly publicPort?: number;
  /** Puts something around each port. */
  readonly wrap?: WrapPort;
  /** An inspector of the caller's, which stays open. */
  readonly inspector?: ZipArchiveInspector;
}

/** Given a port and its name, gives what the node uses instead. */
export type WrapPort = <Port extends object>(port: Port, name: string) => Port;

/** A service put together by hand, whose API, shared URLs and sites are served on 127.0.0.1. */
export interface ServiceNode extends Parts {
  readonly ports: Ports;
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** What went wrong with an answer, as the server logged it. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

/** Opens a node; the first one brings the records up to date. */
export async function openNode(settings: NodeSettings): Promise<ServiceNode> {
  const { clock, mount = 'express', mode = 'path', wrap = (port) => port } = settings;
  const records = await openRecords(settings.records);
  await records.migrate();
  const staging = await openFsStaging({ folder: settings.staging, clock });
  const storage = await openArchives(settings.archives, staging, clock);
  const inspector = settings.inspector ?? new ZipArchiveInspector({ workers: 1 });
  const ports: Ports = {
    roles: wrap(records.roles, 'roles'),
    accounts: wrap(records.accounts, 'accounts'),
    mode: wrap(records.mode, 'mode'),
    attempts: wrap(records.attempts, 'attempts'),
    takedowns: wrap(records.takedowns, 'takedowns'),
    names: wrap(records.names, 'names'),
    staging: wrap(staging, 'staging'),
    archives: wrap(storage.archives, 'archives'),
    inspector: wrap(inspector, 'inspector'),
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret that all nodes know'] }),
    clock: wrap(clock, 'clock'),
    ids: new RandomIds(),
  };
  const apiKeys = wrap(records.apiKeys, 'apiKeys');
  const history = wrap(records.history, 'history');
  const parts = composed(
    ports,
    { ...records, apiKeys, history },
    {
      absolutePathsWork: mode === 'origin',
    },
  );
  const server = await listening();
  const { port } = server.address() as AddressInfo;
  const errors: unknown[] = [];
  server.on('request', listenerOf(parts, mount, mode, settings.publicPort ?? port, errors));
  return {
    ...parts,
    ports,
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    errors,
    close: async () => {
      await closed(server);
      if (settings.inspector === undefined) await inspector.close();
      await storage.close();
      await records.close();
    },
  };
}

function listenerOf(
  { useCases, keys }: Parts,
  mount: Mount,
  mode: ViewerMode,
  publicPort: number,
  errors: unknown[],
): RequestListener {
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
