import { Transform, type TransformCallback } from 'node:stream';

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i;
const HEAD_END = '\r\n\r\n';
/** The parser refuses longer heads. */
const MAX_HEAD = 16_384;
const DISPOSITION = /^content-disposition:(?:[^\r\n]|\r\n[ \t])*/im;
const FORM_DATA = /:\s*form-data\s*;/i;
const FILENAME = /;\s*filename\*?=/i;
const TYPE = /^content-type:(?:[ \t]|\r\n[ \t])*([^;\r\n]*)/im;
/** A parameter; its value may have semicolons in quotation marks. */
const PARAMETER = /;[^;="]*(?:="(?:[^"\\]|\\.)*"?)?[^;]*/g;
const EXTENDED = /^;\s*[^\s="]+\*=/;
/** Further ones of a head are removed: to look up the charsets of thousands would take long. */
const MAX_EXTENDED = 10;
const EXTENDED_VALUE = /^([\w!#$%&+^`{}~-]+)'[^']*'(?:[\w!#$&+.^`|~-]|%[\da-f]{2})*\s*$/i;

/**
 * Removes extended parameters that cannot be decoded from the heads of a form's parts: RFC 8187 (section 3.2.1) says to
 * ignore them, but the parser ignores the whole part. Changes nothing else, and nothing after the head of the first file.
 */
export class DecodableNames extends Transform {
  /** The media type of the first file, without parameters. The parser takes a malformed one for `text/plain`. */
  fileType: string | undefined;
  readonly #delimiter: string;
  /** Text that is not passed on yet. Begins with a line end, which the first delimiter lacks: an empty preamble. */
  #held = '\r\n';
  #isDone = false;

  constructor(contentType = '') {
    super();
    const [, quoted, boundary = quoted] = BOUNDARY.exec(contentType) ?? [];
    this.#delimiter = `\r\n--${boundary}\r\n`;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isDone) {
      done(null, chunk);
      return;
    }
    this.#held += chunk.toString('latin1');
    while (!this.#isDone && this.#passHead());
    this.#pass(this.#isDone ? this.#held.length : this.#delimiterStart());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#pass(this.#held.length);
    done();
  }

  /** Passes on everything up to the end of the next head; false if no head is complete. */
  #passHead(): boolean {
    const delimiter = this.#held.indexOf(this.#delimiter);
    const start = delimiter + this.#delimiter.length;
    const end = this.#held.indexOf(HEAD_END, start);
    if (delimiter === -1 || end === -1) {
      this.#isDone = delimiter !== -1 && this.#held.length - start > MAX_HEAD;
      return false;
    }
    this.#pass(start);
    const head = this.#held.slice(0, end - start);
    this.push(
      head.replace(DISPOSITION, (line) => this.#removeUndecodable(line)),
      'latin1',
    );
    if (this.#isDone) this.fileType = TYPE.exec(head)?.[1]?.trim().toLowerCase();
    this.#held = this.#held.slice(head.length);
    return true;
  }

  #removeUndecodable(disposition: string): string {
    this.#isDone = FORM_DATA.test(disposition) && FILENAME.test(disposition);
    let extended = 0;
    return disposition.replace(PARAMETER, (parameter) => {
      const [name] = EXTENDED.exec(parameter) ?? [];
      if (name === undefined) return parameter;
      extended += 1;
      return extended <= MAX_EXTENDED && isDecodable(parameter.slice(name.length)) ? parameter : '';
    });
  }

  /** The position in the held text at which a delimiter may begin, complete or not. */
  #delimiterStart(): number {
    let at = this.#held.indexOf(this.#delimiter);
    if (at !== -1) return at;
    at = Math.max(0, this.#held.length - this.#delimiter.length + 1);
    while (!this.#delimiter.startsWith(this.#held.slice(at))) at += 1;
    return at;
  }

  #pass(length: number): void {
    this.push(this.#held.slice(0, length), 'latin1');
    this.#held = this.#held.slice(length);
  }
}

function isDecodable(value: string): boolean {
  const [, charset] = EXTENDED_VALUE.exec(value) ?? [];
  return charset !== undefined && isCharset(charset);
}

function isCharset(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
