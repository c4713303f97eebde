import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits, Ports } from '@pinfold/core';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import type { HttpSubject } from '@pinfold/test-contracts';
import { createViewer, type ViewerMode } from '@pinfold/viewer';
import express from 'express';
import { type Doors, openHttpSubject } from 'pinfold-test-servers/service';

/** Does something to a request, or to its answer, before the service takes it. */
export type Tamper = (request: IncomingMessage, response: ServerResponse) => void;

/** What is wrong with a service. Each part is made anew for each subject. */
export interface Spoiling {
  readonly tamper?: () => Tamper;
  /** The same, before peers only. */
  readonly tamperWithPeers?: () => Tamper;
  readonly limits?: Partial<Limits>;
  readonly ports?: () => (ports: Ports) => Partial<Ports>;
}

/** API and viewer over stores in memory, each peer a server of its own. */
export function openService(mode: ViewerMode, spoiling: Spoiling = {}): Promise<HttpSubject> {
  const everywhere = spoiling.tamper?.();
  return openHttpSubject(mode, doorsWith(mode, everywhere), {
    peerDoors: (inside) => doorsWith(mode, spoiling.tamperWithPeers?.() ?? everywhere)(inside),
    limits: spoiling.limits,
    ports: spoiling.ports?.(),
  });
}

function doorsWith(mode: ViewerMode, tamper: Tamper | undefined): Doors {
  return ({ useCases, keys, publicPort }) => {
    const publicUrl = `http://127.0.0.1:${publicPort}`;
    const sitesUrl = `http://localhost:${publicPort}`;
    const handler = express()
      .use(createViewer({ useCases, publicUrl, sitesUrl, mode }))
      .use(createApi({ useCases, publicUrl, authenticate: apiKeyAuthentication(keys) }));
    return (request, response) => {
      tamper?.(request, response);
      handler(request, response);
    };
  };
}
