import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isError } from '@pinfold/core/internal';
import type { RequestLog } from '@pinfold/http';
import { createTrustCheck } from './client-address.ts';
import { sendOwnAnswer } from './own-routes.ts';
import type { FindServerFile } from './server-file.ts';

// The file of a killed server stays, and any process may then listen on its port. So before a command sends the key, a
// site or a password, the server must prove that it has the key of the file.

const PROOF_PATH = '/healthz/machine';
const CHALLENGE = /^challenge=([\w-]{43})$/;

/** The URL that answers a random challenge (32 bytes in base64url) with a proof of the key. */
export function proofUrl(address: string, challenge: string): string {
  return `${address}${PROOF_PATH}?challenge=${challenge}`;
}

/** Whether a proof was made with the key by the server at this address. */
export function isProof(
  { address, key }: { readonly address: string; readonly key: string },
  challenge: string,
  proof: unknown,
): boolean {
  const expected = Buffer.from(computeProof(key, challenge, Number(new URL(address).port || 80)));
  const received = Buffer.from(String(proof));
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/** Includes the port, so that a process on another port cannot forward the challenge. */
function computeProof(key: string, challenge: string, port: number): string {
  return createHmac('sha256', key).update(`${challenge}:${port}`).digest('base64url');
}

/** Answers challenges from this machine. Returns whether the request was one. */
export function createProofEndpoint(
  serverFile: FindServerFile,
  log: RequestLog,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isOfThisMachine = createTrustCheck({ kind: 'none' });
  return (request, response) => {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    const [, challenge] = (path === PROOF_PATH && CHALLENGE.exec(query)) || [];
    if (challenge === undefined || request.method !== 'GET' || !isOfThisMachine(request)) return false;
    const began = performance.now();
    serverFile()
      .then((file) => {
        const port = request.socket.localPort ?? 0;
        const json = { proof: file === undefined ? null : computeProof(file.key, challenge, port) };
        sendOwnAnswer({ status: 200, json }, { log, route: PROOF_PATH, began }, request, response);
      })
      .catch((error: unknown) => response.destroy(isError(error) ? error : undefined));
    return true;
  };
}
