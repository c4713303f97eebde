import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Answer, matchesWeakly, prefersGzip } from '@pinfold/http/internal';

/** One encoding of the document, with its strong tag. */
interface Form {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Serves the API document: it is written and compressed once, when it is first asked for. */
export class ServedDocument {
  readonly #describe: () => object;
  #forms: { readonly plain: Form; readonly gzip: Form } | undefined;

  constructor(describe: () => object) {
    this.#describe = describe;
  }

  answer(asked: IncomingHttpHeaders): Answer {
    this.#forms ??= formsOf(Buffer.from(JSON.stringify(this.#describe())));
    const { bytes, headers } = this.#forms[prefersGzip(asked['accept-encoding'] ?? '') ? 'gzip' : 'plain'];
    const { ETag: tag = '' } = headers;
    return matchesWeakly(asked['if-none-match'] ?? '', tag)
      ? { status: 304, headers: { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ETag: tag } }
      : { status: 200, headers, bytes };
  }
}

function formsOf(plain: Uint8Array): { readonly plain: Form; readonly gzip: Form } {
  const gzip = gzipSync(plain, { level: 9 });
  return { plain: formOf(plain, {}), gzip: formOf(gzip, { 'Content-Encoding': 'gzip' }) };
}

function formOf(bytes: Uint8Array, coding: Readonly<Record<string, string>>): Form {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
    ETag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    ...coding,
  };
  return { bytes, headers };
}
