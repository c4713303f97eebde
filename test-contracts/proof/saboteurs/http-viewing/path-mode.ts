import type { HttpSubject } from '@pinfold/test-contracts';
import type { Saboteur } from '../sabotage.ts';
import { changingHeads, isFile, rewriting } from './tampers.ts';
import { saboteursIn } from './visiting.ts';

const saboteur = saboteursIn('path');

/** What can be wrong in path mode alone, or otherwise there. */
export const pathModeSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('view-forget', 'what the browser kept of the public host is cleared', {
    tamper: () =>
      changingHeads((head, { url = '' }) => {
        if (head.status === 404 && /^\/s\/[^/]+\//.test(url))
          head.headers.set('clear-site-data', ['"storage"']);
      }),
  }),
  saboteur('view-grant-needed', 'a refused file shows its length', {
    tamper: () =>
      changingHeads((head) => {
        if (head.status === 403) head.headers.set('accept-ranges', ['bytes']);
      }),
  }),
  saboteur('view-grant-cookies', 'the cookie goes along to every publication', {
    tamper: () => rewriting('set-cookie', (line) => line.replace(/Path=[^;]+/, 'Path=/')),
  }),
  saboteur('view-way-in', 'a copied address opens the site for anyone', {
    tamper: () => (request) => {
      if (request.url?.includes('/~')) request.headers['sec-fetch-dest'] = 'iframe';
    },
  }),
  saboteur('view-never-stored', 'the way into a folder may be stored', {
    tamper: () =>
      rewriting('cache-control', (value, { status }) => (status === 308 ? 'max-age=3600' : value)),
  }),
  saboteur('view-host', 'another host than the public one is not served', {
    tamper: () =>
      changingHeads((head, { headers }) => {
        if (headers.host === '10.1.2.3:9') head.status = 404;
      }),
  }),
  saboteur('view-siblings-learn-nothing', 'the password page may be loaded from anywhere', {
    tamper: () =>
      changingHeads(({ headers }, { url = '' }) => {
        if (/^\/s\/[^/]+$/.test(url)) headers.delete('cross-origin-resource-policy');
      }),
  }),
  saboteur('view-misdirected', 'names that are none of the sites are not served', {
    tamper: () =>
      changingHeads((head, { headers }) => {
        if (headers.host?.startsWith('nothing.') === true) head.status = 421;
      }),
  }),
  saboteur('view-headers', 'pages are not sandboxed', {
    tamper: () =>
      changingHeads((head) => {
        if (isFile(head)) head.headers.delete('content-security-policy');
      }),
  }),
];
