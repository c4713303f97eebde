import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const FLAGS = [
  '--conditions=@pinfold/source',
  '--disable-warning=ExperimentalWarning',
  '--experimental-vm-modules',
  '--experimental-import-meta-resolve',
];

describe('In a test runner that gives tests a realm of their own, as Jest does', () => {
  it('servers open, publish, show, refuse and close, and the client distinguishes failures', async () => {
    const [realm, program] = ['realm.ts', 'program.ts'].map((file) => join(import.meta.dirname, file));
    const args = [...FLAGS, String(realm), String(program)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).to.equal('all of it worked\n');
  });
});
