import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';

/** Writes far more than a pipe takes, and ends when it is told to. */
const PROGRAM = `
import { openLog } from ${JSON.stringify(join(import.meta.dirname, '../../src/server/log.ts'))};
const log = openLog('info');
for (let n = 0; n < 20_000; n += 1) log.info('a line that nobody reads', { n });
process.stdin.once('data', async () => {
  log.info('the last one');
  await log.flush();
  process.exit(0);
});
process.stderr.write('ready');
`;

function start() {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
}

describe('a log that is written to a pipe', function () {
  this.timeout(30_000);

  it('is there to its last line when the program ends', async () => {
    const program = start();
    const lines: string[] = [];
    program.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    program.stdin.end('end');
    await once(program, 'close');
    expect(program.exitCode).to.equal(0);
    expect(lines.join('').trimEnd().split('\n')).to.have.length(20_001);
  });

  it('keeps no program from ending whose reader has gone', async () => {
    const program = start();
    await once(program.stderr, 'data');
    program.stdout.destroy();
    program.stdin.end('end');
    expect(await once(program, 'exit')).to.deep.equal([0, null]);
  });
});
