import type { RawFilename } from './part-head.ts';

const EXTENDED = /^([^']*)'[^']*'((?:%[0-9A-Fa-f]{2}|[^%])*)$/;
/** How browsers write the three bytes that a quoted name cannot hold (HTML, "multipart form data"). */
const BROWSER_ESCAPE = /%(?:0A|0D|22)/gi;

/** Decodes a file's name; `undefined` when it is not UTF-8. */
export function decodeFilename({ form, value }: RawFilename): string | undefined {
  if (form === 'plain') return decodeUtf8(Buffer.from(value.replace(BROWSER_ESCAPE, unescapeByte), 'latin1'));
  const [, charset, encoded] = EXTENDED.exec(value) ?? [];
  if (charset?.toLowerCase() !== 'utf-8' || encoded === undefined) return undefined;
  return decodeUtf8(Buffer.from(encoded.replace(/%[0-9A-Fa-f]{2}/g, unescapeByte), 'latin1'));
}

/** Decodes bytes as UTF-8, every one of them; `undefined` when they are not. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function unescapeByte(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}
