import { Transform, type TransformCallback } from 'node:stream';

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i;
const HEAD_END = '\r\n\r\n';
/** The parser refuses longer heads. */
const MAX_HEAD = 16_384;
const DISPOSITION = /^content-disposition:(?:[^\r\n]|\r\n[ \t])*/im;
const FORM_DATA = /:\s*form-data\s*;/i;
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const QUOTED_STRING = '"(?:[^"\\\\]|\\\\.)*"';
/** Behind a `*`, no empty extended value follows. */
const EQUALS = String.raw`(?:(?<!\*)=|(?<=\*)=(?![^'; \t]*'[^'; \t]*'[ \t]*(?:;|$)))`;
/** A Content-Disposition that the parser reads, without line ends. It skips a part with another, without an error. */
const READABLE = new RegExp(
  String.raw`^content-disposition:[ \t]*form-data(?:[ \t]*;[ \t]*${TOKEN}${EQUALS}(?:${QUOTED_STRING}|${TOKEN}))*[ \t]*$`,
  'i',
);
const DECLARED_FORM_DATA = /^content-disposition:\s*form-data(?:[^\w-]|$)/i;
/** The bytes at the end of a form in which parts after the first file are searched for: more than their texts may have. */
const MAX_SEARCHED = 131_072;
/** A name of a file that is not empty: with an empty one, the parser takes the part for a text. */
const FILENAME = /;\s*filename(?:=(?:"[^"]|[^\s;"])|\*=[^';]*'[^';]*'[^\s;])/i;
const TYPE = /^content-type:(?:[ \t]|\r\n[ \t])*([^;\r\n]*)/im;
/** A parameter; its value may have semicolons in quotation marks. */
const PARAMETER = /;[^;="]*(?:="(?:[^"\\]|\\.)*"?)?[^;]*/g;
const EXTENDED = /^;\s*[^\s="]+\*=/;
/** Further ones of a head are removed: to look up the charsets of thousands would take long. */
const MAX_EXTENDED = 10;
const EXTENDED_VALUE = /^([\w!#$%&+^`{}~-]+)'[^']*'((?:[\w!#$&+.^`|~-]|%[\da-f]{2})*)\s*$/i;
/** Characters that RFC 8187 requires to be encoded, and `encodeURIComponent` does not encode. */
const NOT_ENCODED = /['()*]/g;
/** Charsets that the parser decodes as their names say. */
const PARSER_CHARSETS = /^(?:utf-8|iso-8859-1|us-ascii)$/i;

/**
 * Lets the parser read the extended parameters in the heads of a form's parts: it ignores the whole part for one that it
 * cannot decode. Those in other charsets become UTF-8; those that nobody can decode are removed, as RFC 8187 (section
 * 3.2.1) says to ignore them. Changes nothing else, and nothing after the head of the first file. Finds parts that the
 * parser skips though they are form-data.
 */
export class DecodableNames extends Transform {
  /** The media type of the first file, without parameters. The parser takes a malformed one for `text/plain`. */
  fileType: string | undefined;
  /** Whether the parser skips a part of the form, as it cannot read its Content-Disposition. */
  skipsPart: boolean = false;
  readonly #delimiter: string;
  /** Text that is not passed on yet. Begins with a line end, which the first delimiter lacks: an empty preamble. */
  #held = '\r\n';
  #isDone = false;
  /** The last chunks after the head of the first file. */
  readonly #last: Buffer[] = [];
  #lastLength = 0;

  constructor(contentType = '') {
    super();
    const [, quoted, boundary = quoted] = BOUNDARY.exec(contentType) ?? [];
    this.#delimiter = `\r\n--${boundary}\r\n`;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isDone) {
      this.#keepLast(chunk);
      done(null, chunk);
      return;
    }
    this.#held += chunk.toString('latin1');
    while (!this.#isDone && this.#passHead());
    if (this.#isDone) this.#keepLast(Buffer.from(this.#held, 'latin1'));
    this.#pass(this.#isDone ? this.#held.length : this.#delimiterStart());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#pass(this.#held.length);
    this.#searchLast();
    done();
  }

  #keepLast(chunk: Buffer): void {
    this.#last.push(chunk);
    this.#lastLength += chunk.length;
    for (let [first] = this.#last; first !== undefined; [first] = this.#last) {
      if (this.#lastLength - first.length < MAX_SEARCHED) return;
      this.#last.shift();
      this.#lastLength -= first.length;
    }
  }

  #searchLast(): void {
    const [, ...parts] = Buffer.concat(this.#last).toString('latin1').split(this.#delimiter);
    for (const part of parts) {
      const [head = ''] = part.split(HEAD_END, 1);
      const [disposition = ''] = DISPOSITION.exec(head) ?? [];
      this.skipsPart ||= isSkipped(disposition) || readableDisposition(disposition) !== disposition;
    }
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
      head.replace(DISPOSITION, (line) => this.#readable(line)),
      'latin1',
    );
    if (this.#isDone) this.fileType = TYPE.exec(head)?.[1]?.trim().toLowerCase();
    this.#held = this.#held.slice(head.length);
    return true;
  }

  #readable(disposition: string): string {
    const readable = readableDisposition(disposition);
    this.#isDone = FORM_DATA.test(readable) && FILENAME.test(readable);
    this.skipsPart ||= isSkipped(readable);
    return readable;
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

function isSkipped(disposition: string): boolean {
  const line = disposition.replaceAll('\r\n', '');
  return DECLARED_FORM_DATA.test(line) && !READABLE.test(line);
}

/** A Content-Disposition with only such extended parameters as the parser reads. */
function readableDisposition(disposition: string): string {
  let extended = 0;
  return disposition.replace(PARAMETER, (parameter) => {
    const [name] = EXTENDED.exec(parameter) ?? [];
    if (name === undefined) return parameter;
    extended += 1;
    const value = extended <= MAX_EXTENDED ? readableValue(parameter.slice(name.length)) : undefined;
    return value === undefined ? '' : name + value;
  });
}

/** An extended value as the parser reads it; `undefined` if it cannot be decoded. */
function readableValue(value: string): string | undefined {
  const [, charset = '', text = ''] = EXTENDED_VALUE.exec(value) ?? [];
  if (PARSER_CHARSETS.test(charset)) return value;
  const bytes = text.replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number(`0x${digits}`)));
  const decoded = decode(Buffer.from(bytes, 'latin1'), charset);
  return decoded === undefined ? undefined : extendedValue(decoded);
}

function decode(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A text as an extended value (RFC 8187). */
export function extendedValue(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed()).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `UTF-8''${encoded}`;
}
