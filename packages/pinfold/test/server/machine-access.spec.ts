import { constants } from 'node:fs';
import files, { chmod, lstat, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { accountId } from '@pinfold/core';
import { publicUrl } from '@pinfold/http';
import { expect } from 'chai';
import { findMachineServer } from '../../src/api-client/machine-server.ts';
import {
  formatMachineCredentials,
  isProof,
  proofUrl,
  readServerFile,
  writeServerFile,
} from '../../src/server/machine-access.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Served, serve } from '../servers/served.ts';

const fileOf = async ({ folder }: Served) =>
  JSON.parse(await readFile(join(folder, 'data', 'server.json'), 'utf8'));

describe('the key in the file of a running server', () => {
  let served: Served;
  let key: string;

  beforeEach(async () => {
    served = await serve({ PINFOLD_HOST: '0.0.0.0' });
    ({ key } = await fileOf(served));
  });

  interface SendOptions {
    readonly path?: string;
    readonly host?: string;
    readonly key?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  async function send({ path = '/api/v1/pins', host = '127.0.0.1', headers, ...options }: SendOptions = {}) {
    const caller = { account: accountId('ada'), user: 'grace' };
    const authorization = `Bearer ${formatMachineCredentials(options.key ?? key, caller)}`;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const target = { host, port: served.port, path, headers: { ...headers, authorization }, agent: false };
      request(target, resolve).once('error', reject).end();
    });
    return { status: answer.statusCode, body: (await json(answer)) as Readonly<Record<string, unknown>> };
  }

  it('is readable only for the user of the server, and is removed by a clean stop', async () => {
    const file = join(served.folder, 'data', 'server.json');
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).to.equal(0o600);
    await served.app.close();
    const outcome = await stat(file).catch(({ code }: NodeJS.ErrnoException) => code);
    expect(outcome).to.equal('ENOENT');
  });

  it('is named as unreadable to a command of another user', async () => {
    const file = join(served.folder, 'data', 'server.json');
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    else await chmod(file, 0);
    const failure = await findMachineServer(served.env, accountId('ada')).catch(
      (error: Error) => error.message,
    );
    if (isRoot) process.seteuid?.(0);
    expect(failure).to.include(`${file} cannot be read`).and.include("as the server's user");
  });

  it('changes with each start', async () => {
    await served.app.close();
    const again = await serve(served.env);
    expect((await fileOf(served)).key).not.to.equal(key);
    served = { ...served, port: again.port };
    expect((await send()).status).to.equal(401);
  });

  it('reads and writes as the requested account, but does not administer', async () => {
    const page = await served.write('page.html', '<!doctype html><title>x</title>');
    const { pin } = await served.json('publish', page, '--account', 'ada');
    expect((await send()).body).to.deep.include({ pins: [pin] });
    expect((await served.json('list')).pins).to.deep.equal([]);
    expect((await send({ path: '/admin/v1/pins' })).status).to.equal(404);
  });

  it('is refused in forwarded requests, from other machines, and if it is wrong', async () => {
    const headers = [
      'Forwarded',
      'Via',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Real-IP',
      'CF-Connecting-IP',
    ];
    for (const name of headers) {
      const { status, body } = await send({ headers: { [name]: '127.0.0.1' } });
      expect([status, body.code], name).to.deep.equal([401, 'unauthorized']);
    }
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
    const network = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
    if (network !== undefined) expect((await send({ host: network.address })).status).to.equal(401);
    for (const wrong of ['', 'x', key.slice(1), `${key}x`])
      expect((await send({ key: wrong })).status, wrong).to.equal(401);
    expect((await send()).status).to.equal(200);
  });

  it('is proved only to this machine, for one challenge and port', async () => {
    const [challenge, other] = ['a'.repeat(43), 'b'.repeat(43)];
    const address = `http://127.0.0.1:${served.port}`;
    const { proof } = Object(await (await fetch(proofUrl(address, challenge))).json());
    expect(isProof({ address, key }, challenge, proof)).to.equal(true);
    expect(isProof({ address, key }, other, proof)).to.equal(false);
    expect(isProof({ address, key: `${key}x` }, challenge, proof)).to.equal(false);
    expect(isProof({ address: 'http://127.0.0.1:1', key }, challenge, proof)).to.equal(false);
    for (const [url, init] of [
      [proofUrl(address, challenge), { headers: { 'X-Forwarded-For': '127.0.0.1' } }],
      [proofUrl(address, challenge), { method: 'POST' }],
      [proofUrl(address, challenge.slice(1)), {}],
      [proofUrl(address, `${challenge}&challenge=${other}`), {}],
    ] as const) {
      expect((await fetch(url, init)).status, `${url} ${JSON.stringify(init)}`).to.equal(404);
    }
  });

  it('is not listed as a key, and its changes are recorded as the command’s', async () => {
    const page = await served.write('page.html', '<!doctype html><title>x</title>');
    const { id } = (await served.json('publish', page, '--account', 'ada')).pin;
    await served.json('rename', id, 'New', '--account', 'ada');
    await served.json('stop', id, '--account', 'ada');
    const { keys } = await served.json('keys', 'list');
    expect(keys.map(({ account }: { account: string }) => account)).to.deep.equal(['default']);
    const { events } = await served.json('history', '--pin', id);
    expect(events.map(({ type }: { type: string }) => type)).to.have.members([
      'pin.published',
      'pin.title_changed',
      'pin.stopped',
    ]);
    for (const { actor } of events)
      expect(actor).to.deep.equal({ kind: 'operator', id: userInfo().username });
  });

  it('does not record a user name that an import would refuse', async () => {
    const page = await served.write('page.html', '<!doctype html><title>x</title>');
    const { id } = (await served.json('publish', page)).pin;
    for (const [user, recorded] of [
      ['gr\0ace', null],
      ['g'.repeat(10_000), null],
      ['grace', 'grace'],
    ] as const) {
      const authorization = `Bearer ${formatMachineCredentials(key, { account: accountId('default'), user })}`;
      const url = `http://127.0.0.1:${served.port}/api/v1/pins/${id}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const body = JSON.stringify({ title: `By ${user.length}` });
      expect((await fetch(url, { method: 'PATCH', headers, body })).status).to.equal(200);
      const { events } = await served.json('history', '--pin', id);
      expect(events[0]).to.deep.include({ actor: { kind: 'operator', id: recorded } });
    }
  });

  it('lets a command continue after the server has restarted', async () => {
    const env = { ...served.env, PINFOLD_PORT: String(served.port) };
    const server = await findMachineServer(served.env, accountId('ada'));
    await served.app.close();
    await serve(env);
    expect((await server.fetch?.(`${server.url}/api/v1/pins`))?.status).to.equal(200);
  });
});

const { S_IFREG } = constants;

describe('the file of a running server', () => {
  let folder: string;

  /** Writes the file as a server does when it starts; resolves with what it does when it stops. */
  function startServer(
    port: number,
    fail = (error: unknown): void => expect.fail(String(error)),
  ): Promise<() => Promise<void>> {
    const url = `http://localhost:${port}`;
    const addresses = { publicUrl: publicUrl(url), sitesUrl: url, viewerMode: 'path' } as const;
    return writeServerFile(folder, addresses, { host: '127.0.0.1', port }, fail);
  }

  beforeEach(() => {
    folder = newFolder();
  });

  it('is removed only by the server that wrote it last', async () => {
    const stopFirst = await startServer(1_001);
    const stopSecond = await startServer(1_002);
    await stopFirst();
    expect((await readServerFile(folder))?.address).to.equal('http://127.0.0.1:1002');
    await stopSecond();
    expect(await readServerFile(folder)).to.equal(undefined);
  });

  it('does not fail the stop of a server whose disk has become read-only', async () => {
    const errors: unknown[] = [];
    const stop = await startServer(1_005, (error) => void errors.push(error));
    const readOnly = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    const { rm } = files;
    Object.assign(files, { rm: () => Promise.reject(readOnly) });
    syncBuiltinESMExports();
    try {
      await stop();
    } finally {
      Object.assign(files, { rm });
      syncBuiltinESMExports();
    }
    expect(errors).to.deep.equal([readOnly]);
  });

  it('replaces any file there, and does not write through a link', async function () {
    if (process.platform === 'win32') this.skip();
    const [file, other] = [join(folder, 'server.json'), join(folder, 'other')];
    await writeFile(other, 'of another');
    await symlink(other, file);
    const stop = await startServer(1_003);
    expect(await readFile(other, 'utf8')).to.equal('of another');
    expect((await lstat(file)).mode).to.equal(S_IFREG | 0o600);
    await stop();
    await writeFile(file, 'left over');
    await chmod(file, 0o666);
    await startServer(1_004);
    expect((await lstat(file)).mode).to.equal(S_IFREG | 0o600);
    expect((await readServerFile(folder))?.address).to.equal('http://127.0.0.1:1004');
  });
});
