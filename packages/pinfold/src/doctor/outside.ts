import type { Clock, GrantSigner, Ids } from '@pinfold/core';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { type Answer, ask, explainNoAnswer, isCertificateError, type RequestSettings } from './ask.ts';
import { type Finding, failed, ok, type Result, runChecks, skipped, warning } from './finding.ts';
import { checkProxy } from './proxy.ts';

export interface Outside {
  readonly settings: Settings;
  readonly addresses: WebAddresses;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Absent if the server's secret is not known here. */
  readonly grants: GrantSigner | undefined;
  readonly request: RequestSettings;
}

const DAY = 86_400_000;
/** In days. Let's Encrypt's certificates are usually renewed 30 days before they expire. */
const MIN_DAYS_LEFT = 14;

export async function* checkFromOutsideNetwork(outside: Outside): AsyncGenerator<Finding> {
  const { addresses, ids } = outside;
  const publicUrl = new URL(`${addresses.publicUrl}/livez`);
  if (!(yield* checkReachable(outside, 'url', publicUrl, isAlive))) return;
  yield* checkProxy(outside, new URL(addresses.publicUrl));
  yield* checkBrowser(outside);
  if (addresses.viewerMode === 'path') {
    const run = (): Result => skipped('in path mode the public URL serves the sites');
    yield* runChecks([{ name: 'sites', expected: 'the host of a site leads to Pinfold', run }]);
    return;
  }
  const site = new URL(addresses.sitesUrl);
  site.hostname = `${ids.role()}.${site.hostname}`;
  yield* checkReachable(outside, 'sites', site, isViewerPage);
}

/** Checks whether Pinfold answers at a URL; returns the answer to that. */
async function* checkReachable(
  { clock, request }: Outside,
  name: 'url' | 'sites',
  url: URL,
  isPinfold: (answer: Answer) => boolean,
): AsyncGenerator<Finding, boolean> {
  const [answer, error] = await ask(url, {}, request).then(
    (answer) => [answer, undefined] as const,
    (error: unknown) => [undefined, error] as const,
  );
  const end = answer?.certificateEnd?.getTime();
  const daysLeft = end === undefined ? undefined : Math.floor((end - clock.now()) / DAY);
  const expectation =
    name === 'url' ? 'the public URL leads to Pinfold' : 'the host of a site leads to Pinfold';
  return yield* runChecks([
    {
      name,
      expected: `${expectation}: GET ${url.href}`,
      run: () => {
        if (answer === undefined)
          return isCertificateError(error) ? undefined : failed(...explainNoAnswer(error));
        if (!isPinfold(answer))
          return failed(`the answer was ${answer.status}, and not from Pinfold`, findAdvice(answer));
        return ok(name === 'url' ? 'Pinfold answers at the public URL' : "Pinfold answers at a site's host");
      },
      isRequired: true,
    },
    {
      name: `${name}.certificate`,
      expected: `${url.hostname} has a certificate that browsers trust, valid for two weeks or more`,
      run: () =>
        answer === undefined ? failed(...explainNoAnswer(error)) : judgeCertificate(url.hostname, daysLeft),
      isRequired: true,
    },
  ]);
}

function judgeCertificate(hostname: string, daysLeft: number | undefined): Result {
  if (daysLeft !== undefined) {
    const observed = `the certificate is valid for ${daysLeft} days`;
    return daysLeft < MIN_DAYS_LEFT
      ? warning(observed, 'check why it was not renewed automatically')
      : ok(observed);
  }
  return /(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname)
    ? skipped('this machine needs no certificate')
    : warning('there is no TLS: passwords and keys are sent unencrypted', 'configure TLS in a proxy');
}

function isAlive({ status, text }: Answer): boolean {
  return status === 200 && /^\{"status":"ok"\}\s*$/.test(text);
}

/** Whether this is the viewer's page for a site that does not exist. */
function isViewerPage({ status, headers }: Answer): boolean {
  return (status === 404 || status === 410) && headers['x-robots-tag']?.includes('noindex') === true;
}

function findAdvice({ status }: Answer): string {
  if (status === 502 || status === 503 || status === 504) {
    return 'start the server, and check that the proxy uses its address and port';
  }
  if (status >= 300 && status < 400)
    return 'configure the proxy to forward requests instead of redirecting them';
  if (status === 421)
    return 'configure the proxy to forward Host unchanged: with nginx, proxy_set_header Host $http_host';
  return 'check that the proxy forwards this host and path to the server, and does not answer itself';
}

const EXPECTED_HEADERS: Readonly<Record<string, RegExp>> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'cache-control': /^no-store$/,
  'content-security-policy': /^default-src 'none';(?!.*default-src)/,
  'x-content-type-options': /^nosniff$/,
};

const SCREEN = '/manage/sign-in';

/** Loads the sign-in page and its files as a browser would. */
function checkBrowser({ addresses, request }: Outside): AsyncGenerator<Finding> {
  const url = new URL(`${addresses.publicUrl}${SCREEN}`);
  return runChecks([
    {
      name: 'browser',
      expected: `${url.href} and its files arrive unchanged`,
      run: async () => {
        try {
          const headers = { accept: 'text/html', 'accept-encoding': 'identity' };
          const page = await ask(url, { headers }, request);
          return judgePage(page, url) ?? (await checkAssets(page, url, request));
        } catch (error) {
          return failed(...explainNoAnswer(error));
        }
      },
    },
  ]);
}

const FORWARD_ALL = 'configure the proxy to forward every path below the public URL';

function judgePage(page: Answer, url: URL): Result | undefined {
  if (page.status !== 200) return failed(`the sign-in page answered ${page.status}`, FORWARD_ALL);
  const changed = Object.entries(EXPECTED_HEADERS).find(
    ([name, form]) => !form.test(String(page.headers[name] ?? '')),
  );
  if (changed !== undefined) {
    return failed(
      `the header ${changed[0]} arrived with another value`,
      'configure the proxy to add no headers, and not to change or cache answers',
    );
  }
  const cookies = page.headers['set-cookie'] ?? [];
  const isAccepted = cookies.some((cookie) => url.protocol === 'http:' || /; *secure/i.test(cookie));
  return isAccepted
    ? undefined
    : failed('no cookie arrived that a browser would store', 'configure the proxy to forward Set-Cookie');
}

async function checkAssets({ text }: Answer, url: URL, request: RequestSettings): Promise<Result> {
  const matches = [...text.matchAll(/<(?:link|script)\b[^<>]*?\b(?:href|src)="([^"]+)"/g)];
  const assets = matches.map(([, reference = '']) => new URL(reference.replaceAll('&amp;', '&'), url));
  for (const asset of assets) {
    if (asset.origin !== url.origin)
      return failed(`the page refers to ${asset.origin}`, 'configure the proxy to leave pages unchanged');
    const { status } = await ask(asset, {}, request);
    if (status !== 200) return failed(`${asset.pathname} answered ${status}`, FORWARD_ALL);
  }
  return ok(`the page and ${assets.length} files arrived unchanged`);
}
