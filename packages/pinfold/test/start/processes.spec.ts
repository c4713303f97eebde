import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { archivePart, multipart, openRawConnection } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { waitForSignal } from '../../src/start/run-until-stopped.ts';
import { callApi, list, publish, sendLines } from '../servers/api-calls.ts';
import { type ChildServer, startChild } from '../servers/child-server.ts';
import { newFolder } from '../servers/new-folder.ts';

const anyKey = /pf_[0-9A-Za-z]+_[0-9A-Za-z]{43}/;

describe('the server as a process', () => {
  let folder: string;

  beforeEach(() => {
    folder = newFolder();
  });

  const start = (env: Readonly<Record<string, string>> = {}): ChildServer =>
    startChild({ PINFOLD_DATA_DIR: folder, ...env });

  it('shows the key only on the very first start, and only on standard output', async () => {
    const first = start();
    let errors = '';
    first.process.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const [key] = await first.untilOutput(anyKey);
    first.process.kill('SIGTERM');
    expect(await first.ended()).to.deep.equal([0, null]);
    expect(errors).to.equal('');
    const second = start();
    expect(await list(await second.url(), key)).to.have.length(1);
    second.process.kill('SIGTERM');
    await second.ended();
    expect(second.output()).not.to.match(anyKey);
  });

  it('gives requests a higher priority than garbage collection on a single core', async function () {
    const bindTo = (cores: string) => spawnSync('taskset', ['-c', '-p', cores, String(process.pid)]);
    const [, cores] =
      /: (\S+)/.exec(String(spawnSync('taskset', ['-c', '-p', String(process.pid)]).stdout)) ?? [];
    // Only Linux binds a process to a core, and Node 22 does not name its threads.
    if (cores === undefined || Number.parseInt(process.versions.node, 10) < 24) this.skip();
    bindTo(/^\d+/.exec(cores)?.[0] ?? '');
    const server = start();
    bindTo(cores);
    await server.url();
    const threads = `/proc/${server.process.pid}/task`;
    const nicenessOf = (collects: boolean) =>
      readdirSync(threads)
        .filter((id) => readFileSync(`${threads}/${id}/comm`, 'utf8').includes('V8Worker') === collects)
        .map((id) => getPriority(Number(id)));
    expect(nicenessOf(true)).not.to.be.empty;
    expect(Math.min(...nicenessOf(true))).to.be.greaterThan(getPriority(server.process.pid));
    expect(new Set(nicenessOf(false))).to.deep.equal(new Set([getPriority(server.process.pid)]));
  });

  it('ends immediately when it is stopped while it starts', async () => {
    const child = startChild({}, 'serve-after-a-wait.ts');
    await child.untilOutput(/^waiting$/m);
    child.process.kill('SIGTERM');
    expect(await child.ended()).to.deep.equal([0, null]);
  });

  for (const workers of ['1', '2']) {
    it(`drains before it ends, with ${workers} workers: is not ready, but answers new connections`, async () => {
      const env = { PINFOLD_WORKERS: workers, PINFOLD_WELCOME: 'off', PINFOLD_DRAIN_SECONDS: '5' };
      const server = start(env);
      const url = await server.url();
      if (workers === '2') await server.untilOutput(/(?:"a worker is ready"[\s\S]*){2}/);
      server.process.kill('SIGTERM');
      const answers: string[] = [];
      // Each over a separate connection, until none is accepted any more.
      const statusOf = async (path: string): Promise<string> => {
        const { status } = await sendLines(
          url,
          `GET ${path} HTTP/1.1`,
          'Host: localhost',
          'Connection: close',
        );
        return `${path} ${status}`;
      };
      while (!answers.includes('/readyz 503')) answers.push(await statusOf('/readyz'));
      for (let turn = 0; turn < 3; turn += 1)
        answers.push(await statusOf('/'), await statusOf('/livez'), await statusOf('/healthz'));
      expect(new Set(answers.filter((answer) => !answer.startsWith('/readyz')))).to.deep.equal(
        new Set(['/ 200', '/livez 200', '/healthz 200']),
      );
      expect(server.output()).to.include('"stopping: draining for 5 s"');
      expect(await server.ended()).to.deep.equal([0, null]);
      expect(server.output().match(/"stopping|"stopped"/g)).to.deep.equal(['"stopping', '"stopped"']);
      const error = await statusOf('/').catch((reason: unknown) => reason);
      expect(error).to.have.property('code', 'ECONNREFUSED');
    });
  }

  it('leaves no file of a stalled upload when it is stopped', async () => {
    const { text } = new NodeApiKeySecrets().mint();
    const server = start({ PINFOLD_API_KEY: text, PINFOLD_WELCOME: 'off' });
    const { contentType, body } = multipart([archivePart(new Uint8Array(400_000))]);
    const connection = await openRawConnection(await server.url());
    const head = [
      'POST /api/v1/pins HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${text}`,
      'Idempotency-Key: stalled',
      `Content-Type: ${contentType}`,
      `Content-Length: ${body.byteLength}`,
      '\r\n',
    ];
    await connection.send(head.join('\r\n'));
    await connection.send(body.subarray(0, 200_000));
    const stagedFiles = () => readdir(join(folder, 'staging'));
    while ((await stagedFiles()).length === 0);
    server.process.kill('SIGTERM');
    expect(await server.ended()).to.deep.equal([0, null]);
    expect(await stagedFiles()).to.deep.equal([]);
  });

  for (const workers of ['1', '2']) {
    it(`loses no accepted request when it is stopped, with ${workers} workers`, () => stopUnderLoad(workers));
  }

  async function stopUnderLoad(workers: string): Promise<void> {
    const { text } = new NodeApiKeySecrets().mint();
    const server = start({ PINFOLD_API_KEY: text, PINFOLD_WELCOME: 'off', PINFOLD_WORKERS: workers });
    const url = await server.url();
    const outcomes: string[] = [];
    let stopped = false;
    const client = async (name: number): Promise<void> => {
      for (let turn = 0; !stopped || turn === 0; turn += 1) {
        const outcome = await publish(url, text, `load ${name} ${turn}`).then(
          async (answer) => `${answer.status} ${((await answer.json()) as { pin?: { id: string } }).pin?.id}`,
          (error: Error) => errorCodeOf(error),
        );
        outcomes.push(outcome);
        if (!outcome.startsWith('201')) return;
        if (outcomes.length === 24) server.process.kill('SIGTERM');
      }
    };
    const clients = Array.from({ length: 8 }, (_, name) => client(name));
    await server.ended().then(() => {
      stopped = true;
    });
    await Promise.all(clients);
    expect(await server.ended()).to.deep.equal([0, null]);
    const published = outcomes.filter((outcome) => outcome.startsWith('201'));
    expect(published.length).to.be.at.least(24);
    // A client that connects while the port closes may still be queued by the system, which then resets it; and a client
    // that pauses for half a second may find an idle connection closed. These requests never reached the server.
    const refusals = new Set(outcomes.filter((outcome) => !outcome.startsWith('201')));
    const connectionErrors = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
    expect(connectionErrors).to.include.members([...refusals]);
    expect(listAcceptedPublications(server.output())).to.have.members(published);
    const again = await start({ PINFOLD_API_KEY: text }).url();
    for (const outcome of published) {
      const path = `/api/v1/pins/${outcome.slice('201 '.length)}`;
      expect((await callApi(again, text, 'GET', path)).status).to.equal(200);
    }
  }
});

/** The server's data of accepted publications: status and role. */
function listAcceptedPublications(output: string): readonly string[] {
  return output.split('\n').flatMap((line) => {
    if (!line.includes('"method":"POST","route":"/api/v1/pins"')) return [];
    const { status, role } = JSON.parse(line) as { readonly status: number; readonly role?: string };
    return [`${status} ${role}`];
  });
}

function errorCodeOf({ cause }: Error): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}

describe('signals to a process', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    it(`stop it, and have no effect when they are repeated: ${signal}`, async () => {
      const source = new EventEmitter();
      const received = waitForSignal(source);
      source.emit(signal);
      source.emit(signal);
      expect(await received).to.equal(undefined);
    });
  }
});
