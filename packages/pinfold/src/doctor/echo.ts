import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Clock,
  type Generation,
  type GrantSigner,
  type Ids,
  type Instant,
  minutes,
} from '@pinfold/core';
import type { ClientAddress, RequestLog } from '@pinfold/http';
import { runInRequestOrder } from '@pinfold/http/internal';
import { sendOwnAnswer } from '../server/own-routes.ts';

export const DOCTOR_TOKEN_HEADER = 'x-pinfold-doctor';

/** The path at which a server echoes a request with a doctor token. */
export const ECHO_PATH = '/healthz/mirror';

export interface EchoedRequest {
  readonly host: string;
  readonly origin: string | null;
  readonly forwarded_for: string | null;
  /** The address to which rate limits apply. */
  readonly client: string;
  readonly peer: { readonly address: string; readonly port: number };
  readonly body_bytes: number;
}

/** No publication has this generation, so a token opens no site, and a grant is not a token. */
const NO_GENERATION = -1 as Generation;

const TOKEN_LIFETIME = minutes(1);

/** Creates a token with the server's secret, valid for a minute. */
export async function signDoctorToken(grants: GrantSigner, ids: Ids, now: Instant): Promise<string> {
  return await grants.sign({
    purpose: 'path',
    role: ids.role(),
    generation: NO_GENERATION,
    accountGeneration: NO_GENERATION,
    issuedAt: now,
    madeAt: now,
  });
}

async function isDoctorToken(grants: GrantSigner, text: string, now: Instant): Promise<boolean> {
  const grant = await grants.verify(text);
  if (grant === undefined || grant.generation !== NO_GENERATION) return false;
  return Math.abs(now - grant.madeAt) <= TOKEN_LIFETIME;
}

interface EchoOptions {
  readonly grants: GrantSigner;
  readonly clock: Clock;
  readonly addressOf: ClientAddress;
  readonly log: RequestLog;
}

/**
 * Answers the doctor with its own request as it arrived, on any host, so that it sees what a proxy changed. Passes
 * requests without the doctor's token to `next`.
 */
export function createEchoEndpoint(
  options: EchoOptions,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  return (request, response, next) => {
    const token = request.headers[DOCTOR_TOKEN_HEADER];
    if (typeof token !== 'string' || !request.url?.includes(ECHO_PATH)) {
      next();
      return;
    }
    const checked = isDoctorToken(options.grants, token, options.clock.now()).then((isFromDoctor) => {
      if (!isFromDoctor) return next();
      runInRequestOrder(request, response, () => {
        echo(options, request, response).catch((error: Error) => response.destroy(error));
      });
    });
    checked.catch((error: Error) => response.destroy(error));
  };
}

async function echo(
  { addressOf, log }: EchoOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const began = performance.now();
  const { headers, socket } = request;
  const received: Omit<EchoedRequest, 'body_bytes'> = {
    host: headers.host ?? '',
    origin: headers.origin ?? null,
    forwarded_for: [headers['x-forwarded-for'] ?? []].flat().join(', ') || null,
    client: addressOf(request),
    peer: { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 },
  };
  const bytes = await countBytes(request);
  if (bytes === undefined) return;
  const json: EchoedRequest = { ...received, body_bytes: bytes };
  sendOwnAnswer({ status: 200, json }, { log, route: ECHO_PATH, began }, request, response);
}

async function countBytes(request: IncomingMessage): Promise<number | undefined> {
  let bytes = 0;
  try {
    for await (const piece of request) bytes += (piece as Uint8Array).byteLength;
    return bytes;
  } catch {
    return undefined;
  }
}
