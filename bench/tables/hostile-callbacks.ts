import { setTimeout as pause } from 'node:timers/promises';
import { SlowIssuer } from 'pinfold-test-servers/slow-issuer';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import type { HostileServer } from '../lib/hostile-server.ts';
import { othersP99, quietP99 } from '../lib/others.ts';
import { residentMiB } from '../lib/process-usage.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';

const CALLBACKS = 200;
const WHILE = 3;
/** Earlier rounds, so that the code for a connection is compiled: about a thousand connections. */
const BEFORE = 2;
/** How long the issuer is observed after the clients have left, in milliseconds. */
const AFTERWARDS = 2_000;

/**
 * 200 browsers come back from an issuer that does not answer, each from its own address and twice at once, and leave
 * after 3 s.
 */
export const returningBrowsers: HostileLoad = {
  rounds: 5,
  measure: async (start) => {
    const issuer = await SlowIssuer.listen();
    try {
      const server = await start({
        PINFOLD_TRUST_PROXY: '1',
        PINFOLD_OIDC_ISSUER: issuer.url,
        PINFOLD_OIDC_CLIENT_ID: 'bench',
        PINFOLD_OIDC_CLIENT_SECRET: 'of this bench alone',
      });
      const { pid, port } = server;
      const small = await server.publish(zipOf(smallPages(2)));
      const coming = async () => {
        const returns = await begun(server);
        const quiet = await othersP99(port, small, WHILE);
        const before = residentMiB(pid);
        const browsers = await sayAndTakeNothing(port, ...returns, ...returns);
        const during = await othersP99(port, small, WHILE);
        const resident = residentMiB(pid) - before;
        for (const browser of browsers) browser.destroy();
        await pause(AFTERWARDS);
        return { quiet, during, resident };
      };
      await quietP99(port, small, WHILE);
      const first = await coming();
      for (let times = 1; times < BEFORE; times += 1) await coming();
      const { quiet, during, resident } = await coming();
      return findings(
        `${CALLBACKS} browsers that come back, twice each, to a slow issuer`,
        ["others' p99", during / quiet, '× quiet', 5],
        ["others' p99", during, 'ms'],
        ["others' p99 in a new process", first.during, 'ms'],
        ['memory', resident, 'MiB more', 256],
        ['exchanges at a time', issuer.open.max, '', 8],
        ['exchanges after they left', issuer.open.now, '', 0],
        ['exchanges in all', issuer.tokens.length, '', CALLBACKS],
      );
    } finally {
      await issuer.close();
    }
  },
};

/** The requests of returning browsers, one each. */
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
