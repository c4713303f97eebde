import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Answer, matchesWeakly, prefersGzip } from '@pinfold/http/internal';

/** One encoding of the document, with its strong tag. */
interface Form {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Serves a document that never changes: it is written and compressed once, when it is first asked for. */
export class ServedDocument {
  readonly #write: () => string;
  readonly #type: string;
  #forms: { readonly plain: Form; readonly gzip: Form } | undefined;

  constructor(write: () => string, type: string) {
    this.#write = write;
    this.#type = type;
  }

  answer(asked: IncomingHttpHeaders): Answer {
    this.#forms ??= formsOf(Buffer.from(this.#write()), this.#type);
    const { bytes, headers } = this.#forms[prefersGzip(asked['accept-encoding'] ?? '') ? 'gzip' : 'plain'];
    const { ETag: tag = '' } = headers;
    return matchesWeakly(asked['if-none-match'] ?? '', tag)
      ? { status: 304, headers: { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ETag: tag } }
      : { status: 200, headers, bytes };
  }
}

function formsOf(plain: Uint8Array, type: string): { readonly plain: Form; readonly gzip: Form } {
  const gzip = gzipSync(plain, { level: 9 });
  return {
    plain: formOf(plain, { 'Content-Type': type }),
    gzip: formOf(gzip, { 'Content-Type': type, 'Content-Encoding': 'gzip' }),
  };
}

function formOf(bytes: Uint8Array, own: Readonly<Record<string, string>>): Form {
  const headers = {
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
    ETag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    ...own,
  };
  return { bytes, headers };
}
