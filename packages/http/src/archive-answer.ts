import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArchiveRefusal, Fault, type OpenedArchive } from '@pinfold/core';
import type { Answer } from './answer.ts';
import { extendedValue } from './forms/decodable-names.ts';
import { type ByteRange, checkPreconditions, requestedRange } from './negotiation.ts';
import { outgoingBytes } from './outgoing-bytes.ts';
import { EndedMeanwhile, readPieces, type SentBody } from './pieces.ts';
import { clientOf } from './request-limiter.ts';

interface ArchiveDownload {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's address. */
  readonly client: string;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
  /** Whether the caller may still read the archive. Called before each further MiB; the publication is checked, too. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/**
 * Answers with the ZIP of a publication, a range of it, or 304 (RFC 9110, sections 13 and 14). Reads the first piece, so
 * that an earlier failure can still be answered.
 *
 * @throws UnavailableError when too many bytes of other answers wait for slow clients.
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
  const failed = checkPreconditions(request, etag);
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

/** Makes the name end with `.zip`: a double click could run a ZIP with another ending, since it can begin as a script. */
function zipName(name: string): string {
  return /\.zip$/i.test(name) ? name : `${name}.zip`;
}

async function streamOf(
  archive: OpenedArchive,
  range: ByteRange,
  { response, client, signal, isStillAllowed }: ArchiveDownload,
): Promise<SentBody | ArchiveRefusal> {
  outgoingBytes.admit(range.to - range.from);
  const outgoing = outgoingBytes.follow(response, clientOf(client));
  const pieces = readPieces(range, outgoing, async (from, length) => {
    const read = await archive.read(from, length, signal);
    if (read.kind === 'refused') throw new EndedMeanwhile(read);
    if (read.bytes.length === length) return read.bytes;
    throw new Fault('store_corrupt', 'an archive is shorter than its role says');
  });
  try {
    return {
      pieces: prepend(await pieces.next(), pieces),
      outgoing,
      signal,
      mayContinue: async () => (await isStillAllowed()) && (await archive.refusal(signal)) === undefined,
    };
  } catch (error) {
    if (error instanceof EndedMeanwhile) return error.ended;
    throw error;
  }
}

/** Iterates over a first result and the rest. A generator would hold the first piece until all pieces are sent. */
function prepend(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncIterable<Uint8Array> {
  const pending = [first];
  const next = async () => pending.pop() ?? rest.next();
  return { [Symbol.asyncIterator]: () => ({ next, return: () => rest.return() }) };
}

/** Characters that the plain `filename` replaces: non-ASCII ones, and those that end the name for some clients. */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/gu;

/** The header that makes a client save the body under a file name (RFC 6266, with `filename*` of RFC 8187). */
function attachment(filename: string): string {
  return `attachment; filename="${filename.replace(NOT_PLAIN, '_')}"; filename*=${extendedValue(filename)}`;
}
