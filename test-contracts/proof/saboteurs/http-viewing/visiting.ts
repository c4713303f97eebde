import type { IncomingMessage } from 'node:http';
import type { HttpSubject } from '@pinfold/test-contracts';
import type { Saboteur } from '../sabotage.ts';
import { openService, type Spoiling } from './service.ts';
import { changingHeads, ignoring, isFile, replacing, retargeting, rewriting } from './tampers.ts';

/** Makes saboteurs of a mode. */
export function saboteursIn(
  mode: 'origin' | 'path',
): (breaks: string, how: string, spoiling: Spoiling, alsoFails?: readonly string[]) => Saboteur<HttpSubject> {
  return (breaks, how, spoiling, alsoFails = []) => ({
    breaks: `http/${breaks}`,
    how,
    open: () => () => openService(mode, spoiling),
    alsoFails: alsoFails.map((id) => `http/${id}`),
  });
}

const saboteur = saboteursIn('origin');

const isShared = (request: IncomingMessage): boolean => /^\/s\/[^/?]+$/.test(request.url ?? '');
const isStranger = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.cookie === undefined;
const asked = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? '');

/** What is wrong with shared URLs and pages. */
export const sharedUrlSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('view-open', 'another node knows no shared URL', {
    tamperWithPeers: () =>
      changingHeads((head, request) => {
        if (isShared(request) && isStranger(request)) head.status = 404;
      }),
  }),
  saboteur('view-return-path', 'a return path may begin with a slash and a backslash', {
    tamper: () =>
      rewriting('location', (location, _head, { url = '' }) => {
        const to = new URLSearchParams(url.split('?')[1]).get('to') ?? '';
        return url.startsWith('/s/') && to.startsWith('/\\') ? new URL(location).origin + to : location;
      }),
  }),
  saboteur('view-addresses', 'redirects lead to the forwarded host', {
    tamper: () =>
      rewriting('location', (location, _head, request) => {
        const host = asked(request, 'x-forwarded-host');
        return host === '' ? location : location.replace(new URL(location).host, host);
      }),
  }),
  saboteur('view-letter-case', 'an id in upper case is served as it is', {
    tamper: () => retargeting((target) => target.replace(/^\/s\/[^/?]+/, (path) => path.toLowerCase())),
  }),
  saboteur('view-unknown', 'a malformed id is answered otherwise than an unknown one', {
    tamper: () =>
      changingHeads((head, { url = '' }) => {
        if (url === '/s/nothing') head.status = 400;
      }),
  }),
  saboteur('view-stopped', 'a part of a stopped site is served on', {
    tamper: () =>
      changingHeads((head, { url = '' }) => {
        if (/^(\/s\/[^/]+)?\/app\.js$/.test(url) && head.status === 404) head.status = 200;
      }),
  }),
  saboteur('view-expired', 'an expired publication is unknown', {
    tamper: () =>
      changingHeads((head) => {
        if (head.status === 410) head.status = 404;
      }),
  }),
  saboteur('view-forget', 'the cookies of all siblings are cleared too', {
    tamper: () => rewriting('clear-site-data', (value) => `${value}, "cookies"`),
  }),
  saboteur('view-pages', 'pages may be framed', {
    tamper: () =>
      rewriting('content-security-policy', (value, head) =>
        isFile(head) ? value : value.replace(/; frame-ancestors.*/, ''),
      ),
  }),
  saboteur('view-languages', 'the weights of languages are not looked at', {
    tamper: () => (request) => {
      request.headers['accept-language'] = asked(request, 'accept-language').replaceAll(/;q=[\d.]+/g, '');
    },
  }),
];

/** What is wrong with which file answers, and how. */
export const fileSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('view-resolution', 'the way into a folder loses the query', {
    tamper: () =>
      rewriting('location', (location, { status }) =>
        status === 308 ? `${location.split('?')[0]}` : location,
      ),
  }),
  saboteur('view-fallbacks', 'the page for what is missing has the status 200', {
    tamper: () =>
      changingHeads((head) => {
        if (head.status === 404 && isFile(head)) head.status = 200;
      }),
  }),
  saboteur('view-paths', 'dots that are encoded lead upwards', {
    tamper: () => retargeting((target) => target.replace(/%2e%2e\//, '')),
  }),
  saboteur('view-host', 'a host in upper case is another one', {
    tamper: () => (request) => {
      if (/[A-Z]/.test(asked(request, 'host'))) request.headers.host = 'elsewhere';
    },
  }),
  saboteur('view-target', 'a request for a proxy is answered', {
    tamper: () => retargeting((target) => target.replace(/^http:\/\/[^/]+/, '')),
  }),
  saboteur('view-methods', 'what is allowed is not said', {
    tamper: () => changingHeads(({ headers }) => void headers.delete('allow')),
  }),
  saboteur('view-service-worker', 'a service worker gets its script', {
    tamper: () => ignoring(['service-worker', 'sec-fetch-dest']),
  }),
  saboteur('view-types', 'WebAssembly has no type of its own', {
    tamper: () =>
      rewriting('content-type', (type) => type.replace('application/wasm', 'application/octet-stream')),
  }),
  saboteur('view-headers', 'files may be indexed', {
    tamper: () =>
      changingHeads((head) => {
        if (isFile(head)) head.headers.delete('x-robots-tag');
      }),
  }),
  saboteur('view-gzip', 'large files are never sent as gzip', {
    tamper: () => ignoring(['accept-encoding'], ({ url = '' }) => url.endsWith('large.bin')),
  }),
  saboteur('view-conditional', 'weak tags are not known', {
    tamper: () => ignoring(['if-none-match'], (request) => asked(request, 'if-none-match').includes('W/')),
  }),
  saboteur('view-range', 'the size of a file is not said with a 416', {
    tamper: () =>
      rewriting('content-range', (range, { status }) =>
        status === 416 ? range.replace(/\d+$/, '*') : range,
      ),
  }),
  saboteur('view-head', 'HEAD is not told where a shared URL leads', {
    tamper: () =>
      changingHeads(({ headers }, { method }) => {
        if (method === 'HEAD') headers.delete('location');
      }),
  }),
  saboteur('view-password-page', 'no password manager knows the field', {
    tamper: () => replacing('autocomplete="current-password"', 'autocomplete="another-password"'),
  }),
];
