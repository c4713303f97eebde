import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

describe('The example of many nodes', () => {
  let folder: string;
  let shown: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-example-'));
    // PostgreSQL runs as another user if this is root.
    await chmod(folder, 0o711);
    shown = '';
  });

  afterEach(() => rm(folder, { recursive: true }));

  function start(): ChildProcessWithoutNullStreams {
    const file = join(import.meta.dirname, 'show.ts');
    const flags = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'];
    const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: folder };
    // In a group of its own, as a terminal would have it.
    const child = spawn(process.execPath, [...flags, file], { env, detached: true });
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk: Buffer) => {
        shown += chunk;
      });
    }
    return child;
  }

  async function expectNothingLeft(): Promise<void> {
    expect(await readdir(folder)).to.deep.equal([]);
    for (const [, pid] of shown.matchAll(/process (\d+)/g)) expect(isRunning(Number(pid))).to.equal(false);
  }

  it('shows that nothing is lost, and stops all processes', async () => {
    const child = start();
    expect(await once(child, 'close'), shown).to.deep.equal([0, null]);
    expect(shown.match(/process \d+/g)).to.have.length(5);
    await expectNothingLeft();
  });

  it('stops all processes on Ctrl-C', async () => {
    const child = start();
    while (!/process \d+/.test(shown)) await once(child.stdout, 'data');
    // In the same group, a node could receive the signal before this process, and would seem to have failed to start.
    const [, node] = shown.match(/process (\d+)/) ?? [];
    expect(isRunning(-Number(node)), 'a group of its own').to.equal(true);
    const ended = once(child, 'close');
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await ended, shown).to.deep.equal([130, null]);
    await expectNothingLeft();
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
