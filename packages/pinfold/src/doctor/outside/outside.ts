import type { Clock, GrantSigner, Ids } from '@pinfold/core';
import type { Settings } from '../../settings/settings.ts';
import type { WebAddresses } from '../../settings/web-addresses.ts';
import { type Finding, trying } from '../finding.ts';
import { type Answered, ask, type Way } from './ask.ts';
import { browserFindings } from './browser.ts';
import { proxyFindings } from './proxy.ts';
import { isAboutCertificate, unanswered } from './unanswered.ts';

/** What it takes to look at a server from outside. */
export interface Outside {
  readonly settings: Settings;
  readonly addresses: WebAddresses;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Absent where the server's secret is not known here. */
  readonly grants: GrantSigner | undefined;
  readonly way: Way;
}

const DAY = 86_400_000;
/** Those of Let's Encrypt are renewed when 30 of 90 days are left, and a third before their end if they live less. */
const SOON = 14 * DAY;

/** Asks the server at its public addresses, as its viewers do. */
export async function* outsideFindings(outside: Outside): AsyncGenerator<Finding> {
  const { addresses, ids } = outside;
  const publicUrl = new URL(`${addresses.publicUrl}/livez`);
  if (!(yield* reached(outside, 'url', publicUrl, isAlive))) return;
  yield* proxyFindings(outside, 'proxy', new URL(`${addresses.publicUrl}/`));
  yield* browserFindings(outside);
  if (addresses.viewerMode === 'path') {
    yield trying('sites', 'reach the host of a site').skipped('in path mode sites are under the public URL');
    return;
  }
  const site = new URL(addresses.sitesUrl);
  site.hostname = `${ids.role()}.${site.hostname}`;
  if (yield* reached(outside, 'sites', site, isOfViewer)) yield* proxyFindings(outside, 'sites', site);
}

/** Answers whether there is more to look at. */
async function* reached(
  { clock, way }: Outside,
  check: 'url' | 'sites',
  url: URL,
  isOurs: (answer: Answered) => boolean,
): AsyncGenerator<Finding, boolean> {
  const of = check === 'url' ? 'the public URL' : 'the host of a site that there is not';
  const looking = trying(check, `ask ${of}: GET ${url.href}`);
  const certificate = trying(`${check}.certificate`, `look at the certificate of ${url.hostname}`);
  try {
    const answer = await ask(url, {}, way);
    if (!isOurs(answer)) {
      yield looking.failed(`${answer.status}, which is not an answer of Pinfold`, adviceFor(answer));
      return false;
    }
    yield looking.ok(`${answer.status} came from Pinfold`);
    const { certifiedUntil } = answer;
    if (certifiedUntil === undefined) yield uncertified(certificate, url);
    else yield certificateFinding(certificate, certifiedUntil.getTime() - clock.now());
    return true;
  } catch (error) {
    const [came, advice] = unanswered(error);
    yield (isAboutCertificate(error) ? certificate : looking).failed(came, advice);
    return false;
  }
}

function isAlive({ status, text }: Answered): boolean {
  return status === 200 && /^\{"status":"ok"\}\s*$/.test(text);
}

/** The page for what is not there, or no longer. */
function isOfViewer({ status, headers }: Answered): boolean {
  return (status === 404 || status === 410) && headers['x-robots-tag']?.includes('noindex') === true;
}

function adviceFor({ status }: Answered): string {
  if (status === 502 || status === 503 || status === 504) {
    return 'start the server, and see that the proxy names the address and port that it listens on';
  }
  if (status >= 300 && status < 400) return 'let the proxy pass requests on, not lead them elsewhere';
  if (status === 421)
    return 'let the proxy pass on Host as it came: with nginx, proxy_set_header Host $http_host';
  return 'see that the proxy passes this host and path to the server unchanged, and has no answer of its own';
}

function uncertified(looking: ReturnType<typeof trying>, { hostname }: URL): Finding {
  return /(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname)
    ? looking.skipped('this machine needs none')
    : looking.warning('there is none: passwords and keys go over the wire as they are', 'let a proxy do TLS');
}

function certificateFinding(looking: ReturnType<typeof trying>, left: number): Finding {
  const came = `it is good for ${Math.floor(left / DAY)} days`;
  return left < SOON
    ? looking.warning(came, 'see that it is renewed by itself: it should have been by now')
    : looking.ok(came);
}
