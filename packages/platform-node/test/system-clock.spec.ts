import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SystemClock } from '@pinfold/platform-node';
import { expect } from 'chai';

const run = promisify(execFile);
const clock = new URL('../src/system-clock.ts', import.meta.url).href;

describe('SystemClock', () => {
  it('returns the time of the host', () => {
    const before = Date.now();
    const now = new SystemClock().now();
    expect(now).to.be.within(before, Date.now());
  });

  it('keeps the process alive during a sleep, and no longer', async () => {
    const script = `
      const { SystemClock } = await import(${JSON.stringify(clock)});
      const controller = new AbortController();
      const long = new SystemClock().sleep(1_000_000_000, controller.signal);
      await new SystemClock().sleep(5);
      controller.abort('aborted');
      process.stdout.write(await long.catch(String));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).to.equal('aborted');
  });
});
