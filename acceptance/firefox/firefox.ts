// Debian's Firefox by WebDriver BiDi (W3C), which it speaks itself. Run by hand: docs/testing.md.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Firefox {
  /** The folder that it saves downloads in. */
  readonly downloads: string;
  open(url: string): Promise<void>;
  /** Evaluates an expression, or awaits a promise, whose value is a text or a number. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly type: string;
  readonly result: { readonly context: string; readonly result: { readonly value?: unknown } };
}

export async function openFirefox(executable: string): Promise<Firefox> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-firefox-'));
  const downloads = join(folder, 'downloads');
  const settings = {
    'browser.download.folderList': 2,
    'browser.download.dir': downloads,
    'browser.download.useDownloadDir': true,
    'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
  };
  const lines = Object.entries(settings).map(
    (pair) => `user_pref(${pair.map((part) => JSON.stringify(part)).join()});`,
  );
  await writeFile(join(folder, 'user.js'), lines.join('\n'));
  const child = spawn(executable, ['--headless', '--remote-debugging-port', '0', '--profile', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const socket = new WebSocket(`${await addressIn(child.stderr)}/session`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  };
  let last = 0;
  const send = async (method: string, params: object): Promise<Answer['result']> => {
    last += 1;
    const id = last;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await answered;
    if (answer.type !== 'success') throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
  await send('session.new', { capabilities: {} });
  const { context } = await send('browsingContext.create', { type: 'tab' });
  return {
    downloads,
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async (expression) => {
      const params = { expression, target: { context }, awaitPromise: true, userActivation: true };
      return (await send('script.evaluate', params)).result.value;
    },
    close: async () => {
      socket.close();
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('Firefox ended before it could be reached');
}
