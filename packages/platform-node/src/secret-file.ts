import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '@pinfold/core/internal';

/** A generated secret has 43 characters; an operator may replace it. */
const SECRET = /^[\x21-\x7e]{32,}$/;

/**
 * Reads the secret in a file, or creates one of 256 random bits there, readable by its owner only.
 *
 * Concurrent processes get the same secret. A missing folder is created.
 *
 * @throws Error if the file does not contain 32 or more printable ASCII characters; it is never overwritten. Errors of the
 *   file system are not wrapped.
 *
 * @example
 * import { loadOrCreateSecret } from '@pinfold/platform-node';
 *
 * const secret = await loadOrCreateSecret('./data/secret');
 */
export async function loadOrCreateSecret(file: string): Promise<string> {
  const stored = await readSecret(file);
  if (stored !== undefined) return stored;
  await createSecret(file);
  const created = await readSecret(file);
  if (created === undefined) throw new Error(`the secret in ${file} disappeared while it was read`);
  return created;
}

async function readSecret(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => ignoreCode('ENOENT', error));
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (!SECRET.test(secret)) throw new Error(`${file} does not hold a secret of Pinfold`);
  return secret;
}

/** Writes a temporary file and links it, so that the file appears complete, and the first of several processes wins. */
async function createSecret(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporaryFile = `${file}.${randomBytes(8).toString('hex')}`;
  const handle = await open(temporaryFile, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporaryFile, file).catch((error: unknown) => ignoreCode('EEXIST', error));
  } finally {
    await rm(temporaryFile, { force: true });
  }
  await syncFolder(dirname(file));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot flush folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreCode(code: string, error: unknown): undefined {
  if (codeOf(error) === code) return undefined;
  throw error;
}
