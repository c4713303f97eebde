import { RequestRefused } from './problem.ts';

/** The head of one part of a form (RFC 7578, section 4), its bytes one character each. */
export interface PartHead {
  readonly name: string;
  /** The file's name as it was sent; absent for a plain field. */
  readonly filename?: RawFilename;
  /** The media type in lower case, without parameters; absent, too, when its header is there and names none. */
  readonly type?: string;
}

/** `filename` as bytes, one character each; `filename*` with its encoding still on (RFC 8187, section 3.2). */
export interface RawFilename {
  readonly form: 'plain' | 'extended';
  readonly value: string;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const HEADER = new RegExp(`^(${TOKEN}):[ \\t]*([^]*)$`);
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\[^])*)"|([^;" \\t]*))|[ \\t;]*$`,
  'y',
);
const DISPOSITION = /^[ \t]*form-data(?=[ \t]*(?:;|$))/i;
const FOLD = /\r\n(?=[ \t])/g;

/** Reads a part's head, which ends before its empty line. What is no form's part breaks the whole body. */
export function readPartHead(text: string): PartHead {
  const headers = readHeaders(text);
  const disposition = headers.get('content-disposition') ?? '';
  const formData = DISPOSITION.exec(disposition);
  if (formData === null) throw malformed();
  const parameters = readParameters(disposition.slice(formData[0].length));
  const name = parameters.get('name');
  if (name === undefined) throw malformed();
  const filename = rawFilename(parameters);
  const typed = headers.get('content-type') ?? '';
  const [type = ''] = typed.toLowerCase().split(/[; \t]/, 1);
  return {
    name,
    ...(filename === undefined ? {} : { filename }),
    ...(typed === '' ? {} : { type }),
  };
}

function readHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  if (text === '') return headers;
  for (const line of text.replace(FOLD, '').split('\r\n')) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) throw malformed();
    const key = name.toLowerCase();
    if (headers.has(key)) throw malformed();
    headers.set(key, value);
  }
  return headers;
}

function readParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (match === null) throw malformed();
    const [, name, quoted, token = ''] = match;
    if (name === undefined) break;
    const key = name.toLowerCase();
    if (parameters.has(key)) throw malformed();
    parameters.set(key, quoted === undefined ? token : unquote(quoted));
  }
  return parameters;
}

/** Only a quote and a backslash are ever escaped: a lone backslash is what some browsers put between folders. */
function unquote(quoted: string): string {
  return quoted.replace(/\\(["\\])/g, '$1');
}

function rawFilename(parameters: ReadonlyMap<string, string>): RawFilename | undefined {
  const extended = parameters.get('filename*');
  if (extended !== undefined) return { form: 'extended', value: extended };
  const plain = parameters.get('filename');
  return plain === undefined ? undefined : { form: 'plain', value: plain };
}

function malformed(): RequestRefused {
  return new RequestRefused('invalid_request', {
    detail: 'Give each part of the form a well-formed Content-Disposition with a name, as RFC 7578 says.',
  });
}
