import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccountId } from '@pinfold/core';
import { isOperatorText, parseAccountId } from '@pinfold/core/internal';
import type { Authenticate } from '@pinfold/http-express';
import { bearerToken } from '@pinfold/http-express/internal';
import { createTrustCheck } from './client-address.ts';
import type { FindServerFile, ServerFile } from './server-file.ts';

// A running server writes this key to its data folder. It lets the command act for every account, because a user who
// can read the data folder could read the data anyway.

const PREFIX = 'machine_';

/** The account to act as, and the user of the machine. */
export interface MachineCaller {
  readonly account: AccountId;
  /** The name of the machine's user, if it has one. */
  readonly user: string | null;
}

/** The text that replaces an API key: the server's key, the account and the user. */
export function formatMachineCredentials(key: string, { account, user }: MachineCaller): string {
  return `${PREFIX}${[key, encode(account), encode(user ?? '')].join('.')}`;
}

/**
 * Also accepts the key of the server file from callers on this machine; passes all others to `authenticate`. Reads
 * the file for each request, because another process may have written it.
 */
export function acceptMachineKey(authenticate: Authenticate, serverFile: FindServerFile): Authenticate {
  const isOfThisMachine = createTrustCheck({ kind: 'none' });
  return async (request, options) => {
    const token = bearerToken(request);
    if (!token?.startsWith(PREFIX)) return authenticate(request, options);
    if (!isOfThisMachine(request)) return undefined;
    const [key = '', account = '', user = ''] = token.slice(PREFIX.length).split('.');
    // A stopping server has removed its file, but finishes requests that it has admitted.
    const isCurrent = options.again?.operator !== undefined || hasKey(await serverFile(), key);
    const parsed = isCurrent ? parseAccountId(decode(account)) : undefined;
    if (parsed === undefined) return undefined;
    const name = decode(user);
    const operator = isOperatorText(name) ? name : null;
    return { account: parsed, scopes: ['pins:read', 'pins:write'], operator };
  };
}

function hasKey(file: ServerFile | undefined, key: string): boolean {
  return file !== undefined && timingSafeEqual(digest(file.key), digest(key));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}
