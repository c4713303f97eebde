import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { NodeMachine } from '@pinfold/platform-node';
import { expect } from 'chai';

const run = promisify(execFile);
const machine = new URL('../src/node-machine.ts', import.meta.url).href;

describe('NodeMachine', () => {
  it('has the same boot id in every process, and a growing uptime, however the clock is set', async () => {
    const script = `Date.now = () => 0;
      const { NodeMachine } = await import(${JSON.stringify(machine)});
      console.log(JSON.stringify(new NodeMachine().uptime()));`;
    const before = new NodeMachine().uptime();
    await pause(1_000);
    const { stdout } = await run(process.execPath, [
      '--conditions=@pinfold/source',
      '--input-type=module',
      '-e',
      script,
    ]);
    const other = JSON.parse(stdout) as typeof before;
    expect(other.boot).to.equal(before.boot).and.not.equal('');
    expect(other.elapsed).to.be.greaterThan(before.elapsed);
    expect(new NodeMachine().uptime().elapsed).to.be.at.least(other.elapsed);
  });
});
