import { copyFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compose } from '../../src/compose/compose.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { type CommandRun, runPiped } from '../command-run.ts';
import { type Machine, openMachine, serve } from '../servers/served.ts';

const UNKNOWN = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';

interface ListItem {
  readonly id: string;
  readonly type: string;
  readonly actor: object;
  readonly sha256: string;
}

describe('pinfold pins and pinfold takedowns', () => {
  let machine: Machine;
  let folder: string;
  let run: Machine['run'];
  let runJson: Machine['json'];

  beforeEach(async () => {
    machine = await openMachine({ PINFOLD_PUBLIC_URL: 'http://localhost:9000' });
    ({ folder, run, json: runJson } = machine);
  });

  /** Publishes a page with a server that runs only for that. */
  async function tryToPublish(text: string, ...options: readonly string[]): Promise<CommandRun> {
    const page = await machine.write('page.html', text);
    const { app } = await serve(machine.env);
    const published = await run('publish', page, '--json', ...options);
    await app.close();
    return published;
  }

  /** Publishes a page; returns its id. */
  async function publish(text: string, ...options: readonly string[]): Promise<string> {
    const { code, out, err } = await tryToPublish(text, ...options);
    expect(code, err).to.equal(0);
    return JSON.parse(out).pin.id;
  }

  const eventsOf = async (id: string): Promise<readonly ListItem[]> =>
    (await runJson('history', '--pin', id)).events;

  it('list publications of all accounts, and show one', async () => {
    const first = await publish('one', '--account', 'ada', '--title', 'Spring \u202e');
    const second = await publish('two', '--account', 'grace');
    const ids = async (...options: readonly string[]) =>
      (await runJson('pins', 'list', ...options)).pins.map(({ id }: ListItem) => id);
    expect(await ids()).to.deep.equal([second, first]);
    expect(await ids('--account', 'ada')).to.deep.equal([first]);
    expect(await ids('--search', 'spring')).to.deep.equal([first]);
    expect(await ids('--state', 'deleted')).to.deep.equal([]);
    const { pin } = await runJson('pins', 'show', first);
    expect(pin).to.include({ id: first, account: 'ada', shared_url: `http://localhost:9000/s/${first}` });
    expect(pin.taken_down).to.equal(null);
    const lines = (await run('pins', 'list')).out;
    expect(lines).to.match(/^\S+ {2}grace {2}published .*\n\S+ {2}ada .*Spring \ufffd\n$/);
    expect((await run('pins', 'show', first)).out).to.include(`SHA-256    ${pin.sha256}`);
    for (const wrong of [['--state', 'x'], ['--account', ''], ['more']])
      expect((await run('pins', 'list', ...wrong)).code, wrong.join(' ')).to.equal(2);
    const unknown = await run('pins', 'show', UNKNOWN);
    expect([unknown.code, unknown.err]).to.deep.equal([1, `pinfold: There is no publication ${UNKNOWN}.\n`]);
  });

  it('explain why a publication of a blocked account is not shown', async () => {
    const id = await publish('one', '--account', 'ada');
    await run('accounts', 'block', 'ada', '--reason', 'Spam \u202e', '--sites', 'hide');
    const { out } = await run('pins', 'show', id);
    expect(out).to.match(/^state {6}published$/m);
    expect(out).to.match(/^blocked {4}sites hide: Spam \ufffd$/m);
    expect((await run('accounts', 'show', 'ada')).out).to.include('sites hide: Spam \ufffd');
  });

  it('stop a publication of any account', async () => {
    const id = await publish('one', '--account', 'ada');
    expect((await run('pins', 'stop', id)).out).to.equal(`${id} was stopped.\n`);
    expect((await runJson('pins', 'show', id)).pin).to.include({ state: 'deleted', taken_down: null });
    const [event] = await eventsOf(id);
    expect(event).to.include({ type: 'pin.stopped' });
    expect((await run('pins', 'stop', id)).code).to.equal(1);
    expect((await run('pins', 'stop', UNKNOWN)).code).to.equal(1);
    expect((await run('pins', 'hide', id)).code).to.equal(2);
  });

  it('take a publication down with its copies, record the user, and lift the ban', async () => {
    const id = await publish('same', '--account', 'ada');
    const copy = await publish('same', '--account', 'grace');
    const listed = await run('pins', 'takedown', id, '--reason', 'Phishing');
    expect(listed.out).to.equal(`${id} was taken down.\n${copy}, a copy, is still in service.\n`);
    const taken = await runJson('pins', 'takedown', id, '--reason', 'Again', '--copies', '--purge');
    expect(taken.copies).to.deep.equal([copy]);
    expect(taken.pin).to.include({ id, state: 'deleted' });
    expect(taken.pin.taken_down).to.include({ reason: 'Phishing' });
    expect((await run('history', '--pin', copy)).out)
      .to.include('pin.purged  ')
      .and.not.include('null');
    const events = await eventsOf(copy);
    // One command takes down both, perhaps at the same instant: their order is then undefined.
    expect(events.map(({ type }) => type)).to.have.members(['pin.purged', 'pin.taken_down', 'pin.published']);
    const takenDown = events.find(({ type }) => type === 'pin.taken_down');
    expect(takenDown?.actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
    const refused = await tryToPublish('same');
    expect([refused.code, refused.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 1 && err.includes('took this very ZIP down'),
    );
    const { sha256 } = taken.pin;
    const lifted = await run('takedowns', 'lift', sha256);
    expect([lifted.code, lifted.out.split(' ')[0]]).to.deep.equal([0, sha256]);
    expect((await run('takedowns', 'lift', sha256)).code).to.equal(1);
    expect((await run('takedowns', 'lift', 'x')).code).to.equal(2);
    expect((await runJson('pins', 'show', id)).pin.state).to.equal('deleted');
    await publish('same');
    for (const wrong of [[], ['--reason', ''], ['--reason', 'x'.repeat(256)]])
      expect((await run('pins', 'takedown', id, ...wrong)).code, wrong.join(' ')).to.equal(2);
    expect((await run('pins', 'takedown', UNKNOWN, '--reason', 'x')).code).to.equal(1);
  });

  it('take several publications down, even if one of them is unknown', async () => {
    const ids = [await publish('one'), await publish('two')];
    const takedown = (...args: readonly string[]) => run('pins', 'takedown', ...args, '--reason', 'Spam');
    const { code, out, err } = await takedown(ids[0] ?? '', UNKNOWN, ids[1] ?? '');
    expect([code, err]).to.deep.equal([1, `pinfold: There is no publication ${UNKNOWN}.\n`]);
    expect(out).to.equal(ids.map((id) => `${id} was taken down.\n`).join(''));
    const { takedowns } = JSON.parse((await takedown(...ids, '--json')).out);
    expect(takedowns.map(({ pin }: { pin: ListItem }) => pin.id)).to.deep.equal(ids);
    expect((await takedown(...ids, 'x')).code).to.equal(2);
    expect((await takedown()).code).to.equal(2);
  });

  it('repeat takedowns in a restored database, even several times', async () => {
    const id = await publish('one', '--account', 'ada');
    const backup = join(folder, 'backup.sqlite');
    const data = join(folder, 'data');
    await copyFile(join(data, 'pinfold.sqlite'), backup);
    const later = await publish('two', '--account', 'grace');
    for (const each of [id, later]) await run('pins', 'takedown', each, '--reason', 'Phishing 🎣');
    const { takedowns } = await runJson('takedowns', 'list');
    expect(takedowns.map((listed: ListItem) => listed.id)).to.deep.equal([later, id]);
    const exported = (await run('takedowns', 'export')).out;
    const lines = exported.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).to.deep.equal(takedowns);
    await rm(data, { recursive: true });
    await (await compose(readSettings(machine.env))).close();
    for (const suffix of ['-wal', '-shm']) await rm(join(data, `pinfold.sqlite${suffix}`), { force: true });
    await copyFile(backup, join(data, 'pinfold.sqlite'));
    expect((await runJson('pins', 'show', id)).pin.state).to.equal('published');
    const stored = join(folder, 'takedowns.jsonl');
    await writeFile(stored, exported);
    expect(await runJson('takedowns', 'import', stored)).to.deep.equal({ takedowns: 2, changed: 2 });
    const { pin } = await runJson('pins', 'show', id);
    expect([pin.state, pin.taken_down.reason]).to.deep.equal(['deleted', 'Phishing 🎣']);
    expect((await runJson('takedowns', 'list')).takedowns).to.deep.equal(takedowns);
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).to.deep.equal(['pin.taken_down', 'pin.published']);
    const piped = await runPiped(exported, machine.env, 'takedowns', 'import');
    expect([piped.code, piped.out]).to.deep.equal([0, '2 takedowns, of which 0 changed anything.\n']);
    expect(await eventsOf(id)).to.deep.equal(events);
    for (const text of ['one', 'two']) expect((await tryToPublish(text)).code, text).to.equal(1);
  });

  it('import nothing if a line is not a takedown', async () => {
    const valid = {
      id: UNKNOWN,
      account: 'ada',
      sha256: 'A'.repeat(64),
      reason: 'x',
      at: '2026-11-20T12:00:00Z',
    };
    const wrong = [
      'x',
      'null',
      '{}',
      ...Object.keys(valid).map((name) => JSON.stringify({ ...valid, [name]: undefined })),
      JSON.stringify({ ...valid, sha256: 'a' }),
      JSON.stringify({ ...valid, at: 'yesterday' }),
      JSON.stringify({ ...valid, reason: '\u0000' }),
    ];
    const file = join(folder, 'takedowns.jsonl');
    for (const line of wrong) {
      await writeFile(file, `${JSON.stringify(valid)}\n\n${line}\n`);
      const { code, err } = await run('takedowns', 'import', file);
      expect([code, err], line).to.deep.equal([
        1,
        'pinfold: line 3 is not a takedown; nothing was imported\n',
      ]);
    }
    expect((await runJson('takedowns', 'list')).takedowns).to.deep.equal([]);
    expect((await run('takedowns', 'import', join(folder, 'none'))).code).to.equal(1);
    for (const args of [['keep'], ['import', '']])
      expect((await run('takedowns', ...args)).code, args.join(' ')).to.equal(2);
    await writeFile(file, JSON.stringify(valid));
    expect((await run('takedowns', 'import', file)).code).to.equal(0);
    const [stored] = (await runJson('takedowns', 'list')).takedowns;
    expect(stored).to.deep.equal({ ...valid, sha256: 'a'.repeat(64), at: '2026-11-20T12:00:00.000Z' });
    const exported = (await run('takedowns', 'export')).out;
    const again = await runPiped(exported, machine.env, 'takedowns', 'import');
    expect([again.code, again.out]).to.deep.equal([0, '1 takedown, of which 0 changed anything.\n']);
  });

  it('import an export that Windows wrote in UTF-16, and nothing in another encoding', async () => {
    const takedown = {
      id: UNKNOWN,
      account: 'Zoë',
      sha256: 'a'.repeat(64),
      reason: 'Größe',
      at: '2026-11-20T12:00:00.000Z',
    };
    const line = `\uFEFF${JSON.stringify(takedown)}\r\n`;
    const file = await machine.write('takedowns.jsonl', Buffer.from(line.slice(1), 'latin1'));
    const { code, err } = await run('takedowns', 'import', file);
    expect([code, err.includes('write it in UTF-8')]).to.deep.equal([1, true]);
    expect((await runJson('takedowns', 'list')).takedowns).to.deep.equal([]);
    for (const bytes of [Buffer.from(line, 'utf16le'), Buffer.from(line)]) {
      await writeFile(file, bytes);
      expect((await run('takedowns', 'import', file)).code).to.equal(0);
    }
    expect((await runJson('takedowns', 'list')).takedowns).to.deep.equal([takedown]);
  });

  it('take effect in a running server at its next request', async () => {
    const served = await serve();
    const page = await served.write('page.html', 'one');
    const { id } = (await served.json('publish', page)).pin;
    const readStatus = async () => (await fetch(`${served.url}/s/${id}`, { redirect: 'manual' })).status;
    expect(await readStatus()).to.equal(302);
    await served.run('pins', 'takedown', id, '--reason', 'Phishing', '--purge');
    expect(await readStatus()).to.equal(404);
  });
});
