import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Answer, matchesWeakly, prefersGzip } from '@pinfold/http/internal';

const REVALIDATED = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };

/** Serves a document that never changes; writes and compresses it once, at the first request. */
export class ServedDocument {
  readonly #write: () => string;
  readonly #type: string;
  #forms: { readonly plain: Answer; readonly gzip: Answer } | undefined;

  constructor(write: () => string, type: string) {
    this.#write = write;
    this.#type = type;
  }

  answer(requestHeaders: IncomingHttpHeaders): Answer {
    this.#forms ??= this.#make();
    const form = this.#forms[prefersGzip(requestHeaders['accept-encoding']) ? 'gzip' : 'plain'];
    const ETag = form.headers?.ETag ?? '';
    return matchesWeakly(requestHeaders['if-none-match'] ?? '', ETag)
      ? { status: 304, headers: { ...REVALIDATED, ETag } }
      : form;
  }

  #make(): { readonly plain: Answer; readonly gzip: Answer } {
    const plain = Buffer.from(this.#write());
    const type = { 'Content-Type': this.#type };
    const gzip = gzipSync(plain, { level: 9 });
    return { plain: formOf(plain, type), gzip: formOf(gzip, { ...type, 'Content-Encoding': 'gzip' }) };
  }
}

/** One encoding of the document, with its strong tag. */
function formOf(bytes: Uint8Array, own: Readonly<Record<string, string>>): Answer {
  const ETag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { status: 200, headers: { ...REVALIDATED, ETag, ...own }, bytes };
}
