import { type IdempotencyKey, type Limits, parseFilename, parseIdempotencyKey } from '@pinfold/core';
import type { FormFailure, FormField, FormFile, FormReader } from '@pinfold/http/internal';
import type { MessageId } from './messages/catalogues.ts';
import type { FormToken } from './request/cookies.ts';

export interface UploadFields {
  readonly key: string;
  readonly filename: string;
  readonly title: string;
  readonly password: string;
  /** Empty: none. */
  readonly name: string;
}

/** Why an upload was refused. With a title it gets a page; without one, the form shows the texts. */
export interface UploadRefusal {
  readonly kind: 'refused';
  readonly status: number;
  readonly title?: 'badFormTitle' | 'staleFormTitle';
  readonly texts: readonly [MessageId, ...MessageId[]];
  /** How many characters of a too long title were read. */
  readonly titleLengthRead?: number;
  /** A mistake of the embedding server, for the log. */
  readonly fault?: string;
}

const BAD_FORM: UploadRefusal = {
  kind: 'refused',
  status: 400,
  title: 'badFormTitle',
  texts: ['badFormText'],
};
const STALE: UploadRefusal = {
  kind: 'refused',
  status: 403,
  title: 'staleFormTitle',
  texts: ['staleFormText'],
};

const REFUSALS: Readonly<Record<FormFailure, UploadRefusal>> = {
  archive_too_large: { kind: 'refused', status: 413, texts: ['problemsTitle'] },
  unreadable_part: BAD_FORM,
  no_archive: { kind: 'refused', status: 422, texts: ['nothingChosen'] },
  read_before: { ...BAD_FORM, fault: 'the form was read before: mount the screen before any body parser' },
  stalled: { kind: 'refused', status: 408, texts: ['request_timeout'] },
  broken: BAD_FORM,
  broken_off: BAD_FORM,
  too_long: BAD_FORM,
};

const FIELDS: ReadonlySet<string> = new Set(['form', 'key', 'title', 'password', 'name']);

/** Reads an upload. The token must come before the file, so that the file of a forged form is not received. */
export class UploadForm implements FormReader<UploadFields, UploadRefusal> {
  readonly #token: FormToken;
  readonly #limits: Limits;
  readonly #texts: Map<string, string> = new Map();
  #filename: string | undefined;
  #titleLengthRead: number | undefined;

  constructor(token: FormToken, limits: Limits) {
    this.#token = token;
    this.#limits = limits;
  }

  field({ name = '', text, cut }: FormField): UploadRefusal | undefined {
    if (!FIELDS.has(name) || this.#texts.has(name) || text === undefined) return BAD_FORM;
    if (cut && name !== 'title') return BAD_FORM;
    if (cut) this.#titleLengthRead = [...text].length;
    if (name === 'form' && !this.#token.matches(text)) return STALE;
    this.#texts.set(name, text);
    return undefined;
  }

  file({ name, filename = '' }: FormFile): UploadRefusal | undefined {
    if (name !== 'archive' || this.#filename !== undefined) return BAD_FORM;
    if (!this.#texts.has('form')) return STALE;
    // If no file was chosen, browsers send one without a name.
    if (filename !== '') this.#filename = filename;
    return undefined;
  }

  /** The key, if it was sent before the file, as our page does. */
  get key(): IdempotencyKey | undefined {
    const key = parseIdempotencyKey(this.#texts.get('key') ?? '', this.#limits);
    return typeof key === 'string' ? key : undefined;
  }

  end(): { readonly kind: 'fields'; readonly fields: UploadFields } | UploadRefusal {
    const titleLengthRead = this.#titleLengthRead;
    if (titleLengthRead !== undefined)
      return { kind: 'refused', status: 422, texts: ['title_too_long'], titleLengthRead };
    const text = (name: string): string => this.#texts.get(name) ?? '';
    const filename = this.#filename ?? '';
    // The title defaults to the file's name, so that the list shows names.
    const title = text('title').trim() || stemOf(filename);
    const fields = {
      key: text('key'),
      filename,
      title,
      password: text('password'),
      name: text('name').trim(),
    };
    return { kind: 'fields', fields };
  }

  refuse(reason: FormFailure): UploadRefusal {
    if (reason === 'no_archive' && !this.#texts.has('form')) return STALE;
    const refusal = REFUSALS[reason];
    const titleLengthRead = this.#titleLengthRead;
    if (titleLengthRead === undefined || refusal.title !== undefined) return refusal;
    return { ...refusal, texts: [...refusal.texts, 'title_too_long'], titleLengthRead };
  }
}

function stemOf(filename: string): string {
  const name = parseFilename(filename);
  return typeof name === 'string' ? name.replace(/\.zip$/i, '') : '';
}
