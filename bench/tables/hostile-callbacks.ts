import { setTimeout as pause } from 'node:timers/promises';
import { SlowIssuer } from 'pinfold-test-servers/slow-issuer';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { type HostileServer, startHostileServer } from '../lib/hostile-server.ts';
import { othersView, p99 } from '../lib/others.ts';
import { residentMiB } from '../lib/process-figures.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import type { Finding, HostileLoad } from './hostile-load.ts';

const CALLBACKS = 200;
const WHILE = 3;
/** Seconds of views before: V8 looks through a new process once more when it is 8 s old, which is not the load's. */
const SETTLING = 8;
/** How long the issuer is looked at after the clients have left, in milliseconds. */
const AFTERWARDS = 2_000;

/**
 * 200 browsers come back from an issuer that does not answer, each from its own address and twice at once, and leave
 * after 3 s.
 */
export const returningBrowsers: HostileLoad = {
  rounds: 5,
  measure: async (checkout) => {
    const issuer = await SlowIssuer.listen();
    const server = await startHostileServer(checkout, {
      PINFOLD_TRUST_PROXY: '1',
      PINFOLD_OIDC_ISSUER: issuer.url,
      PINFOLD_OIDC_CLIENT_ID: 'bench',
      PINFOLD_OIDC_CLIENT_SECRET: 'of this bench alone',
    });
    try {
      const small = await server.publish(zipOf(smallPages(2)));
      const returns = await begun(server);
      await othersView(server.port, small, SETTLING);
      const quiet = p99(await othersView(server.port, small, WHILE));
      return await underReturns(server, issuer, returns, small, quiet);
    } finally {
      await server.end();
      await issuer.close();
    }
  },
};

/** What browsers send on their way back, a request each. */
async function begun({ port }: HostileServer): Promise<readonly string[]> {
  const returns: string[] = [];
  const path = '/manage/sign-in/oidc';
  for (let n = 0; n < CALLBACKS; n += 1) {
    const address = `192.0.2.${n}`;
    const answer = await fetch(`http://localhost:${port}${path}/begin`, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': address },
    });
    const state = new URL(answer.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
    const headers = [`X-Forwarded-For: ${address}`, `Cookie: ${cookies.join('; ')}`];
    const query = new URLSearchParams({ code: 'any', state });
    returns.push(get(`${path}?${query}`, `localhost:${port}`, headers));
  }
  return returns;
}

async function underReturns(
  { pid, port }: HostileServer,
  issuer: SlowIssuer,
  returns: readonly string[],
  small: string,
  quiet: number,
): Promise<readonly Finding[]> {
  const before = residentMiB(pid);
  const browsers = await Promise.all([...returns, ...returns].map((words) => sayAndTakeNothing(port, words)));
  const during = p99(await othersView(port, small, WHILE));
  const resident = residentMiB(pid) - before;
  const { most } = issuer.open;
  for (const browser of browsers) browser.destroy();
  await pause(AFTERWARDS);
  const what = `${CALLBACKS} browsers that come back, twice each, to a slow issuer`;
  return [
    { what: `${what}: others' p99`, figure: during / quiet, unit: '× quiet', goal: { atMost: 5 } },
    { what: `${what}: others' p99, quiet`, figure: quiet, unit: 'ms' },
    { what: `${what}: memory`, figure: resident, unit: 'MiB more', goal: { atMost: 256 } },
    { what: `${what}: exchanges at a time`, figure: most, unit: '', goal: { atMost: 8 } },
    { what: `${what}: exchanges after they left`, figure: issuer.open.now, unit: '', goal: { atMost: 0 } },
    {
      what: `${what}: exchanges in all`,
      figure: issuer.tokens.length,
      unit: '',
      goal: { atMost: CALLBACKS },
    },
  ];
}
