import { AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { finished, type Readable, type Writable } from 'node:stream';
import type { ReceiveOutcome, Sha256, StagedArchive, Staging } from '@pinfold/core';
import { discardQuietly } from '@pinfold/core/internal';
import type { Options } from 'multer';
import { BodyError, type BodyFailure, type BodyLimits, WatchedBody } from '../body/watched-body.ts';
import { DecodableNames } from './decodable-names.ts';

/** A text field of a form. Its name or text is `undefined` if it could not be read. */
export interface FormField {
  readonly name: string | undefined;
  readonly text: string | undefined;
  /** Whether the text was truncated. */
  readonly cut: boolean;
}

export interface FormFile {
  readonly name: string | undefined;
  readonly filename: string | undefined;
  /** `text/plain` if the form gives none. */
  readonly type: string;
}

export type FormFailure = BodyFailure | 'archive_too_large' | 'broken' | 'no_archive' | 'unreadable_part';

export interface FormReader<Fields, Refused> {
  field(field: FormField): Refused | undefined;
  /** Reads the head of a file before its bytes, or refuses the form. Files without a name are ignored. */
  file(file: FormFile): Refused | undefined;
  end(): { readonly kind: 'fields'; readonly fields: Fields } | Refused;
  refuse(reason: FormFailure): Refused;
}

export interface ReceiveFormOptions extends Omit<BodyLimits, 'bytes'> {
  readonly receive: ReceiveFile;
  readonly archiveBytes: number;
}

/** A complete form. The caller owns the archive, and must pass it on or discard it. */
export interface ReceivedForm<Fields> {
  readonly kind: 'received';
  readonly archive: StagedArchive;
  readonly fields: Fields;
}

/** The maximum number of bytes of a form in addition to its archive. */
const MAX_OTHER_BYTES = 1_048_576;
/** The maximum number of bytes read of a text field; all readers refuse texts far shorter than this. */
const MAX_TEXT_BYTES = 65_536;
/** The maximum number of parts, including ignored ones: bounds the work for a form of many empty parts. */
const MAX_PARTS = 100;
/** Bytes that the parser buffers before its sender waits: more than one read of a socket. */
const PARSER_BUFFER = 131_072;

/** If no file arrived, its head is searched for in this many bytes, to tell an unreadable head from a missing file. */
const MAX_SEARCHED = 65_536;
const FILE_HEAD = /^content-disposition:[ \t]*form-data;.*filename\*?=/im;

/** Options that the types of multer lack. */
interface MissingOptions {
  readonly highWaterMark: number;
  streamHandler(body: Readable, parser: Writable): void;
}

/** Loaded with the first form, for a faster start. */
let multer: typeof import('multer') | undefined;

/** multer reads any stream with headers, though its types require a request. */
type Parse = (body: Readable, response: undefined, done: (error?: unknown) => void) => void;

/** Receives a form (RFC 7578) with one file. Refuses as early as possible, and then leaves no staged file. */
export async function receiveForm<Fields, Refused extends { readonly kind: 'refused' }>(
  request: IncomingMessage,
  reader: FormReader<Fields, Refused>,
  options: ReceiveFormOptions,
): Promise<ReceivedForm<Fields> | Refused> {
  const form = new IncomingForm(request, reader, options);
  let received: ReceivedForm<Fields> | undefined;
  try {
    const outcome = await form.read();
    if (outcome.kind === 'received') received = outcome;
    return outcome;
  } finally {
    if (received === undefined) await form.discard();
  }
}

class IncomingForm<Fields, Refused extends { readonly kind: 'refused' }> {
  readonly #reader: FormReader<Fields, Refused>;
  readonly #options: ReceiveFormOptions;
  readonly #body: WatchedBody;
  readonly #parsed: PromiseWithResolvers<Refused | undefined> = Promise.withResolvers();
  readonly #names: DecodableNames;
  #isForm = false;
  #heads = '';
  #receiving: Promise<ReceiveOutcome> | undefined;

  constructor(request: IncomingMessage, reader: FormReader<Fields, Refused>, options: ReceiveFormOptions) {
    this.#reader = reader;
    this.#options = options;
    this.#body = new WatchedBody(request, { ...options, bytes: options.archiveBytes + MAX_OTHER_BYTES });
    // multer requires a header that announces a body, which HTTP/2 requests may lack.
    const headers = { 'content-type': request.headers['content-type'], 'transfer-encoding': 'chunked' };
    Object.assign(this.#body, { headers });
    this.#names = new DecodableNames(headers['content-type']);
  }

  async read(): Promise<ReceivedForm<Fields> | Refused> {
    this.#body.once('error', (error) => this.#break(error));
    await this.#parse();
    const refused = await this.#parsed.promise;
    if (refused !== undefined) return refused;
    const received = await this.#receiving;
    if (received?.kind !== 'received')
      return this.#reader.refuse(FILE_HEAD.test(this.#heads) ? 'unreadable_part' : 'no_archive');
    if (this.#names.skipsPart) return this.#reader.refuse('unreadable_part');
    const end = this.#reader.end();
    return end.kind === 'fields' ? { kind: 'received', archive: received.archive, fields: end.fields } : end;
  }

  async discard(): Promise<void> {
    this.#body.destroy();
    const received = await this.#receiving?.catch(() => undefined);
    if (received?.kind === 'received') await discardQuietly(received.archive);
  }

  async #parse(): Promise<void> {
    // Stream events run in the async context of the connection, which lacks that of the request, such as its span.
    const receive = AsyncResource.bind((file: Readable, done: (error?: unknown) => void) =>
      this.#receive(file, done),
    );
    const options: Options & MissingOptions = {
      storage: {
        _handleFile: (_request, file, done) => receive(file.stream, done),
        _removeFile: (_request, _file, done) => done(null),
      },
      fileFilter: (_request, { fieldname: name, originalname: filename, mimetype: type }, done) =>
        done(null, this.#acceptsFile({ name, filename, type })),
      streamHandler: (body, parser) => this.#feed(body, parser),
      limits: { fieldSize: MAX_TEXT_BYTES, parts: MAX_PARTS },
      defParamCharset: 'utf8',
      preservePath: true,
      highWaterMark: PARSER_BUFFER,
    };
    multer ??= (await import('multer')).default;
    const parse = multer(options).any() as unknown as Parse;
    parse(this.#body, undefined, (error) => {
      // multer reports no error for a body that is not a form.
      if (error === undefined && this.#isForm) this.#parsed.resolve(undefined);
      else this.#continues(() => this.#reader.refuse('broken'));
    });
  }

  /** Connects the parser, and refuses errors at once: multer itself reports them only at the end of the request. */
  #feed(body: Readable, parser: Writable): void {
    this.#isForm = true;
    const broken = () => this.#continues(() => this.#reader.refuse('broken'));
    parser
      // Multer's own listener would fail the form for a truncated text, which is for the reader to judge.
      .removeAllListeners('field')
      .on('error', broken)
      .on('partsLimit', broken)
      .on('field', (name: string | undefined, text: string | undefined, info: { valueTruncated: boolean }) =>
        this.#continues(() => this.#reader.field({ name, text, cut: info.valueTruncated })),
      )
      .on('file', (name: string | undefined, _file, info: { filename?: string; mimeType: string }) => {
        const { filename, mimeType: type } = info;
        // The filter handles all other files.
        if (name === undefined || !filename) this.#acceptsFile({ name, filename, type });
      });
    // The parser skips a part whose head it cannot read, without an error.
    body.on('data', (chunk: Buffer) => {
      const room = MAX_SEARCHED - this.#heads.length;
      if (room > 0) this.#heads += chunk.toString('latin1', 0, room);
    });
    body.pipe(this.#names).pipe(parser);
  }

  #acceptsFile(file: FormFile): boolean {
    return this.#continues(() => this.#reader.file({ ...file, type: this.#names.fileType || file.type }));
  }

  #receive(file: Readable, done: (error?: unknown) => void): void {
    const { receive, archiveBytes } = this.#options;
    // Refuses a second file, which would never be discarded, if the reader did not.
    if (this.#receiving !== undefined) {
      this.#continues(() => this.#reader.refuse('broken'));
      return;
    }
    this.#receiving = receive(file, archiveBytes);
    this.#receiving.then(
      ({ kind }) => {
        if (kind === 'too_large') this.#continues(() => this.#reader.refuse('archive_too_large'));
        done(null);
      },
      (error: unknown) => {
        this.#parsed.reject(error);
        done(error);
      },
    );
  }

  #break(error: unknown): void {
    if (error instanceof BodyError) this.#continues(() => this.#reader.refuse(error.reason));
    else this.#parsed.reject(error);
  }

  /** Whether to continue. Moves exceptions of `judge` into the result: in a stream's listener they would be uncaught. */
  #continues(judge: () => Refused | undefined): boolean {
    try {
      const refused = judge();
      if (refused === undefined) return true;
      this.#parsed.resolve(refused);
    } catch (error) {
      this.#parsed.reject(error);
    }
    return false;
  }
}

/** Receives the file of a form. Must stop reading at the limit, and leave the stream open. */
export type ReceiveFile = (file: Readable, limit: number) => Promise<ReceiveOutcome>;

export function receiveInto(staging: Pick<Staging, 'receive'>): ReceiveFile {
  // Does not destroy the stream when the staging stops reading: multer would report a broken upload.
  // Asynchronous: multer would also report a broken upload if a staging throws instead of rejecting.
  return async (file, limit) => staging.receive(file.iterator({ destroyOnReturn: false }), limit);
}

/** Reads only the size and hash of a repeated upload. An iterator, with its promises, would take twice as long. */
export const hashOnly: ReceiveFile = (file, limit) =>
  new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    let size = 0;
    file.on('data', (bytes: Buffer) => {
      size += bytes.length;
      if (size <= limit) hash.update(bytes);
      else {
        file.pause();
        resolve({ kind: 'too_large' });
      }
    });
    finished(file, (error) => {
      if (error) return reject(error);
      const sha256 = hash.digest('hex') as Sha256;
      resolve({
        kind: 'received',
        archive: { open: () => notStored(), size, sha256, discard: async () => {} },
      });
    });
  });

function notStored(): never {
  throw new TypeError('a repeated upload was not stored');
}
