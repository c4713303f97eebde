import { createCipheriv, createDecipheriv, type DecipherGCM, hkdfSync, randomBytes } from 'node:crypto';
import type { KeptWarning } from '@pinfold/core';
import type { MessageId } from './messages/catalogues.ts';
import type { Values } from './words.ts';

/** What the next page says of what was just done. */
export interface Said {
  readonly tone: 'good' | 'bad';
  readonly message: MessageId;
  readonly values?: Values;
  /** The text of an API key just made, shown this once. */
  readonly apiKey?: string;
  readonly remarks?: readonly KeptWarning[];
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Browsers keep 4,096 bytes of a cookie; base64 and the name take their part. */
const LONGEST = 2_600;

/**
 * Seals what is said for the one browser that is told it: a new API key crosses the redirect in a cookie, and nobody who
 * sees the cookie without the browser's secret can read or make one.
 */
export function sealSaid(said: Said, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret), iv);
  const sealed = Buffer.concat([cipher.update(fitting(said), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens what was sealed with the same secret; `undefined` for anything else. */
export function openSaid(text: string, secret: string): Said | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8');
  const end = authenticated(decipher);
  return end === undefined ? undefined : (JSON.parse(opened + end) as Said);
}

/** The end of the text; the one thing that `final` can find wrong is the tag. */
function authenticated(decipher: DecipherGCM): string | undefined {
  try {
    return decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** As many remarks as a cookie carries. */
function fitting(said: Said): string {
  for (let remarks = said.remarks; ; remarks = remarks.slice(0, -1)) {
    const text = JSON.stringify(remarks === undefined ? said : { ...said, remarks });
    if (remarks === undefined || remarks.length === 0 || Buffer.byteLength(text) <= LONGEST) return text;
  }
}

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'pinfold said', 32));
}
