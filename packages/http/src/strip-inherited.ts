import type { ServerResponse } from 'node:http';

/** Headers that suit an app but break sites, which have their own scripts, frames and cookies. */
const BREAKING_HEADERS: readonly string[] = [
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

/** Headers that let other origins read an answer, even one that needs cookies or a key. */
const CORS = /^access-control-/i;

const isCors = (name: string): boolean => CORS.test(name);
const breaksSites = (name: string): boolean => BREAKING_HEADERS.includes(name.toLowerCase());

type Headers = Readonly<Record<string, unknown>> | readonly unknown[];
type WriteHead = (status: number, headers?: Headers) => ServerResponse;

/** Removes headers of the app around a door that break sites; headers that the door gives to `writeHead` stay. */
export function stripInherited(response: ServerResponse): void {
  strip(response, breaksSites);
}

/** The same for CORS headers: for protected sites and the public URL. */
export function stripCors(response: ServerResponse): void {
  strip(response, isCors);
}

function strip(response: ServerResponse, isUnwanted: (name: string) => boolean): void {
  if (response.headersSent) return;
  for (const name of response.getHeaderNames()) if (isUnwanted(name)) response.removeHeader(name);
  // Session middleware wraps `writeHead` to set its cookie at the last moment.
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

/** The values of headers; a list has names and values in turn. */
function ownValues(headers: Headers): ReadonlySet<unknown> {
  const list: readonly unknown[] = Array.isArray(headers) ? headers : Object.entries(headers).flat();
  return new Set(list.filter((_, at) => at % 2 === 1).map(beginningOf));
}

/** The name and value of a cookie, without attributes: a proxy or app may add some, such as Secure. */
function beginningOf(value: unknown): string {
  return String(value).split(';', 1)[0] ?? '';
}
