import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isError } from '@pinfold/core/internal';
import type { RequestLog } from '@pinfold/http';
import { trustedClients } from './client-address.ts';
import { sendOwn } from './own-routes.ts';
import type { FindServerFile } from './server-file.ts';

// The file of a killed server stays, and any process may listen on its port by then. So a server proves to commands
// that it has the key of the file before they send it the key, a site or a password.

const PROOF_PATH = '/healthz/machine';
const CHALLENGE = /^challenge=([\w-]{43})$/;

/** The address that proves, for a random challenge of 32 bytes in base64url, that its server has the key. */
export function proofUrl(address: string, challenge: string): string {
  return `${address}${PROOF_PATH}?challenge=${challenge}`;
}

/** Whether a proof is that of the server with the key at this address. */
export function isProof(
  { address, key }: { readonly address: string; readonly key: string },
  challenge: string,
  proof: unknown,
): boolean {
  const expected = Buffer.from(proofOf(key, challenge, Number(new URL(address).port || 80)));
  const given = Buffer.from(String(proof));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** With the port, so that a process on another port cannot pass the challenge on. */
function proofOf(key: string, challenge: string, port: number): string {
  return createHmac('sha256', key).update(`${challenge}:${port}`).digest('base64url');
}

/** Proves to this machine that the server has the key of its file. Returns whether it answers. */
export function proofEndpoint(
  serverFile: FindServerFile,
  log: RequestLog,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isOfThisMachine = trustedClients({ kind: 'none' });
  return (request, response) => {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    const [, challenge] = (path === PROOF_PATH && CHALLENGE.exec(query)) || [];
    if (challenge === undefined || request.method !== 'GET' || !isOfThisMachine(request)) return false;
    const began = performance.now();
    serverFile()
      .then((file) => {
        const port = request.socket.localPort ?? 0;
        const json = { proof: file === undefined ? null : proofOf(file.key, challenge, port) };
        sendOwn({ status: 200, json }, { log, route: PROOF_PATH, began }, request, response);
      })
      .catch((error: unknown) => response.destroy(isError(error) ? error : undefined));
    return true;
  };
}
