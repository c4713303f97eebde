import { setTimeout as pause } from 'node:timers/promises';
import { startHostileServer } from '../lib/hostile-server.ts';
import { othersView, p99 } from '../lib/others.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import type { HostileLoad } from './hostile-load.ts';

const KEYS = 5_000;
/** As many as an account may have. */
const LIMIT = 100;
const PAGES_AT_ONCE = 10;
const SECONDS = 10;
/** An answer that does not come counts as none. */
const PATIENCE = 30_000;
/** With signs that a page has to write as six each. */
const LABEL = '"'.repeat(40);

/** An account makes as many keys as it can, then asks for its page of keys ten times at once, over and over. */
export const manyKeys: HostileLoad = {
  rounds: 3,
  measure: async (checkout) => {
    const server = await startHostileServer(checkout);
    try {
      const host = await server.publish(zipOf(smallPages(2)));
      const { authorization = '' } = await server.publisherOf('hostile', 'manage');
      const person = await signIn(server.port, authorization.replace('Bearer ', ''));
      const quiet = p99(await othersView(server.port, host, SECONDS));
      const before = await server.heldMiB();
      const made = await makeKeys(person);
      let ended = false;
      const attackers = Array.from({ length: PAGES_AT_ONCE }, async () => {
        while (!ended) await person.get('/keys');
      });
      const busy = p99(await othersView(server.port, host, SECONDS));
      const held = (await server.heldMiB()) - before;
      ended = true;
      await Promise.race([Promise.all(attackers), pause(PATIENCE, undefined, { ref: false })]);
      const bytes = (await person.get('/keys')).length;
      const what = `${KEYS} keys wanted by one account`;
      const beside = `${what}, ${PAGES_AT_ONCE} of its pages at once`;
      return [
        { what: `${what}: keys that it got`, figure: made, unit: 'keys', goal: { atMost: LIMIT } },
        { what: `${what}: its page of keys`, figure: bytes / 1_024, unit: 'KiB' },
        { what: `${beside}: others' p99`, figure: busy / quiet, unit: '× quiet', goal: { atMost: 5 } },
        { what: `${beside}: others' p99, in time`, figure: busy, unit: 'ms' },
        { what: `${beside}: memory`, figure: held, unit: 'MiB', goal: { atMost: 256 } },
      ];
    } finally {
      await server.end();
    }
  },
};

/** Somebody who is signed in to the management screen. */
interface Person {
  /** The page at a path. */
  get(path: string): Promise<string>;
  /** Sends a form of a page; answers the status. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<number>;
}

async function signIn(port: number, key: string): Promise<Person> {
  const url = `http://localhost:${port}/manage`;
  const cookies = new Map<string, string>();
  const ask = async (path: string, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${url}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { cookie },
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  const get = async (path: string): Promise<string> => await (await ask(path)).text();
  const post = async (path: string, fields: Readonly<Record<string, string>>): Promise<number> => {
    const answer = await ask(path, new URLSearchParams(fields));
    await answer.arrayBuffer();
    return answer.status;
  };
  const status = await post('/sign-in', { form: formTokenIn(await get('/sign-in')), key });
  if (status !== 303) throw new Error(`signing in: ${status}`);
  return { get, post };
}

/** Asks for keys until one is refused, or there are as many as were wanted; answers how many were made. */
async function makeKeys({ get, post }: Person): Promise<number> {
  const form = formTokenIn(await get('/'));
  let made = 0;
  while (made < KEYS && (await post('/keys', { form, label: LABEL, scope: 'pins:read' })) === 200) made += 1;
  return made;
}

function formTokenIn(page: string): string {
  const [, token] = /name="form" value="([^"]+)"/.exec(page) ?? [];
  if (token === undefined) throw new Error('a page has no form');
  return token;
}
