import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArchiveRefusal, Fault, type OpenedArchive } from '@pinfold/core';
import type { Answer } from './answer.ts';
import { type ByteRange, failedPrecondition, requestedRange } from './negotiation.ts';
import { outgoingBytes } from './outgoing-bytes.ts';
import { EndedMeanwhile, readPieces, type SentBody } from './pieces.ts';
import { clientOf } from './rates/request-limiter.ts';

export interface ArchiveDownload {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's address. */
  readonly client: string;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
  /** Whether the caller may still have it: asked, with the state of the publication, before each further MiB. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/**
 * Answers with the ZIP of a publication: whole, a part, or that the client has it already (RFC 9110, sections 13 and 14).
 * The first piece is read here, so that what fails before it can still be answered.
 *
 * @throws UnavailableError when clients leave too many bytes of other answers untaken.
 * @throws Fault as `OpenedArchive.read` does.
 */
export async function archiveAnswer(
  archive: OpenedArchive,
  download: ArchiveDownload,
): Promise<Answer | ArchiveRefusal> {
  const { request } = download;
  const { size } = archive;
  const { id, sha256, originalFilename } = archive.publication;
  const etag = `"${sha256}"`;
  const validators = { ETag: etag, 'Accept-Ranges': 'bytes' };
  const failed = failedPrecondition(request, etag);
  if (failed === 304) return { status: failed, headers: validators };
  if (failed === 412) return { status: failed, headers: { 'Content-Length': '0' } };
  const part = requestedRange(request, etag, size);
  if (part !== undefined && part.from === part.to) {
    return { status: 416, headers: { 'Content-Range': `bytes */${size}`, 'Content-Length': '0' } };
  }
  const range = part ?? { from: 0, to: size };
  const answer = {
    status: part === undefined ? 200 : 206,
    headers: {
      ...validators,
      'Content-Type': 'application/zip',
      'Content-Disposition': attachment(zipName(originalFilename ?? id)),
      'Content-Length': String(range.to - range.from),
      ...(part !== undefined && { 'Content-Range': `bytes ${part.from}-${part.to - 1}/${size}` }),
    },
  };
  if (request.method === 'HEAD') return answer;
  const stream = await streamOf(archive, range, download);
  return 'code' in stream ? stream : { ...answer, stream };
}

/** A name with another ending could make a double click run the ZIP, which can begin like a script or a page. */
function zipName(name: string): string {
  return /\.zip$/i.test(name) ? name : `${name}.zip`;
}

async function streamOf(
  archive: OpenedArchive,
  range: ByteRange,
  { response, client, signal: gone, isStillAllowed }: ArchiveDownload,
): Promise<SentBody | ArchiveRefusal> {
  outgoingBytes.admit(range.to - range.from);
  const outgoing = outgoingBytes.follow(response, clientOf(client));
  const rest = readPieces(range, outgoing, async (from, length) => {
    const read = await archive.read(from, length, gone);
    if (read.kind === 'refused') throw new EndedMeanwhile(read);
    if (read.bytes.length === length) return read.bytes;
    throw new Fault('store_corrupt', 'an archive is shorter than its role says');
  });
  try {
    return {
      pieces: begunWith(await rest.next(), rest),
      outgoing,
      gone,
      mayContinue: async () => (await isStillAllowed()) && (await archive.refusal(gone)) === undefined,
    };
  } catch (error) {
    if (error instanceof EndedMeanwhile) return error.ended;
    throw error;
  }
}

/** Gives away the first piece with the rest: a generator would hold it until all of them are sent. */
function begunWith(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncIterable<Uint8Array> {
  const begun = [first];
  const next = async () => begun.pop() ?? rest.next();
  return { [Symbol.asyncIterator]: () => ({ next, return: () => rest.return() }) };
}

/** What older clients read in place of a file name that is not plain, and characters that would end the name for some. */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/gu;

/** Characters that `encodeURIComponent` leaves, and RFC 8187 does not. */
const NOT_ENCODED = /['()*]/g;

/** The header that has a client store the body under a file name (RFC 6266, with `filename*` of RFC 8187). */
function attachment(filename: string): string {
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${filename.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}
