import type { ApiKeyPlace } from '../ports/api-key-store.ts';
import type { Refusal } from '../refusal.ts';
import { parseApiKeyId } from './api-key.ts';
import type { Instant } from './instant.ts';

const CURSOR = /^([0-9a-z]{1,11})\.([0-9A-Za-z]{1,32})$/;

/** Writes the place of the last key of a page as text that is safe in a URL. */
export function encodeApiKeyCursor({ createdAt, id }: ApiKeyPlace): string {
  return `${createdAt.toString(36)}.${id}`;
}

/** Reads what {@link encodeApiKeyCursor} wrote. */
export function decodeApiKeyCursor(text: string): ApiKeyPlace | Refusal<'invalid_cursor'> {
  const [, at = '', rest = ''] = CURSOR.exec(text) ?? [];
  const createdAt = Number.parseInt(at, 36);
  const id = parseApiKeyId(rest);
  if (!Number.isSafeInteger(createdAt) || id === undefined)
    return { kind: 'refused', code: 'invalid_cursor' };
  return { createdAt: createdAt as Instant, id };
}
