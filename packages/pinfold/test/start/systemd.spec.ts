import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds } from '@pinfold/core';
import { expect } from 'chai';
import { readSettings } from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined;

/** Sections and their settings, as systemd reads them: a `#` begins a comment only at the beginning of a line. */
function parseSections(unit: string): ReadonlyMap<string, string> {
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
    settings = parseSections(unit);
  });

  it('has no comment after a value, which would become a part of it', () => {
    expect(settings.size).to.be.greaterThan(10);
    for (const [name, value] of settings) expect(value, name).to.match(/^([^#]*[^#\s])?$/);
  });

  it('starts with the machine and the network, restarts without a limit, and keeps its data private', () => {
    expect(Object.fromEntries(settings)).to.include({
      'Install.WantedBy': 'multi-user.target',
      'Unit.After': 'network-online.target time-sync.target',
      'Unit.Wants': 'network-online.target time-sync.target',
      'Service.ExecStart': 'pinfold serve',
      'Service.Restart': 'always',
      'Unit.StartLimitIntervalSec': '0',
      'Service.StateDirectory': settings.get('Service.User'),
      'Service.StateDirectoryMode': '0700',
    });
  });

  it('lets the server stop for 15 s more than the drain time that the page about proxies sets', async () => {
    const page = await readFile(join(ROOT, 'docs', 'operators', 'behind-a-proxy.md'), 'utf8');
    const [, PINFOLD_DRAIN_SECONDS = ''] = /PINFOLD_DRAIN_SECONDS=(\d+)/.exec(page) ?? [];
    const { drain } = readSettings({ PINFOLD_DRAIN_SECONDS });
    const stopTimeout = seconds(Number(settings.get('Service.TimeoutStopSec')));
    expect(stopTimeout).to.be.at.least(drain + seconds(15));
  });

  // On other systems, systemd cannot check it.
  if (hasSystemd) {
    it('is valid for systemd', async () => {
      expect(await listProblems('pinfold.service')).to.deep.equal([]);
    });
  }
});

describe('the units that back up every night', () => {
  let server: ReadonlyMap<string, string>;
  let backup: ReadonlyMap<string, string>;
  let timer: ReadonlyMap<string, string>;

  before(async () => {
    const read = async (name: string) => parseSections(await readFile(join(ROOT, 'deploy', name), 'utf8'));
    server = await read('pinfold.service');
    backup = await read('pinfold-backup.service');
    timer = await read('pinfold-backup.timer');
  });

  it("run the command as the server's user, with its settings and the same rights", () => {
    expect(backup.get('Service.ExecStart')).to.equal(
      'pinfold export --scheduled --generations 7 --verify 1000 /var/backups/pinfold',
    );
    expect(backup.get('Service.ReadWritePaths')).to.equal('/var/backups/pinfold');
    const sharedSettings = [...server].filter(([name]) =>
      /^Service\.(?!ExecStart|Restart|TimeoutStopSec|LimitNOFILE)/.test(name),
    );
    expect(sharedSettings.length).to.be.greaterThan(20);
    for (const [name, value] of sharedSettings) expect(backup.get(name), name).to.equal(value);
  });

  it('report a failure by a separate unit', async () => {
    const failureUnit = backup.get('Unit.OnFailure') ?? '';
    const unit = parseSections(await readFile(join(ROOT, 'deploy', failureUnit), 'utf8'));
    expect(unit.get('Service.ExecStart')).to.include('systemd-cat -p alert');
  });

  it('run after a night when the machine was off', () => {
    expect(timer.get('Timer.Persistent')).to.equal('true');
    expect(timer.get('Install.WantedBy')).to.equal('timers.target');
  });

  if (hasSystemd) {
    it('are valid for systemd', async () => {
      expect(
        await listProblems('pinfold-backup.service', 'pinfold-backup.timer', 'pinfold-backup-failed.service'),
      ).to.deep.equal([]);
    });
  }
});

/** The output of systemd's check of the units, with a substitute for the program that is not installed here. */
async function listProblems(...names: readonly string[]): Promise<readonly string[]> {
  const folder = newFolder();
  const files = names.map((name) => join(folder, name));
  for (const [n, name] of names.entries()) {
    const unit = await readFile(join(ROOT, 'deploy', name), 'utf8');
    await writeFile(files[n] ?? '', unit.replace('ExecStart=pinfold', `ExecStart=${process.execPath}`));
  }
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], {
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('pinfold'));
}
