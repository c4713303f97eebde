import type { Refusal } from '../refusal.ts';
import { markOf } from './cursor.ts';
import { type AccountId, accountId } from './identity.ts';

/** Without it every name would be a cursor. */
const MARK = `~${markOf(['accounts'])}`;

/** Writes the name of the last account of a page as text that is safe in a URL. */
export function encodeAccountCursor(name: AccountId): string {
  const safe = name.replace(/[^0-9A-Za-z_-]/gu, (character) => `.${character.codePointAt(0)?.toString(16)}.`);
  return safe + MARK;
}

/** Reads what {@link encodeAccountCursor} wrote. */
export function decodeAccountCursor(text: string): AccountId | Refusal<'invalid_cursor'> {
  const name = text
    .slice(0, -MARK.length)
    .replace(/\.([0-9a-f]{1,5}|10[0-9a-f]{4})\./g, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );
  try {
    const read = accountId(name);
    if (encodeAccountCursor(read) === text) return read;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return { kind: 'refused', code: 'invalid_cursor' };
}
