import { isFault } from '@pinfold/core';
import { expect } from 'chai';
import { createApp, type Environment, readSettings, type SettingsError } from '../../src/index.ts';
import { runProcess } from '../command-run.ts';
import { startChild } from '../servers/child-server.ts';
import { CREDENTIALS, type Engines, startEngines } from '../servers/engines.ts';
import { newDatabase } from '../servers/new-database.ts';
import { settingsErrorOf } from '../servers/settings-error-of.ts';
import { type Stub, startStub } from '../servers/stub.ts';

const PASSWORD = 'never-to-be-shown';

describe('a start with a database or storage that cannot be used', () => {
  let engines: Engines;
  let stub: Stub;
  let answer: { readonly status: number; readonly body: string };

  before(async () => {
    engines = await startEngines();
    stub = await startStub((request, response) => {
      request.resume().once('end', () => response.writeHead(answer.status).end(answer.body));
    });
  });

  after(async () => {
    await stub.close();
    await engines.close();
  });

  async function expectRefused(change: Environment): Promise<SettingsError> {
    const error = await settingsErrorOf(createApp(readSettings({ ...engines.env('refused'), ...change })));
    const [variable] = Object.keys(change);
    expect(error.variable).to.equal(variable);
    expect(error.message).to.match(new RegExp(`^${variable} [^\\n]+$`));
    expect(isFault(error.cause)).to.equal(true);
    for (const secret of [PASSWORD, engines.database.address.password, CREDENTIALS.AWS_SECRET_ACCESS_KEY]) {
      expect(error.message).not.to.include(secret);
    }
    return error;
  }

  const refuseDatabase = (url: string): Promise<SettingsError> =>
    expectRefused({ PINFOLD_DATABASE_URL: url });

  it('names the database if no server listens at its address', () =>
    refuseDatabase(engines.database.url({ port: 1, password: PASSWORD })));

  it('names the database if the password is wrong', () =>
    refuseDatabase(engines.database.url({ password: PASSWORD })));

  it('names the database if it does not exist', () =>
    refuseDatabase(engines.database.url({ database: 'nowhere' })));

  it('names the database if it is not PostgreSQL', () =>
    refuseDatabase(engines.database.url({ port: engines.store.port, password: PASSWORD })));

  it('names the database if it is read-only', async () => {
    const readOnly = await newDatabase();
    await readOnly.ask(`ALTER DATABASE ${readOnly.address.database} SET default_transaction_read_only = on`);
    await refuseDatabase(readOnly.url());
  });

  it('names the database if the user cannot create anything in it', async () => {
    const foreign = await newDatabase();
    const user = `guest_of_${foreign.address.database}`;
    await foreign.ask(`CREATE ROLE ${user} LOGIN PASSWORD '${PASSWORD}'`);
    await refuseDatabase(foreign.url({ user, password: PASSWORD }));
  });

  it('names the database if it needs a newer release', async () => {
    const newer = await newDatabase();
    const app = await createApp(readSettings({ ...engines.env('newer'), PINFOLD_DATABASE_URL: newer.url() }));
    await app.close();
    await newer.ask("UPDATE pinfold.schema_state SET oldest_version = 1000, oldest_release = '99.0.0'");
    expect((await refuseDatabase(newer.url())).message).to.include('99.0.0');
  });

  const refuseStorage = (url: string): Promise<SettingsError> => expectRefused({ PINFOLD_STORAGE_URL: url });
  const stubUrl = (): string => `s3://sites?endpoint=${stub.url}`;

  it('names the bucket if it does not exist', async () => {
    const { message } = await refuseStorage(`s3://nowhere?endpoint=${engines.store.endpoint}`);
    expect(message).to.include('"nowhere"');
  });

  it('names the storage if no server listens at its address', () =>
    refuseStorage('s3://sites?endpoint=http://127.0.0.1:1'));

  it('names the storage if the credentials are wrong', async () => {
    const error = '<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>';
    answer = { status: 403, body: `<?xml version="1.0"?>${error}` };
    expect((await refuseStorage(stubUrl())).message).to.include('credentials');
  });

  it('names the storage if there are no credentials', async () => {
    delete process.env.AWS_ACCESS_KEY_ID;
    try {
      expect((await refuseStorage(stubUrl())).message).to.include('credentials');
    } finally {
      Object.assign(process.env, CREDENTIALS);
    }
  });

  it('names the storage if it is not an object store', () => {
    answer = { status: 200, body: '<!doctype html><title>Welcome</title>' };
    return refuseStorage(stubUrl());
  });

  const withWrongPassword = (): string => engines.database.url({ password: PASSWORD });
  const processes: readonly (readonly [why: string, code: number, variable: string, value: () => string])[] =
    [
      ['the database refuses', 3, 'PINFOLD_DATABASE_URL', withWrongPassword],
      [
        'the bucket is missing',
        3,
        'PINFOLD_STORAGE_URL',
        () => `s3://nowhere?endpoint=${engines.store.endpoint}`,
      ],
      ['the value is wrong', 1, 'PINFOLD_SECRET', () => ''],
      ['the database cannot be reached', 3, 'PINFOLD_DATABASE_URL', () => 'postgres://127.0.0.1:1/pinfold'],
    ];
  for (const [why, code, variable, value] of processes) {
    it(`prints one line and exits with ${code} if ${why}, even with several processes`, async () => {
      const workers = variable === 'PINFOLD_STORAGE_URL' ? '1' : '2';
      const child = startChild({ ...engines.env('process'), PINFOLD_WORKERS: workers, [variable]: value() });
      expect(await child.ended()).to.deep.equal([code, null]);
      expect(child.output()).to.match(new RegExp(`^pinfold: ${variable} [^\\n]+\\n$`));
      expect(child.output()).not.to.include(PASSWORD);
    });
  }

  it('prints one line and exits with 2 if pinfold serve has a wrong value', async () => {
    const { code, out, err } = await runProcess({ ...engines.env('process'), PINFOLD_SECRET: 'short' }, [
      'serve',
    ]);
    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.match(/^pinfold: PINFOLD_SECRET [^\n]+\n$/);
  });
});
