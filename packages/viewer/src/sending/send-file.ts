import type { Publication } from '@pinfold/core';
import { matchesStrongly, matchesWeakly } from '@pinfold/http/internal';
import { type Exchange, writeHead } from '../exchange.ts';
import { acceptsGzip, type ByteRange, rangeOf } from './negotiation.ts';
import { EndedMeanwhile, expandedPieces } from './pieces.ts';
import { endTogether, type FileOutcome, sendBody, sourceOf, untilDisconnect } from './send-body.ts';
import type { FilePolicy, Form, SiteFile } from './site-files.ts';

export interface FileAnswer {
  readonly publication: Publication;
  readonly file: SiteFile;
  readonly status: 200 | 404;
  /** Whether another Accept header would get another answer. */
  readonly fallback: boolean;
  readonly policy: FilePolicy;
}

/** Answers with a file of a site: whole, a part, or that the viewer has it already (RFC 9110, sections 13 and 14). */
export function sendFile(exchange: Exchange, answer: FileAnswer): Promise<FileOutcome> | FileOutcome {
  const { headers, method } = exchange.request;
  const { file, policy } = answer;
  if (file.isGzippedSvg === undefined) {
    return readSvgzCoding(exchange, answer).then((outcome) => outcome ?? sendFile(exchange, answer));
  }
  const gzip = acceptsGzip(headers['accept-encoding']);
  if (answer.status === 404) return sendWhole(exchange, answer, file.form(gzip, policy));
  const range =
    headers.range === undefined || method !== 'GET'
      ? undefined
      : partOf(headers.range, headers['if-range'], file.form(false, policy));
  const form = file.form(gzip && range === undefined, policy);
  if (isAnsweredByTag(exchange, answer, form)) return 'over';
  return range === undefined ? sendWhole(exchange, answer, form) : sendPart(exchange, answer, form, range);
}

/** The range to answer with; `undefined` means the whole. */
function partOf(
  range: string,
  condition: string | string[] | undefined,
  form: Form,
): Exclude<ByteRange, { kind: 'whole' }> | undefined {
  // Files have no date, so If-Range holds for the very tag only (RFC 9110, section 13.1.5).
  if (condition !== undefined && condition !== form.etag) return undefined;
  const asked = rangeOf(range, form.length);
  return asked.kind === 'whole' ? undefined : asked;
}

/** Answers a request that its preconditions decide (RFC 9110, section 13). Returns whether it did. */
function isAnsweredByTag(exchange: Exchange, { file, policy, fallback }: FileAnswer, form: Form): boolean {
  const { request } = exchange;
  const ifMatch = request.headers['if-match'];
  if (ifMatch !== undefined) {
    const tags = [file.form(true, policy).etag, file.form(false, policy).etag];
    if (!matchesStrongly(ifMatch, tags)) {
      writeHead(exchange, 412, ['Content-Length', '0', ...policy.headers]).end();
      return true;
    }
  }
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, form.etag)) {
    writeHead(exchange, 304, fallback ? addVaryByAccept(form.notModified) : form.notModified);
    endTogether(exchange);
    return true;
  }
  return false;
}

function sendWhole(exchange: Exchange, answer: FileAnswer, form: Form): Promise<FileOutcome> | FileOutcome {
  const { request } = exchange;
  const { status, fallback } = answer;
  const headers =
    status === 404 ? withoutValidator(form, answer) : fallback ? addVaryByAccept(form.ok) : form.ok;
  if (request.method === 'HEAD' || form.length === 0) {
    writeHead(exchange, status, headers).end();
    return 'over';
  }
  return sendBody(exchange, { ...answer, form, status, headers, from: 0, to: form.length });
}

function sendPart(
  exchange: Exchange,
  answer: FileAnswer,
  form: Form,
  range: Exclude<ByteRange, { kind: 'whole' }>,
): Promise<FileOutcome> | FileOutcome {
  if (range.kind === 'unsatisfiable') {
    const size = ['Content-Range', `bytes */${form.length}`, 'Content-Length', '0'];
    writeHead(exchange, 416, [...size, ...answer.policy.headers]).end();
    return 'over';
  }
  const { first, last } = range;
  const length = last - first + 1;
  const vary = answer.fallback ? addVaryByAccept(form.notModified) : form.notModified;
  const headers = [
    ...answer.file.describe(false, length),
    ...['Accept-Ranges', 'bytes', 'Content-Range', `bytes ${first}-${last}/${form.length}`, ...vary],
  ];
  return sendBody(exchange, { ...answer, form, status: 206, headers, from: first, to: last + 1 });
}

/** The 404 page of a site has no validators: it is the answer to many paths. */
function withoutValidator(form: Form, { file, policy }: FileAnswer): string[] {
  return [
    ...file.describe(form.gzip, form.length),
    ...['Vary', file.hasTwoForms ? 'Accept, Accept-Encoding' : 'Accept', ...policy.headers],
  ];
}

function addVaryByAccept(headers: readonly string[]): string[] {
  if (!headers.includes('Accept-Encoding')) return [...headers, 'Vary', 'Accept'];
  return headers.map((text) => (text === 'Accept-Encoding' ? 'Accept, Accept-Encoding' : text));
}

/** The first bytes of every gzip member (RFC 1952, section 2.3.1). */
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/**
 * Reads from the first bytes of an `.svgz` file whether it is gzip, which its answers then name as their coding.
 * Some programs save plain SVG under that name.
 *
 * @returns the outcome of the request where it is over already.
 */
async function readSvgzCoding(exchange: Exchange, answer: FileAnswer): Promise<FileOutcome | undefined> {
  const { file } = answer;
  const read = await untilDisconnect(exchange.response, async (signal) => {
    const length = Math.min(GZIP_MAGIC.length, file.entry.size);
    const bytes: number[] = [];
    try {
      for await (const piece of expandedPieces(sourceOf(exchange, answer, signal), 0, length))
        bytes.push(...piece);
    } catch (error) {
      if (error instanceof EndedMeanwhile) return error.ended;
      throw error;
    }
    return bytes;
  });
  if (!Array.isArray(read)) return read ?? 'over';
  file.isGzippedSvg = GZIP_MAGIC.every((byte, index) => read[index] === byte);
  return undefined;
}
