import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, GrantSigner } from '@pinfold/core';
import type { ClientAddress, RequestLog } from '@pinfold/http';
import { takeRequest } from '@pinfold/http/internal';
import { DOCTOR_TOKEN_HEADER, ECHO_PATH, type EchoedRequest, isDoctorToken } from '../doctor/doctor-token.ts';
import { sendOwnAnswer } from './own-routes.ts';

export interface EchoOptions {
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
      takeRequest(request, response, () => {
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
