/** Titles are near the beginning of a page. */
const READ_BYTES = 65_536;
const MAX_CHARACTERS = 255;
/** Elements whose content may contain a `<title>` that is not the page's. */
const OPENING = /<(?:!--|(?<element>script|style|svg|template|title)(?=[\s/>]))/gi;
const CHARSET = /charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i;
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  middot: '·',
  bull: '•',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

/**
 * Reads the `<title>` of an HTML page for use as a publication's title: one line of at most 255 characters; `undefined`
 * without one. Reads the first 64 KiB.
 *
 * @example
 * import { titleOf } from '@pinfold/client/zip';
 *
 * titleOf(new TextEncoder().encode('<!doctype html><title>Tea &amp; cake</title>')); // 'Tea & cake'
 */
export function titleOf(page: Uint8Array): string | undefined {
  const text = decode(page.subarray(0, READ_BYTES));
  const opening = new RegExp(OPENING);
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const element = found.groups?.element?.toLowerCase();
    const end = findFrom(
      text,
      element === undefined ? /-->/g : new RegExp(`</${element}`, 'gi'),
      opening.lastIndex,
    );
    if (end === undefined) return undefined;
    const start = text.indexOf('>', opening.lastIndex);
    if (element === 'title') return start === -1 ? undefined : cleanTitle(text.slice(start + 1, end));
    opening.lastIndex = end;
  }
  return undefined;
}

function findFrom(text: string, pattern: RegExp, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index;
}

function decode(bytes: Uint8Array): string {
  const declared = CHARSET.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)))?.[1];
  for (const encoding of ['utf-8', declared ?? 'utf-16']) {
    try {
      // The last character may be cut off.
      return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    } catch (error) {
      if (!['TypeError', 'RangeError'].includes((error as Error).name)) throw error;
    }
  }
  return '';
}

function cleanTitle(source: string): string | undefined {
  const text = source
    .replaceAll(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code > 0x10ffff ? '' : String.fromCodePoint(code);
    })
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/[\p{Cs}\u{FFFD}]/gu, '');
  const title = [...text.trim()].slice(0, MAX_CHARACTERS).join('').trim();
  return title === '' ? undefined : title;
}
