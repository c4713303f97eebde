import type { IncomingMessage } from 'node:http';
import type { ManifestEntry, Publication, RoleId } from '@pinfold/core';
import { isCompressibleType } from '@pinfold/core/internal';
import { type ByteRange, checkPreconditions, prefersGzip, requestedRange } from '@pinfold/http/internal';
import mime from 'mime';
import { CROSS_ORIGIN, CROSS_ORIGIN_NO_REFERRER, type Headers } from '../pages/answers.ts';
import type { ViewerMode } from '../viewer-options.ts';

/** The headers that do not depend on the file: one list for open publications, one for protected ones. */
interface FilePolicy {
  readonly index: 0 | 1;
  readonly headers: readonly string[];
}

export type FilePolicies = Readonly<Record<'open' | 'protected', FilePolicy>>;

const ALWAYS: Headers = { 'X-Content-Type-Options': 'nosniff', 'X-Robots-Tag': 'noindex' };
const OPEN: Headers = { 'Cache-Control': 'no-cache', 'Referrer-Policy': 'same-origin' };
const PROTECTED: Headers = { 'Cache-Control': 'private, no-cache', 'Referrer-Policy': 'same-origin' };

const OWN_ONLY: Headers = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "frame-ancestors 'self'",
};

const SANDBOXED: Headers = {
  'Content-Security-Policy':
    'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads',
  ...CROSS_ORIGIN,
};

/** The headers of files in a mode. If the embedding team identifies viewers, all publications count as protected. */
export function filePolicies(mode: ViewerMode, identifiesViewers: boolean): FilePolicies {
  const inPath = mode === 'path';
  const policy = (index: 0 | 1, ...parts: readonly Headers[]): FilePolicy => {
    return { index, headers: Object.entries(Object.assign({}, ...parts, ALWAYS)).flat() as string[] };
  };
  const open = policy(0, OPEN, inPath ? SANDBOXED : {});
  const closed = inPath
    ? policy(1, PROTECTED, CROSS_ORIGIN_NO_REFERRER, SANDBOXED)
    : policy(1, PROTECTED, OWN_ONLY);
  return { open: identifiesViewers ? closed : open, protected: closed };
}

const TEXT_TYPE = /^text\/|^application\/(?:json|xml|javascript)$|\+(?:json|xml)$/;
const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml)(?:;|$)/;
const SVGZ = /\.svgz$/i;

/**
 * The media type of a file by its name, with a charset for text that is proved to be UTF-8. For other text, browsers read
 * the encoding from the file or guess it.
 */
export function mediaTypeOf(path: string, utf8: boolean): string {
  // The slash keeps `mime` from reading a name without a dot as an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream';
  return utf8 && TEXT_TYPE.test(type) ? `${type}; charset=utf-8` : type;
}

/** The header of a gzip member without name or time (RFC 1952, section 2.3). */
export const GZIP_HEADER: Uint8Array = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

const GZIP_TRAILER = 8;

/** The trailer of a gzip member: CRC-32 and size of the expanded bytes. */
export function gzipTrailer({ crc32, size }: Pick<ManifestEntry, 'crc32' | 'size'>): Uint8Array {
  const trailer = Buffer.alloc(GZIP_TRAILER);
  trailer.writeUInt32LE(crc32);
  trailer.writeUInt32LE(size, 4);
  return trailer;
}

/** One encoding of a file, with the headers of its answers. */
export interface Form {
  readonly gzip: boolean;
  readonly etag: string;
  readonly length: number;
  /** The body's key in the cache. */
  readonly key: string;
  /** Header names and values in turn, as for `writeHead`: of a 200, and of a 304. */
  readonly ok: string[];
  readonly notModified: string[];
}

export class SiteFile {
  readonly entry: ManifestEntry;
  readonly type: string;
  /** Whether clients may choose between the plain file and gzip. */
  readonly hasTwoForms: boolean;
  readonly isPage: boolean;
  /** Whether the file itself is an SVG image in gzip; `undefined` until its first bytes are known. */
  isGzippedSvg: boolean | undefined;
  readonly #key: string;
  readonly #forms: (Form | undefined)[] = [undefined, undefined, undefined, undefined];

  constructor(publication: RoleId, entry: ManifestEntry) {
    this.entry = entry;
    this.type = mediaTypeOf(entry.path, entry.utf8);
    this.isPage = PAGE_TYPE.test(this.type);
    const isSvgz = SVGZ.test(entry.path);
    const isCoded = !isSvgz && isCompressibleType(mediaTypeOf(entry.path, false));
    this.hasTwoForms = isCoded && entry.method === 'deflated' && entry.size > 0;
    this.isGzippedSvg = isSvgz && entry.size > 1 ? undefined : false;
    this.#key = `${publication}/${entry.offset}`;
  }

  /** The file as gzip, if `gzip` is true and there are two forms, or else the plain file. */
  form(gzip: boolean, policy: FilePolicy): Form {
    const isGzip = gzip && this.hasTwoForms;
    const index = (isGzip ? 2 : 0) + policy.index;
    this.#forms[index] ??= this.#make(isGzip, policy);
    return this.#forms[index];
  }

  tags(policy: FilePolicy): string[] {
    return [this.form(true, policy).etag, this.form(false, policy).etag];
  }

  #make(gzip: boolean, policy: FilePolicy): Form {
    const { crc32, size } = this.entry;
    const tag = `${crc32.toString(16)}-${size.toString(36)}`;
    const etag = gzip ? `"${tag}-gzip"` : `"${tag}"`;
    const length = gzip ? GZIP_HEADER.length + this.entry.compressedSize + GZIP_TRAILER : size;
    const vary = this.hasTwoForms ? ['Vary', 'Accept-Encoding'] : [];
    const notModified = ['ETag', etag, ...vary, ...policy.headers];
    const ranges = gzip ? [] : ['Accept-Ranges', 'bytes'];
    const ok = [...this.describe(gzip, length), ...ranges, ...notModified];
    return { gzip, etag, length, key: gzip ? `${this.#key}/gzip` : this.#key, ok, notModified };
  }

  /** The headers that describe a body of the file, whole or a part. */
  describe(gzip: boolean, length: number): string[] {
    const coding = gzip || this.isGzippedSvg === true ? ['Content-Encoding', 'gzip'] : [];
    return ['Content-Type', this.type, 'Content-Length', String(length), ...coding];
  }
}

/** The file that answers a request. */
export interface FoundFile {
  readonly publication: Publication;
  readonly file: SiteFile;
  readonly status: 200 | 404;
  /** Whether another Accept header would get another answer. */
  readonly fallback: boolean;
  readonly policy: FilePolicy;
}

/** An answer with a part of a form, or all of it; an empty part has no body. */
export interface FileAnswer extends ByteRange, Pick<FoundFile, 'publication' | 'file'> {
  readonly form: Form;
  readonly status: number;
  readonly headers: string[];
}

/** Decides on the form, the part and the headers of an answer (RFC 9110, sections 12 to 14). */
export function answerTo(request: IncomingMessage, found: FoundFile): FileAnswer {
  const { file, policy, fallback } = found;
  const gzip = prefersGzip(request.headers['accept-encoding']);
  if (found.status === 404) return notFoundAnswer(found, file.form(gzip, policy));
  const range = rangeOfFile(request, found);
  const form = file.form(gzip && range === undefined, policy);
  const failed = checkPreconditions(request, form.etag, () => file.tags(policy));
  if (failed === 412) return emptyAnswer(found, form, 412, ['Content-Length', '0', ...policy.headers]);
  if (failed === 304) {
    return emptyAnswer(found, form, 304, fallback ? varyByAccept(form.notModified) : form.notModified);
  }
  if (range !== undefined) return partialAnswer(found, form, range);
  return wholeAnswer(found, form, 200, fallback ? varyByAccept(form.ok) : form.ok);
}

function wholeAnswer(
  { publication, file }: FoundFile,
  form: Form,
  status: number,
  headers: string[],
): FileAnswer {
  return { publication, file, form, status, headers, from: 0, to: form.length };
}

function emptyAnswer(found: FoundFile, form: Form, status: number, headers: string[]): FileAnswer {
  return { ...wholeAnswer(found, form, status, headers), to: 0 };
}

/** The 404 page of a site has no validators: it is the answer to many paths. */
function notFoundAnswer(found: FoundFile, form: Form): FileAnswer {
  const { file, policy } = found;
  const vary = file.hasTwoForms ? 'Accept, Accept-Encoding' : 'Accept';
  const headers = [...file.describe(form.gzip, form.length), 'Vary', vary, ...policy.headers];
  return wholeAnswer(found, form, 404, headers);
}

function partialAnswer(found: FoundFile, form: Form, { from, to }: ByteRange): FileAnswer {
  const { file, policy, fallback } = found;
  if (from === to) {
    const size = ['Content-Range', `bytes */${form.length}`, 'Content-Length', '0'];
    return emptyAnswer(found, form, 416, [...size, ...policy.headers]);
  }
  const headers = [
    ...file.describe(false, to - from),
    ...['Accept-Ranges', 'bytes', 'Content-Range', `bytes ${from}-${to - 1}/${form.length}`],
    ...(fallback ? varyByAccept(form.notModified) : form.notModified),
  ];
  return { ...wholeAnswer(found, form, 206, headers), from, to };
}

function varyByAccept(headers: readonly string[]): string[] {
  if (!headers.includes('Accept-Encoding')) return [...headers, 'Vary', 'Accept'];
  return headers.map((text) => (text === 'Accept-Encoding' ? 'Accept, Accept-Encoding' : text));
}

/** The requested range, in bytes of the plain file. Without a Range header, it does not create the form of that file. */
function rangeOfFile(request: IncomingMessage, { file, policy }: FoundFile): ByteRange | undefined {
  if (request.headers.range === undefined) return undefined;
  const { etag, length } = file.form(false, policy);
  return requestedRange(request, etag, length);
}
