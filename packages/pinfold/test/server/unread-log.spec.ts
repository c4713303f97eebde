import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { newFolder } from '../servers/new-folder.ts';
import { newPipe } from '../servers/new-pipe.ts';

const quotedPath = (path: string): string => JSON.stringify(join(import.meta.dirname, '../../src', path));

/** Writes far more than the buffer of a pipe, and ends on a message. */
const program = (lines: number, before: string = ''): string => `
import { spawnSync } from 'node:child_process';
import { openLog } from ${quotedPath('server/log.ts')};
import { endAtOnce } from ${quotedPath('start/run-until-stopped.ts')};
const log = openLog('info');
${before}
for (let n = 0; n < ${lines}; n += 1) log.info('a line that nobody reads', { n });
process.stdin.once('data', async () => {
  log.info('the last one');
  await log.flush();
  if (log.isStuck) endAtOnce();
  process.exit(0);
});
process.stderr.write('ready');
`;

const FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-gc', '--input-type=module', '--eval'];

function start(source: string = program(20_000)) {
  return spawn(process.execPath, [...FLAGS, source], { stdio: ['pipe', 'pipe', 'pipe'] });
}

describe('a log that is written to a pipe', () => {
  it('is complete when the program ends', async () => {
    const child = start();
    const ended = once(child, 'exit');
    child.stdin.end('end');
    expect(linesOf(await text(child.stdout))).to.have.length(20_001);
    expect(await ended).to.deep.equal([0, null]);
  });

  it('is complete and in order when the program crashes', async () => {
    const child = start(`${program(20_000)} throw new Error('a bug');`);
    const lines = linesOf(await text(child.stdout)).map((line): number => JSON.parse(line).n);
    expect(lines).to.deep.equal(Array.from({ length: 20_000 }, (_, n) => n));
  });

  it('uses no more memory than its lines while no one reads them, even if each is urgent', async () => {
    const failing = `
for (let n = 0; n < 5_000; n += 1) {
  log.error('a line that nobody reads', new Error('away'));
  // Meanwhile other code uses Node's buffer pool.
  Buffer.from('x'.repeat(30_000));
}
globalThis.gc();
process.stderr.write(\`\${process.memoryUsage().arrayBuffers} bytes, \`);`;
    const child = start(program(0, failing));
    const [memoryText] = await once(child.stderr, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(Number.parseInt(String(memoryText), 10)).to.be.within(1, 2 * 8 * 1_048_576);
  });

  // On other systems a pipe cannot be reopened as non-blocking.
  if (process.platform === 'linux')
    it('is complete when the program crashes while the pipe is almost full', async () => {
      const crashing = `
import { openLog } from ${quotedPath('server/log.ts')};
const log = openLog('info');
const line = 'a line of a hundred characters '.padEnd(100, '.');
for (let n = 0; n < 350; n += 1) log.info(line, { n });
await log.flush();
for (let n = 350; n < 550; n += 1) log.info(line, { n });
log.error('the crash');
process.stderr.write('ready');
throw new Error('a bug');`;
      const { read, write } = newPipe();
      const child = spawn(process.execPath, [...FLAGS, crashing], { stdio: ['ignore', write, 'pipe'] });
      closeSync(write);
      await once(child.stderr as Readable, 'data');
      const output = await text(new Socket({ fd: read, writable: false }));
      const lines = linesOf(output).map((line) => JSON.parse(line));
      expect(lines.map(({ n }) => n)).to.deep.equal([...Array(550).keys(), undefined]);
    });

  // On other systems writes are asynchronous, one in a turn of the event loop.
  if (process.platform === 'linux')
    it('is written in few batches once it is read again, even if each line is urgent', async () => {
      const failing = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { writeSync } = fs;
let [isFull, writes] = [true, 0];
fs.writeSync = (...given) => {
  if (isFull) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
  writes += 1;
  return writeSync(...given);
};
syncBuiltinESMExports();
for (let n = 0; n < 2_000; n += 1) log.error('a line that waits');
isFull = false;
await log.flush();
process.stderr.write(\`\${writes} writes, \`);`;
      const { read, write } = newPipe();
      const source = [...FLAGS, program(0, failing)];
      const child = spawn(process.execPath, source, { stdio: ['pipe', write, 'pipe'] });
      closeSync(write);
      const output = text(new Socket({ fd: read, writable: false }));
      const [counted] = await once(child.stderr as Readable, 'data');
      child.stdin?.end('end');
      expect(linesOf(await output)).to.have.length(2_001);
      expect(Number.parseInt(String(counted), 10)).to.be.within(1, 100);
    });

  it('is held in memory up to a limit while no one reads it, and then reports the number of lost lines', async () => {
    const child = start(program(200_000));
    await once(child.stderr, 'data');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (read: string) => {
      output += read;
      // Also if its line arrived in two pieces.
      if (output.slice(-read.length - 100).includes('were lost') && child.stdin.writable)
        child.stdin.end('end');
    });
    await once(child, 'close');
    const losses = linesOf(output).filter((line) => line.includes('were lost'));
    const { lines } = JSON.parse(losses.join(''));
    expect(linesOf(output)).to.have.length(200_000 - lines + 2);
    expect(lines).to.be.greaterThan(0);
    expect(Buffer.byteLength(output)).to.be.within(8 * 1024 * 1024, 9 * 1024 * 1024);
  });

  it('continues when a full disk has room again, even beyond its limit', async () => {
    const fullDisk = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { write } = fs;
const replace = (other) => {
  fs.write = other;
  syncBuiltinESMExports();
};
replace((...given) => setImmediate(given.at(-1), Object.assign(new Error('no space'), { code: 'ENOSPC' })));
for (let n = 0; n < 200_000; n += 1) log.info('a line that nobody reads', { n });
setTimeout(() => {
  replace(write);
  log.info('again');
}, 100);
`;
    const child = start(program(0, fullDisk));
    let output = '';
    for await (const read of child.stdout.setEncoding('utf8')) {
      output += read;
      if (output.includes('were lost')) break;
    }
    child.stdin.end('end');
    expect(output).to.include('were lost');
  });

  for (const reader of ['has left', 'takes nothing'])
    it(`does not keep a program alive if its reader ${reader}`, async () => {
      const child = start();
      await once(child.stderr, 'data');
      if (reader === 'has left') child.stdout.destroy();
      child.stdin.end('end');
      expect(await once(child, 'exit')).to.deep.equal([0, null]);
    });

  describe('whose writes another process has made blocking', () => {
    const source = program(20_000, `spawnSync('true', { stdio: 'inherit' });`);

    it('does not keep a program alive: it reopens a pipe, if the system allows it', async () => {
      const { read, write } = newPipe();
      const child = spawn(process.execPath, [...FLAGS, source], { stdio: ['pipe', write, 'ignore'] });
      closeSync(write);
      child.stdin?.end('end');
      const ended = process.platform === 'linux' ? [0, null] : [null, 'SIGTERM'];
      expect(await once(child, 'exit')).to.deep.equal(ended);
      closeSync(read);
    });

    it('does not keep a program alive: at a socket, the program signals itself', async () => {
      const child = start(source);
      child.stdin.end('end');
      expect(await once(child, 'exit')).to.deep.equal([null, 'SIGTERM']);
    });
  });

  it('does not delay the crash of a program if its reader takes nothing', async () => {
    const child = start(`${program(20_000)} throw new Error('a bug');`);
    expect(await once(child, 'exit')).to.deep.equal([1, null]);
  });

  it('does not delay the crash of a program if its reader has left', async () => {
    const child = start(`
      import { once } from 'node:events';
      process.stderr.write('ready');
      await once(process.stdin, 'data');
      ${program(100)} throw new Error('a bug');`);
    await once(child.stderr, 'data');
    child.stdout.destroy();
    child.stdin.end('go on');
    expect(await once(child, 'exit')).to.deep.equal([1, null]);
  });
});

describe('a log that is written to a file', () => {
  const crashing = `${program(100)} throw new Error('a bug');`;

  async function breakWith(path: string): Promise<void> {
    const file = openSync(path, 'w');
    const child = spawn(process.execPath, [...FLAGS, crashing], { stdio: ['pipe', file, 'ignore'] });
    closeSync(file);
    expect(await once(child, 'exit')).to.deep.equal([1, null]);
  }

  it('is complete when the program crashes', async () => {
    const file = join(newFolder(), 'log');
    await breakWith(file);
    expect(linesOf(await readFile(file, 'utf8'))).to.have.length(100);
  });

  // Only Linux has a disk that is always full.
  if (process.platform === 'linux')
    it('does not delay the crash of a program if the disk is full', () => breakWith('/dev/full'));
});

function linesOf(output: string): readonly string[] {
  return output.trimEnd().split('\n');
}
