import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seconds } from '@pinfold/core';
import { expect } from 'chai';
import { readSettings } from '../../src/index.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined;

/** Sections and their settings, as systemd reads them: a `#` is a comment at the beginning of a line alone. */
function sectionsOf(unit: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of unit.split('\n')) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    else if (key !== undefined && value !== undefined) settings.set(`${section}.${key}`, value);
    else expect(line).to.match(/^(#.*)?$/);
  }
  return settings;
}

describe('the unit for systemd', () => {
  let unit: string;
  let settings: ReadonlyMap<string, string>;

  before(async () => {
    unit = await readFile(join(ROOT, 'deploy', 'pinfold.service'), 'utf8');
    settings = sectionsOf(unit);
  });

  it('has no comment behind a value, which would be a part of it', () => {
    expect(settings.size).to.be.greaterThan(10);
    for (const [name, value] of settings) expect(value, name).to.match(/^([^#]*[^#\s])?$/);
  });

  it('is started with the machine, and once there is a network', () => {
    expect(settings.get('Install.WantedBy')).to.equal('multi-user.target');
    expect(settings.get('Unit.After')).to.equal('network-online.target');
    expect(settings.get('Unit.Wants')).to.equal('network-online.target');
  });

  it("keeps the data folder for the server's user alone", () => {
    expect(settings.get('Service.StateDirectory')).to.equal(settings.get('Service.User'));
    expect(settings.get('Service.StateDirectoryMode')).to.equal('0700');
  });

  it('waits for the end of what runs, with the drain that the page proposes', async () => {
    const page = await readFile(join(ROOT, 'docs', 'operators', 'behind-a-proxy.md'), 'utf8');
    const [, PINFOLD_DRAIN_SECONDS = ''] = /PINFOLD_DRAIN_SECONDS=(\d+)/.exec(page) ?? [];
    const { drain } = readSettings({ PINFOLD_DRAIN_SECONDS });
    const patience = seconds(Number(settings.get('Service.TimeoutStopSec')));
    expect(patience).to.be.at.least(drain + seconds(15));
  });

  // Elsewhere nothing can say what systemd makes of it.
  if (hasSystemd) {
    it('is good to systemd itself', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pinfold-unit-'));
      const file = join(folder, 'pinfold.service');
      await writeFile(file, unit.replace('/usr/bin/pinfold', process.execPath));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
        encoding: 'utf8',
      });
      await rm(folder, { recursive: true });
      expect(
        `${stdout}${stderr}`.split('\n').filter((line) => line.includes('pinfold.service')),
      ).to.deep.equal([]);
    });
  }
});
