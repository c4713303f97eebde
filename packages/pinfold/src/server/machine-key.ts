import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccountId } from '@pinfold/core';
import { isOperatorText, parseAccountId } from '@pinfold/core/internal';
import type { Authenticate } from '@pinfold/http-express';
import { bearerToken } from '@pinfold/http-express/internal';
import { trustedClients } from './client-address.ts';
import type { FindServerFile, ServerFile } from './server-file.ts';

// The key that a running server leaves beside its data. It lets the command act for every account: whoever can read the
// data folder could change the data themselves.

const PREFIX = 'machine_';

/** For whom the command asks. */
export interface MachineCaller {
  readonly account: AccountId;
  /** The user of the machine; null without a name. */
  readonly user: string | null;
}

/** The text in the place of an API key: the server's key, and for whom it asks. */
export function machineCredentials(key: string, { account, user }: MachineCaller): string {
  return `${PREFIX}${[key, encoded(account), encoded(user ?? '')].join('.')}`;
}

/**
 * Lets callers with the key of this machine in, who come from it, and leaves all others to `authenticate`. The key is
 * that of the file: the process that wrote it may be another one.
 */
export function orByMachineKey(authenticate: Authenticate, serverFile: FindServerFile): Authenticate {
  const isOfThisMachine = trustedClients({ kind: 'none' });
  return async (request, options) => {
    const token = bearerToken(request);
    if (!token?.startsWith(PREFIX)) return authenticate(request, options);
    if (!isOfThisMachine(request)) return undefined;
    const [key = '', account = '', user = ''] = token.slice(PREFIX.length).split('.');
    // A server that stops removes its file, and finishes what it has begun.
    const isCurrent = options.again?.operator !== undefined || isKeyOf(await serverFile(), key);
    const parsed = isCurrent ? parseAccountId(decoded(account)) : undefined;
    if (parsed === undefined) return undefined;
    const name = decoded(user);
    const operator = isOperatorText(name) ? name : null;
    return { account: parsed, scopes: ['pins:read', 'pins:write'], operator };
  };
}

function isKeyOf(file: ServerFile | undefined, key: string): boolean {
  return file !== undefined && timingSafeEqual(digest(file.key), digest(key));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}
