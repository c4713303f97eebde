import { Agent, request as httpRequest } from 'node:http';
import { startHostileServer } from '../lib/hostile-server.ts';
import { othersView, p99 } from '../lib/others.ts';
import { peakMiB, residentMiB } from '../lib/process-figures.ts';
import { type Site, smallPages, zipOf } from '../lib/sites.ts';
import type { HostileLoad } from './hostile-load.ts';
import type { UploadTarget } from './uploads.ts';

const CONNECTIONS = 8;
const FILES = 499;
const EVENTS = 60;
const WHILE = 6;
/** Seconds of views before: V8 looks through a new process once more when it is 8 s old, which is not the load's. */
const SETTLING = 8;

/** One account that asks for the costliest pages of the screen on 8 connections, as fast as they are answered. */
export const costlyPages: HostileLoad = {
  rounds: 5,
  measure: async (checkout) => {
    const server = await startHostileServer(checkout);
    try {
      const { pid, port } = server;
      const small = await server.publish(zipOf(smallPages(2)));
      const large = await server.publish(zipOf(longNames()));
      const person = await signIn(await server.publisherOf('default', 'manage'));
      const path = `/manage/publications/${large.split('.')[0]}`;
      for (let n = 0; n < EVENTS; n += 1) await person.post(`${path}/${n % 2 === 0 ? 'pin' : 'unpin'}`);
      await othersView(port, small, SETTLING);
      const quiet = p99(await othersView(port, small, WHILE));
      const before = residentMiB(pid);
      const end = performance.now() + WHILE * 1_000;
      let pages = 0;
      const ask = async (): Promise<void> => {
        while (performance.now() < end) {
          await person.get(pages % 2 === 0 ? path : '/manage/history');
          pages += 1;
        }
      };
      const attacked = Promise.all(Array.from({ length: CONNECTIONS }, ask));
      const during = othersView(port, small, WHILE);
      const peak = await peakMiB(pid, attacked);
      const views = p99(await during);
      person.leave();
      const what = `costly pages of the screen, asked for on ${CONNECTIONS} connections`;
      return [
        { what: `${what}: others' p99`, figure: views / quiet, unit: '× quiet', goal: { atMost: 5 } },
        { what: `${what}: others' p99`, figure: views, unit: 'ms' },
        {
          what: `${what}: memory at its peak`,
          figure: peak - before,
          unit: 'MiB more',
          goal: { atMost: 256 },
        },
        { what: `${what}: answered`, figure: pages / WHILE, unit: 'a second' },
      ];
    } finally {
      await server.end();
    }
  },
};

/** Files whose names are as long as may be, of a character that is five in markup. */
function longNames(): Site {
  const nothing = new Uint8Array(new ArrayBuffer(0));
  const names = Array.from({ length: FILES }, (_, n) => `${n}${"'".repeat(947)}`);
  return { ...smallPages(1), ...Object.fromEntries(names.map((name) => [name, nothing])) };
}

/** Somebody at the screen. */
interface ScreenPerson {
  get(path: string): Promise<string>;
  post(path: string, fields?: Readonly<Record<string, string>>): Promise<void>;
  leave(): void;
}

/** Signs in to the screen with the publisher's key. */
async function signIn({ port, authorization = '' }: UploadTarget): Promise<ScreenPerson> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const cookies = new Map<string, string>();
  let form = '';
  const ask = (path: string, body?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
      const headers = { host: `localhost:${port}`, cookie, ...type };
      const method = body === undefined ? 'GET' : 'POST';
      const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          if (/max-age=0/i.test(line)) cookies.delete(name);
          else cookies.set(name, value);
        }
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk)).once('error', reject);
        answer.once('end', () => {
          const expected = body === undefined ? 200 : 303;
          if (answer.statusCode === expected) resolve(Buffer.concat(chunks).toString());
          else reject(new Error(`${path}: ${answer.statusCode}`));
        });
      });
      request.once('error', reject).end(body);
    });
  const person: ScreenPerson = {
    get: (path) => ask(path),
    post: async (path, fields = {}) => {
      await ask(path, new URLSearchParams({ form, ...fields }).toString());
    },
    leave: () => agent.destroy(),
  };
  const formOf = (text: string) => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  form = formOf(await ask('/manage/sign-in'));
  await person.post('/manage/sign-in', { key: authorization.replace('Bearer ', '') });
  form = formOf(await ask('/manage/'));
  return person;
}
