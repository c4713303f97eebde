import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { readServerFile, type ServerFile } from '../../src/server/machine-access.ts';
import { inheritedEnv } from '../command-run.ts';
import { list, publish } from '../servers/api-calls.ts';
import { programOf } from '../servers/child-server.ts';
import { newFolder } from '../servers/new-folder.ts';
import { newPipe } from '../servers/new-pipe.ts';

const { text: apiKey } = new NodeApiKeySecrets().mint();

/** More lines than a pipe or socket buffers. */
const REQUESTS = 3_200;
const CONCURRENCY = 16;

type Output = 'pipe' | 'socket';

interface Server {
  readonly process: ChildProcess;
  readonly output: Readable;
}

function envOf(folder: string, workers: number): NodeJS.ProcessEnv {
  return {
    ...inheritedEnv(),
    PINFOLD_PORT: '0',
    PINFOLD_DATA_DIR: join(folder, 'data'),
    PINFOLD_API_KEY: apiKey,
    PINFOLD_WORKERS: String(workers),
  };
}

/** Runs a script whose standard output is a pipe, like a shell's, or a socket, like systemd's. */
function run(script: string, output: Output, folder: string, workers: number): Server {
  const env = envOf(folder, workers);
  const program = programOf(script);
  if (output === 'socket') {
    const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return { process: child, output: child.stdout };
  }
  const { read, write } = newPipe();
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', write, 'inherit'] });
  closeSync(write);
  return { process: child, output: new Socket({ fd: read, writable: false }) };
}

/** Reads until all processes of the server answer, and no further. */
async function readUntilAnswered(output: Readable, workers: number): Promise<string> {
  let text = '';
  const { promise, resolve } = Promise.withResolvers<string>();
  const read = (chunk: Buffer): void => {
    text += chunk;
    const url = /"url":"([^"]+)".*"listening/.exec(text)?.[1];
    if (url === undefined || (workers > 1 && text.split('a worker is ready').length <= workers)) return;
    output.off('data', read).pause();
    resolve(url);
  };
  output.on('data', read);
  return promise;
}

async function statusOf(url: string, agent?: Agent): Promise<number> {
  const outgoing = get(url.replace('localhost', '127.0.0.1'), { ...(agent === undefined ? {} : { agent }) });
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

/** Uses many connections, so that every process gets some. */
async function sendManyRequests(url: string): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  const sendRequests = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; n < REQUESTS / CONCURRENCY; n += 1) statuses.add(await statusOf(`${url}/`, agent));
    agent.destroy();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendRequests));
  return statuses;
}

describe('a server whose log reader is alive but reads nothing', () => {
  let folder: string;
  let server: Server | undefined;

  beforeEach(() => {
    folder = newFolder();
  });

  afterEach(async () => {
    server?.process.kill('SIGKILL');
    server?.output.destroy();
    server = undefined;
  });

  for (const output of ['pipe', 'socket'] as const) {
    it(`continues to answer, and ends when it is stopped: two processes at a ${output}`, async () => {
      server = run('serve.ts', output, folder, 2);
      const exited = once(server.process, 'exit');
      const url = await readUntilAnswered(server.output, 2);
      expect(await sendManyRequests(url)).to.deep.equal(new Set([200]));
      for (let n = 0; n < 4; n += 1) expect((await publish(url, apiKey, `key ${n}`)).status).to.equal(201);
      expect(await list(url, apiKey)).to.have.length(5);
      server.process.kill('SIGTERM');
      const [code, signal] = await exited;
      // Several processes at one socket can make each other's writes block; then only the signal itself ends them.
      if (output === 'pipe') expect([code, signal]).to.deep.equal([0, null]);
      else expect([0, 'SIGTERM']).to.include(code ?? signal);
    });
  }

  it('ends inside a program that does not use its output', async () => {
    server = run('serve-embedded.ts', 'socket', folder, 1);
    const exited = once(server.process, 'exit');
    const url = await readUntilAnswered(server.output, 1);
    expect(await sendManyRequests(url)).to.deep.equal(new Set([200]));
    server.process.kill('SIGTERM');
    expect(await exited).to.deep.equal([0, null]);
  });
});

describe('a start whose output cannot be written', () => {
  /** Starts a server, checks that it answers, and ends it. */
  async function startWith(output: number, workers: number): Promise<void> {
    const folder = newFolder();
    const stdio = ['ignore', output, 'inherit'] as const;
    const child = spawn(process.execPath, programOf('serve.ts'), {
      env: envOf(folder, workers),
      stdio: [...stdio],
    });
    closeSync(output);
    const exited = once(child, 'exit');
    let server: ServerFile | undefined;
    while (server === undefined && child.exitCode === null) {
      await setTimeout(20);
      server = await readServerFile(join(folder, 'data'));
    }
    expect((await fetch(`${server?.address}/livez`)).status).to.equal(200);
    child.kill('SIGTERM');
    expect(await exited).to.deep.equal([0, null]);
  }

  it('serves although the reader has left: two processes', () => {
    const { read, write } = newPipe();
    closeSync(read);
    return startWith(write, 2);
  });

  // Only Linux has a disk that is always full.
  if (process.platform === 'linux')
    it('serves although the disk is full', () => startWith(openSync('/dev/full', 'w'), 1));
});
