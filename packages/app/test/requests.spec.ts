import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRawConnection, type RawAnswer } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type App, createApp, readSettings } from '../src/index.ts';
import { type PinJson, publish } from './servers/api-calls.ts';

describe('the reference server, byte by byte', () => {
  let folder: string;
  let app: App;
  let url: string;
  let key: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-requests-'));
    const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: folder, PINFOLD_WELCOME: 'off' };
    app = await createApp(readSettings(env), { log: () => undefined });
    const { addresses, firstStart } = await app.listen();
    url = addresses.publicUrl;
    key = firstStart?.apiKey ?? '';
  });

  after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  /** Sends a head as it is, and reads the answer. */
  async function ask(...lines: readonly string[]): Promise<RawAnswer> {
    const connection = await openRawConnection(url);
    try {
      await connection.send([...lines, '\r\n'].join('\r\n'));
      return await connection.answer();
    } finally {
      connection.destroy();
    }
  }

  it('refuses several Host headers wherever they lead', async () => {
    const answer = await publish(url, key, 'several hosts');
    const { pin } = (await answer.json()) as { readonly pin: PinJson };
    const { host } = new URL(url);
    const site = `${pin.id}.${host}`;
    for (const path of [
      '/',
      '/healthz',
      '/nothing',
      '/manage/',
      '/api/v1/limits',
      '/openapi.json',
      `/s/${pin.id}`,
    ]) {
      for (const hosts of [
        [host, host],
        [host, site],
        [site, host],
      ]) {
        const lines = hosts.map((name) => `Host: ${name}`);
        const { status } = await ask(`GET ${path} HTTP/1.1`, ...lines, `Authorization: Bearer ${key}`);
        expect(status, `${path} ${hosts}`).to.equal(400);
      }
    }
    const api = await ask('GET /api/v1/limits HTTP/1.1', 'Host: a', 'Host: b');
    expect(JSON.parse(api.body).code).to.equal('invalid_request');
  });
});
