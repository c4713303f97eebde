import { setTimeout as pause } from 'node:timers/promises';
import { othersP99, quietP99 } from '../lib/others.ts';
import { type Person, signIn } from '../lib/person.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';

const KEYS = 5_000;
/** As many as an account may have. */
const LIMIT = 100;
const PAGES_AT_ONCE = 10;
const SECONDS = 10;
/** A missing answer does not count. */
const MAX_WAIT = 30_000;
/** With characters that a page must write as six each. */
const LABEL = '"'.repeat(40);

/** An account creates as many keys as it can, then requests its page of keys ten times at once, over and over. */
export const manyKeys: HostileLoad = {
  rounds: 3,
  measure: async (start) => {
    const server = await start();
    const { port } = server;
    const host = await server.publish(zipOf(smallPages(2)));
    const { key } = await server.publisherOf('hostile', 'manage');
    const person = await signIn(port, { key });
    const quiet = await quietP99(port, host, SECONDS);
    const before = await server.heldMiB();
    const made = await makeKeys(person);
    let ended = false;
    const attackers = Array.from({ length: PAGES_AT_ONCE }, async () => {
      while (!ended) await person.drop('/keys');
    });
    const busy = await othersP99(port, host, SECONDS);
    const held = (await server.heldMiB()) - before;
    ended = true;
    await Promise.race([Promise.all(attackers), pause(MAX_WAIT, undefined, { ref: false })]);
    const bytes = (await person.get('/keys')).raw.length;
    const what = `${KEYS} keys wanted by one account`;
    return [
      ...findings(
        what,
        ['keys that it got', made, 'keys', LIMIT],
        ['its page of keys', bytes / 1_024, 'KiB'],
      ),
      ...findings(
        `${what}, ${PAGES_AT_ONCE} of its pages at once`,
        ["others' p99", busy / quiet, '× quiet', 5],
        ["others' p99, in time", busy, 'ms'],
        ['memory', held, 'MiB', 256],
      ),
    ];
  },
};

/** Creates keys until one is refused, or enough exist; returns how many were created. */
async function makeKeys({ post }: Person): Promise<number> {
  let made = 0;
  while (made < KEYS && (await post('/keys', { label: LABEL, scope: 'pins:read' })).status === 200) made += 1;
  return made;
}
