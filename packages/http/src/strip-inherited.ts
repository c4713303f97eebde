import type { ServerResponse } from 'node:http';

/** Headers that are right for an app and break sites, which have scripts, frames and cookies of their own. */
const BREAKING: readonly string[] = [
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'set-cookie',
  'x-frame-options',
  'x-powered-by',
];

/** Headers that let other origins read an answer, for which cookies or a key may have been needed. */
const CORS = /^access-control-/i;

const isCors = (name: string): boolean => CORS.test(name);
const breaksSites = (name: string): boolean => BREAKING.includes(name.toLowerCase());

type Headers = Readonly<Record<string, unknown>> | readonly unknown[];
type WriteHead = (status: number, headers?: Headers) => ServerResponse;

/** Removes headers that break sites from what the server around a door sets; those given to `writeHead` here stay. */
export function stripInherited(response: ServerResponse): void {
  strip(response, breaksSites);
}

/** The same for headers that open an answer to other origins: of protected sites, and of the public URL. */
export function stripCors(response: ServerResponse): void {
  strip(response, isCors);
}

function strip(response: ServerResponse, isUnwanted: (name: string) => boolean): void {
  if (response.headersSent) return;
  for (const name of response.getHeaderNames()) if (isUnwanted(name)) response.removeHeader(name);
  // Session middleware sets its cookie at the last moment, by a writeHead of its own around Node's.
  if (response.writeHead === Object.getPrototypeOf(response).writeHead) return;
  const writeHead = response.writeHead.bind(response) as WriteHead;
  const stripped: WriteHead = (status, headers = []) => {
    const own = ownValues(headers);
    const { setHeader } = response;
    response.setHeader = (name, value) => {
      if (!isUnwanted(name)) return setHeader.call(response, name, value);
      const remaining = [value].flat().filter((one) => own.has(beginningOf(one)));
      return remaining.length === 0 ? response : setHeader.call(response, name, remaining.map(String));
    };
    try {
      return writeHead(status, headers);
    } finally {
      response.setHeader = setHeader;
    }
  };
  response.writeHead = stripped as typeof response.writeHead;
}

/** A list has names and values in turn. */
function ownValues(headers: Headers): ReadonlySet<unknown> {
  const list: readonly unknown[] = Array.isArray(headers) ? headers : Object.entries(headers).flat();
  return new Set(list.filter((_, at) => at % 2 === 1).map(beginningOf));
}

/** The name and value of a cookie: an attribute that a proxy or app adds, such as Secure, leaves it ours. */
function beginningOf(value: unknown): string {
  return String(value).split(';', 1)[0] ?? '';
}
