import { chmod, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type S3Server, startS3 } from 'pinfold-test-servers';
import { compose } from '../../src/compose/compose.ts';
import { examine } from '../../src/doctor/examine.ts';
import { checkDataFolder } from '../../src/doctor/folder.ts';
import { readSettings } from '../../src/index.ts';
import { run } from '../command-run.ts';
import { CREDENTIALS } from '../servers/engines.ts';
import { type NewDatabase, newDatabase } from '../servers/new-database.ts';
import { newFolder } from '../servers/new-folder.ts';
import { findingsOf, listProblems } from './findings-of.ts';

type Env = Readonly<Record<string, string>>;

describe('pinfold doctor, on the machine of a server', () => {
  let folder: string;
  let env: Env;

  beforeEach(async () => {
    folder = newFolder();
    env = { PINFOLD_DATA_DIR: folder, PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' };
    await (await compose(readSettings(env))).close();
  });

  it('finds no problems in a correct setup, and leaves nothing behind', async () => {
    const found = await findingsOf(examine(env));
    expect(listProblems(found)).to.deep.equal([]);
    for (const check of ['folder', 'room', 'database', 'schema', 'storage.put', 'storage.delete']) {
      expect(found[check]?.status, check).to.equal('ok');
    }
    expect(found.url?.status).to.equal('skipped');
    const remaining = await readdir(join(folder, 'archives'), { recursive: true, withFileTypes: true });
    expect(remaining.filter((entry) => entry.isFile())).to.deep.equal([]);
    expect(await readdir(join(folder, 'staging'))).to.deep.equal([]);
  });

  it('prints one JSON document for scripts, with exit code 1 if a check failed', async () => {
    const passed = await run(env, 'doctor', '--json');
    expect(passed.code).to.equal(0);
    const report = JSON.parse(passed.out) as { status: string; checks: readonly object[] };
    expect(report.status).to.equal('ok');
    for (const check of report.checks) {
      expect(check).to.have.all.keys('check', 'status', 'expected', 'observed', 'advice');
    }
    await chmod(folder, 0o777);
    const failed = await run(env, 'doctor', '--json');
    expect(failed.code).to.equal(1);
    expect(JSON.parse(failed.out)).to.include({ status: 'failed' });
    expect(failed.err).to.match(/^pinfold: 1 of \d+ checks failed\n$/);
  });

  it('prints for people what it expects, what it observes and what to do', async () => {
    await chmod(folder, 0o755);
    const { code, out } = await run(env, 'doctor');
    expect(code).to.equal(0);
    expect(out).to.include(
      'warning  folder:                every user of this machine can enter the folder: its mode is 0755\n',
    );
    expect(out).to.include(`         expected: ${folder} is the data folder, `);
    expect(out).to.include(`         to do: chmod 0700 ${folder}: `);
  });

  it('names a wrong variable, and checks nothing else', async () => {
    const found = await findingsOf(examine({ ...env, PINFOLD_PORT: 'none' }));
    expect(Object.keys(found)).to.deep.equal(['settings']);
    expect(found.settings?.observed).to.match(/^PINFOLD_PORT \(port\) must be /);
    const misspelt = await findingsOf(examine({ ...env, PINFOLD_PROT: '1' }));
    expect(listProblems(misspelt)).to.deep.equal(['settings warning']);
    expect(misspelt.settings?.observed).to.include('PINFOLD_PROT');
  });

  it('leaves an empty folder empty, without a database, so that commands still accept it', async () => {
    const empty = newFolder();
    const found = await findingsOf(examine({ ...env, PINFOLD_DATA_DIR: empty }));
    expect([found['storage.delete']?.status, found.database?.status]).to.deep.equal(['ok', 'skipped']);
    expect(await readdir(empty)).to.deep.equal([]);
  });

  it('reports a missing folder without creating it', async () => {
    const missing = join(folder, 'nowhere');
    const found = await findingsOf(examine({ ...env, PINFOLD_DATA_DIR: missing }));
    expect(listProblems(found)).to.deep.equal(['folder failed']);
    expect(found.folder?.advice).to.include('the server');
    expect(await readdir(folder)).not.to.include('nowhere');
  });

  it('reports an invalid secret without printing it', async () => {
    await writeFile(join(folder, 'secret'), 'half of a secr');
    const found = await findingsOf(examine({ ...env, PINFOLD_PUBLIC_URL: 'http://127.0.0.1:1' }));
    expect(found.secret).to.include({ status: 'failed' });
    expect(found.secret?.observed).not.to.include('half of');
  });

  it('reports a full disk, and one with too little room for all uploads', async () => {
    const MiB = 1_048_576;
    const checkRoom = async (free: number) =>
      (await findingsOf(checkDataFolder(readSettings(env), async () => free))).room;
    expect(await checkRoom(641 * MiB)).to.include({ status: 'ok' });
    expect(await checkRoom(19 * MiB)).to.include({ status: 'failed' });
    expect(await checkRoom(639 * MiB)).to.include({ status: 'warning' });
  });

  it('reports a damaged database, and a file that is not a database', async () => {
    const file = join(folder, 'pinfold.sqlite');
    await truncate(file, 8_192);
    expect((await findingsOf(examine(env))).database?.status).to.equal('failed');
    await writeFile(file, 'not a database, but long enough to have a header: '.repeat(200));
    expect((await findingsOf(examine(env))).database?.status).to.equal('failed');
  });
});

describe('pinfold doctor, with PostgreSQL', () => {
  let folder: string;
  let database: NewDatabase;

  beforeEach(async () => {
    folder = newFolder();
    database = await newDatabase();
  });

  function envOf(url: string): Env {
    const secret = 'the secret of all the nodes';
    return { PINFOLD_DATA_DIR: folder, PINFOLD_PORT: '0', PINFOLD_DATABASE_URL: url, PINFOLD_SECRET: secret };
  }

  it('finds no problems without and with a schema, and creates none', async () => {
    const env = envOf(database.url());
    const before = await findingsOf(examine(env));
    expect(listProblems(before)).to.deep.equal([]);
    expect(before['database.rights']?.observed).to.equal(
      'the schema does not exist yet, and the user can create it',
    );
    await (await compose(readSettings(env))).close();
    const after = await findingsOf(examine(env));
    expect(listProblems(after)).to.deep.equal([]);
    expect(after.schema?.observed).to.equal('the schema is up to date');
    expect(after.clock?.status).to.equal('ok');
  });

  it('reports missing rights of the user, without and with a schema', async () => {
    const user = `limited @"${database.address.database}`;
    const quoted = `"${user.replaceAll('"', '""')}"`;
    await database.ask(`CREATE ROLE ${quoted} LOGIN PASSWORD 'poor'`);
    const limited = envOf(database.url({ user, password: 'poor' }));
    const before = await findingsOf(examine(limited));
    expect(listProblems(before)).to.deep.equal(['database.rights failed']);
    expect(before['database.rights']?.advice).to.equal(`CREATE SCHEMA pinfold AUTHORIZATION ${quoted}`);
    await (await compose(readSettings(envOf(database.url())))).close();
    expect((await findingsOf(examine(limited)))['database.rights']?.observed).to.equal(
      'the user cannot use the schema',
    );
    await database.ask(`GRANT USAGE ON SCHEMA pinfold TO ${quoted}`);
    await database.ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pinfold TO ${quoted}`);
    await database.ask(`REVOKE DELETE ON pinfold.roles FROM ${quoted}`);
    expect((await findingsOf(examine(limited)))['database.rights']).to.include({
      status: 'failed',
      observed: 'the user lacks rights: roles: DELETE',
    });
    await database.ask(`GRANT DELETE ON pinfold.roles TO ${quoted}`);
    const granted = await findingsOf(examine(limited));
    expect(listProblems(granted)).to.deep.equal(['database.rights warning']);
  });

  it('reports a schema of a newer release', async () => {
    const env = envOf(database.url());
    await (await compose(readSettings(env))).close();
    await database.ask("UPDATE pinfold.schema_state SET oldest_version = 999, oldest_release = '9.0.0'");
    const newer = await findingsOf(examine(env));
    expect(newer.schema).to.include({
      status: 'failed',
      observed: 'the database needs release 9.0.0 or a newer one',
    });
  });

  it('reports a server that refuses the password or does not answer, without showing the password', async () => {
    for (const change of [{ password: 'hunter2' }, { port: 1 }]) {
      const found = await findingsOf(examine(envOf(database.url(change))));
      expect(listProblems(found)).to.deep.equal(['database failed']);
      expect(JSON.stringify(found)).not.to.include('hunter2');
    }
  });
});

describe('pinfold doctor, with S3', () => {
  let folder: string;
  let store: S3Server;
  let refused: (method: string, path: string) => boolean;

  beforeEach(async () => {
    folder = newFolder();
    refused = () => false;
    const before = async (method: string, path: string): Promise<void> => {
      if (refused(method, path)) throw Object.assign(new Error('Access Denied'), { statusCode: 403 });
    };
    store = await startS3({ before });
    await store.makeBucket('sites');
    Object.assign(process.env, CREDENTIALS);
  });

  afterEach(async () => {
    for (const name of Object.keys(CREDENTIALS)) delete process.env[name];
    await store.stop();
  });

  function env(): Env {
    const endpoint = encodeURIComponent(store.endpoint);
    return {
      PINFOLD_DATA_DIR: folder,
      PINFOLD_PORT: '0',
      PINFOLD_STORAGE_URL: `s3://sites/pinfold?endpoint=${endpoint}`,
    };
  }

  it('finds no problems in a correct setup, and leaves nothing behind', async () => {
    const found = await findingsOf(examine(env()));
    expect(listProblems(found)).to.deep.equal([]);
    expect(found['storage.versions']?.status).to.equal('ok');
    expect(await (await fetch(`${store.endpoint}/sites?list-type=2`)).text()).to.include(
      '<KeyCount>0</KeyCount>',
    );
  });

  const rights: readonly (readonly [right: string, check: string, isRefused: typeof refused])[] = [
    ['put', 'storage.put', (method) => method === 'PUT'],
    ['read', 'storage.check', (method, path) => method === 'GET' && path.includes('pinfold/')],
    ['list', 'storage.list', (method, path) => method === 'GET' && path.includes('list-type')],
    ['delete', 'storage.delete', (method) => method === 'DELETE'],
  ];
  for (const [right, check, isRefused] of rights) {
    it(`reports that the right to ${right} is missing, and names it`, async () => {
      refused = isRefused;
      const found = await findingsOf(examine(env()));
      expect(listProblems(found)).to.deep.equal([`${check} failed`]);
      expect(found[check]?.advice).to.match(/s3:(?:PutObject|GetObject|ListBucket|DeleteObject)\b/);
    });
  }

  it('reports a missing bucket', async () => {
    const missing = env().PINFOLD_STORAGE_URL?.replace('//sites', '//sights') ?? '';
    const found = await findingsOf(examine({ ...env(), PINFOLD_STORAGE_URL: missing }));
    expect(listProblems(found)).to.deep.equal(['storage.check failed']);
    expect(found['storage.check']?.observed).to.include('the bucket "sights" does not exist');
    expect(await readdir(folder)).to.deep.equal([]);
  });
});
