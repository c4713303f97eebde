import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Answer, matchesWeakly, prefersGzip } from '@pinfold/http/internal';
import { type DescribedAnswer, operatorEndpoint, publicEndpoint } from '../endpoint.ts';
import { string } from '../schema.ts';

const UNCHANGED: DescribedAnswer = {
  description: 'Unchanged since the answer with the ETag that If-None-Match names.',
  headers: ['ETag'],
};

const answers = (): Readonly<Record<number, DescribedAnswer>> => ({
  200: {
    description: 'This document.',
    schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
    headers: ['ETag'],
  },
  304: UNCHANGED,
});

export const readDocument = publicEndpoint({
  method: 'GET',
  path: '/openapi.json',
  id: 'readDocument',
  summary: 'Read this document',
  codes: ['unavailable'],
  answers,
  handle: async ({ documents }, { request }) => documents.api.answer(request.headers),
});

export const readAgentGuide = publicEndpoint({
  method: 'GET',
  path: '/llms.txt',
  id: 'readAgentGuide',
  summary: 'Read what an agent needs to publish here',
  answers: () => ({
    200: {
      description: 'Plain text of less than 600 words, with the limits in force.',
      mediaType: 'text/plain',
      schema: string(),
      headers: ['ETag'],
    },
    304: UNCHANGED,
  }),
  handle: async ({ documents }, { request }) => documents.agentGuide.answer(request.headers),
});

export const readAdminDocument = operatorEndpoint({
  method: 'GET',
  path: '/admin/openapi.json',
  id: 'readAdminDocument',
  summary: 'Read this document',
  answers,
  handle: async ({ documents }, { request }) => documents.administration.answer(request.headers),
});

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
