import type { Clock, GrantSigner, Ids } from '@pinfold/core';
import type { Settings } from '../../settings/settings.ts';
import type { WebAddresses } from '../../settings/web-addresses.ts';
import { type Finding, failed, ok, type Result, runChecks, skipped, warning } from '../finding.ts';
import { type Answer, ask, type RequestSettings } from './ask.ts';
import { checkBrowser } from './browser.ts';
import { explainNoAnswer, isCertificateError } from './explain-no-answer.ts';
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
