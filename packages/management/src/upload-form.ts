import {
  type Filename,
  type IdempotencyKey,
  type Limits,
  parseFilename,
  parseIdempotencyKey,
  parseTitle,
  type Refusal,
  type Title,
} from '@pinfold/core';
import type { FormField, FormFile, FormReader, FormTrouble } from '@pinfold/http/internal';
import type { MessageId } from './messages/catalogues.ts';
import { isSameToken } from './request/form-guard.ts';

/** What names a publication, before its archive is looked at. */
export interface Wish {
  readonly key: IdempotencyKey;
  readonly filename: Filename;
  readonly title: Title | null;
  readonly password: string | null;
}

type WishCode =
  | 'invalid_filename'
  | 'invalid_idempotency_key'
  | 'invalid_name'
  | 'invalid_password'
  | 'invalid_title';

/** Why an upload was refused. With a title it is a page of its own, without one it is said beside the form. */
export interface UploadRefusal {
  readonly kind: 'refused';
  readonly status: number;
  readonly title?: 'badFormTitle' | 'staleFormTitle';
  readonly text: MessageId;
  /** For the log: a mistake of the embedding server. */
  readonly fault?: string;
}

const BAD_FORM: UploadRefusal = {
  kind: 'refused',
  status: 400,
  title: 'badFormTitle',
  text: 'badFormText',
};
const STALE: UploadRefusal = {
  kind: 'refused',
  status: 403,
  title: 'staleFormTitle',
  text: 'staleFormText',
};

const ODD: Readonly<Record<WishCode, MessageId>> = {
  invalid_name: 'nameOdd',
  invalid_password: 'passwordOdd',
  invalid_filename: 'filenameOdd',
  invalid_idempotency_key: 'badFormText',
  invalid_title: 'titleOdd',
};

const FIELDS: ReadonlySet<string> = new Set(['form', 'key', 'title', 'password']);

/**
 * Reads the form that a browser without scripts sends. Its token stands before its file, so that a forged form's file
 * is not even received.
 */
export class UploadForm implements FormReader<Wish, UploadRefusal> {
  readonly #token: string;
  readonly #limits: Limits;
  readonly #texts: Map<string, string> = new Map();
  #filename: string | undefined;

  constructor(token: string, limits: Limits) {
    this.#token = token;
    this.#limits = limits;
  }

  field({ name = '', text, cut }: FormField): UploadRefusal | undefined {
    if (!FIELDS.has(name) || this.#texts.has(name) || text === undefined || cut) return BAD_FORM;
    if (name === 'form' && !isSameToken(this.#token, text)) return STALE;
    this.#texts.set(name, text);
    return undefined;
  }

  file({ name, filename = '' }: FormFile): UploadRefusal | undefined {
    if (name !== 'archive' || this.#filename !== undefined) return BAD_FORM;
    if (!this.#texts.has('form')) return STALE;
    // Browsers send a file without a name if none was chosen.
    if (filename !== '') this.#filename = filename;
    return undefined;
  }

  /** The key, once it was read: our page sends it before the file. */
  get key(): IdempotencyKey | undefined {
    const key = parseIdempotencyKey(this.#texts.get('key') ?? '', this.#limits);
    return typeof key === 'string' ? key : undefined;
  }

  end(): { readonly kind: 'wish'; readonly wish: Wish } | UploadRefusal {
    const [key, title, password] = ['key', 'title', 'password'].map((name) => this.#texts.get(name));
    const wish = readWish({ key, filename: this.#filename, title, password }, this.#limits);
    return 'kind' in wish ? { kind: 'refused', status: 422, text: oddText(wish) } : { kind: 'wish', wish };
  }

  refuse(trouble: FormTrouble): UploadRefusal {
    switch (trouble) {
      case 'archive_too_large':
        return { kind: 'refused', status: 413, text: 'problemsTitle' };
      case 'no_archive':
        return this.#texts.has('form') ? { kind: 'refused', status: 422, text: 'nothingChosen' } : STALE;
      case 'read_before':
        return { ...BAD_FORM, fault: 'the form was read before: mount the screen before any body parser' };
      case 'stalled':
        return { kind: 'refused', status: 408, text: 'uploadStalled' };
      case 'broken':
      case 'broken_off':
      case 'too_long':
        return BAD_FORM;
      default:
        return trouble satisfies never;
    }
  }
}

export function readWish(
  sent: {
    readonly key: string | undefined;
    readonly filename: string | undefined;
    readonly title: string | undefined;
    readonly password: string | undefined;
  },
  limits: Limits,
): Wish | Refusal<WishCode> {
  const key = parseIdempotencyKey(sent.key ?? '', limits);
  if (typeof key !== 'string') return key;
  const filename = parseFilename(sent.filename ?? '');
  if (typeof filename !== 'string') return filename;
  const given = (sent.title ?? '').trim();
  // A list of nameless publications is of no help, so the file's name is the default title.
  const title = parseTitle(given === '' ? filename.replace(/\.zip$/i, '') : given, limits);
  const password = sent.password || null;
  return title === null || typeof title === 'string' ? { key, filename, title, password } : title;
}

export function oddText({ code }: Refusal<WishCode>): MessageId {
  return ODD[code];
}
