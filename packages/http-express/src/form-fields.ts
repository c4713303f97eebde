import { type Filename, parseFilename, type Told } from '@pinfold/core';
import { decodeFilename } from './filename.ts';
import type { PartJudge } from './form-frames.ts';
import type { PartHead } from './part-head.ts';
import { RequestRefused } from './problem.ts';
import type { RequestRules } from './rule-sentences.ts';
import { requestError } from './tell.ts';

const ARCHIVE_TYPES: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-zip-compressed',
  'application/octet-stream',
]);

/** A title is refused for its length long before this many bytes; more are not read. */
export const LONGEST_TITLE: number = 65_536;

/** Judges the parts of a publication's form one after another, as their heads arrive (contract, section 3). */
export class FormFields implements PartJudge {
  readonly #seen: Set<string> = new Set();
  #filename: Filename | undefined;
  #part = '';
  #titleBytes = 0;

  /** The archive's name, once its head has arrived. */
  get filename(): Filename | undefined {
    return this.#filename;
  }

  /** Takes a head and gives the plain one to pass on, or throws a {@link RequestRefused}. */
  admit(head: PartHead): string {
    const { name } = head;
    if (name !== 'archive' && name !== 'title') throw invalid({ rule: 'unknown_field' });
    if (this.#seen.has(name)) throw invalid({ rule: 'field_twice', field: name });
    this.#seen.add(name);
    this.#part = name;
    return name === 'archive' ? this.#admitArchive(head) : admitTitle(head);
  }

  /** Counts the bytes of the part whose head came last. */
  count(bytes: number): void {
    if (this.#part !== 'title') return;
    this.#titleBytes += bytes;
    if (this.#titleBytes > LONGEST_TITLE) throw new RequestRefused('invalid_title');
  }

  #admitArchive({ filename, type }: PartHead): string {
    if (type !== undefined && !ARCHIVE_TYPES.has(type)) {
      throw new RequestRefused('unsupported_media_type', {
        detail:
          'Send the archive as application/zip, application/x-zip-compressed or application/octet-stream.',
      });
    }
    const decoded = filename === undefined ? undefined : decodeFilename(filename);
    const parsed = decoded === undefined ? undefined : parseFilename(decoded);
    if (typeof parsed !== 'string') throw invalid({ rule: 'filename' });
    this.#filename = parsed;
    return 'Content-Disposition: form-data; name="archive"; filename="archive"\r\n\r\n';
  }
}

function admitTitle({ filename }: PartHead): string {
  if (filename !== undefined) throw invalid({ rule: 'title_file' });
  return 'Content-Disposition: form-data; name="title"\r\n\r\n';
}

function invalid(told: Told<RequestRules>): RequestRefused {
  return new RequestRefused('invalid_form', { errors: [requestError(told)] });
}
