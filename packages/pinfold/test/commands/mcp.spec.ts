import { once } from 'node:events';
import { realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { writeLogin } from '../../src/api-client/logins.ts';
import { type Env, run, spawnCommand } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';
import { call, connectTo, type Json, type Mode, PAGE } from './mcp-client.ts';

const UNKNOWN = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';

describe('pinfold mcp', () => {
  let served: Served;
  let folder: string;
  let sites: string;
  let site: string;
  let byServer: Env;
  let byMachine: Env;
  let errors: string;

  beforeEach(async () => {
    errors = '';
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    folder = await realpath(served.folder);
    sites = join(folder, 'sites');
    site = join(sites, 'one');
    await served.write('sites/one/index.html', PAGE);
    const home = { HOME: folder, npm_lifecycle_event: 'pinfold', INIT_CWD: folder };
    byServer = { ...home, ...served.remote };
    byMachine = { ...home, ...served.env };
  });

  const recordError = (line: string): void => {
    errors += line;
  };

  function connect(env: Env, mode: Mode = 'auto', roots: readonly string[] = [sites]): Promise<Client> {
    return connectTo(env, { mode, roots, folder, err: recordError });
  }

  for (const mode of ['legacy', 'auto'] as const) {
    for (const place of ['a server', 'this machine']) {
      it(`works with ${place} for ${mode === 'auto' ? 'current' : 'earlier'} clients`, async () => {
        const client = await connect(place === 'a server' ? byServer : byMachine, mode);
        const checked = await call(client, 'check', { path: site });
        expect(checked.json).to.deep.include({ pin: null, left_out: [], warnings: [] });
        await served.write('sites/one/.env.local', 'x');
        await served.write('sites/one/vercel.json', '{}');
        const published = await call(client, 'publish', { path: 'one', title: 'One' });
        const { pin, replayed, idempotency_key } = published.json;
        expect(published.isError, published.text).to.equal(false);
        expect([pin.title, pin.original_filename, replayed]).to.deep.equal(['One', 'one.zip', false]);
        expect(published.json.left_out).to.deep.equal(['.env.local']);
        for (const shown of [pin.shared_url, pin.expires_at, 'vercel.json', '.env.local']) {
          expect(published.text).to.include(String(shown));
        }
        const again = await call(client, 'publish', { path: site, title: 'One', idempotency_key });
        expect(again.json).to.deep.include({ replayed: true, idempotency_key });
        const { id } = pin;
        const renamed = await call(client, 'rename', { id, title: 'Two' });
        expect(renamed.json.pin.title).to.equal('Two');
        expect((await call(client, 'rename', { id, title: null })).json.pin.title).to.equal(null);
        const guarded = await call(client, 'set_password', { id, password: 'correct horse' });
        expect(guarded.json.pin.password_protected).to.equal(true);
        expect((await call(client, 'renew', { id })).json.pin.state).to.equal('published');
        expect((await call(client, 'get', { id: pin.shared_url })).json.pin.id).to.equal(id);
        const secret = await call(client, 'publish', { html: PAGE, password: 'correct horse' });
        expect(secret.json.pin.password_protected).to.equal(true);
        const named = await call(client, 'publish', { html: PAGE, name: 'docs' });
        expect(named.isError, named.text).to.equal(false);
        const { url, pin: shown } = named.json.name as Json;
        expect(url).to.match(/\/n\/docs-[0-9A-Za-z]{22}$/);
        expect([(shown as Json).id ?? shown, named.text.includes(String(url))]).to.deep.equal([
          named.json.pin.id,
          true,
        ]);
        const password = 'correct horse';
        await call(client, 'set_password', { id: named.json.pin.id, password });
        const open = await call(client, 'publish', { html: PAGE, name: 'docs' });
        expect([
          open.isError,
          open.text.includes('docs now shows a publication without a password'),
        ]).to.deep.equal([false, true]);
        expect(open.json.warnings.map(({ rule }: Json) => rule)).to.deep.equal(['password_dropped']);
        await call(client, 'stop', { id: open.json.pin.id });
        for (const more of [{ password }, { password: null }]) {
          const again = await call(client, 'publish', { html: PAGE, name: 'docs', ...more });
          expect(again.json.pin.password_protected).to.equal(more.password !== null);
          await call(client, 'stop', { id: again.json.pin.id });
        }
        const wrong = await call(client, 'publish', { html: PAGE, name: 'No Name' });
        expect([wrong.isError, wrong.json.code]).to.deep.equal([true, 'invalid_name']);
        await call(client, 'stop', { id: named.json.pin.id });
        const first = (await call(client, 'list', { limit: 1 })).json;
        expect(first.pins.map((listed: Json) => listed.id)).to.deep.equal([secret.json.pin.id]);
        const next = (await call(client, 'list', { limit: 1, cursor: first.next_cursor })).json;
        expect(next.pins.map((listed: Json) => listed.id)).to.deep.equal([id]);
        for (const _ of [1, 2]) {
          const stopped = await call(client, 'stop', { id });
          expect([stopped.isError, stopped.json.pin.state]).to.deep.equal([false, 'deleted']);
        }
        const { contents } = await client.readResource({ uri: 'pinfold://limits' });
        const [limits] = contents.map((content) => JSON.parse('text' in content ? content.text : ''));
        expect(limits.limits.files).to.equal(500);
        expect(limits.quotas).to.deep.equal({ sites: null, bytes: null });
      });
    }
  }

  it('describes its tools, with schemas without references', async () => {
    const client = await connect(byMachine);
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    const namesOf = (hint: 'readOnlyHint' | 'destructiveHint' | 'idempotentHint'): readonly string[] =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(Object.keys(hints)).to.have.members(
      'publish check list get rename set_password renew stop names set_name delete_name'.split(' '),
    );
    expect(namesOf('readOnlyHint')).to.have.members(['check', 'list', 'get', 'names']);
    expect(namesOf('destructiveHint')).to.have.members(
      'publish set_name delete_name set_password stop'.split(' '),
    );
    expect(namesOf('idempotentHint')).to.include.members(['rename', 'stop']);
    for (const { name, annotations } of tools)
      expect(annotations, name).to.include.keys('readOnlyHint', 'destructiveHint', 'idempotentHint');
    const instructions = client.getInstructions() ?? '';
    expect(instructions.split(/\s+/).length).to.be.within(50, 149);
    for (const word of ['never changes', 'name', 'expires']) expect(instructions).to.include(word);
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.to.include('$ref');
      expect(outputSchema?.type, name).to.equal('object');
    }
  });

  it('answers a refusal as an error of the tool with the problem, and continues', async () => {
    await served.write('sites/one/bad.zip', 'no zip');
    await served.write('sites/project/package.json', '{}');
    await served.write('sites/project/dist/index.html', PAGE);
    for (const env of [byServer, byMachine]) {
      const client = await connect(env);
      const { tools } = await client.listTools();
      const schemas = new Map(
        tools.map(({ name, outputSchema = {} }) => [name, fromJsonSchema(outputSchema as object)]),
      );
      const refusals = [
        ['publish', { path: join(site, 'bad.zip') }, 'invalid_archive'],
        ['publish', { html: PAGE, title: '\u0007bell' }, 'invalid_title'],
        ['publish', { html: PAGE, password: 'short' }, 'invalid_password'],
        ['publish', { html: PAGE, idempotency_key: 'ü' }, 'invalid_idempotency_key'],
        ['publish', { html: PAGE, idempotency_key: 'a\r\nb: c' }, 'invalid_idempotency_key'],
        ['publish', { html: PAGE, password: 'long enough \ud800' }, 'invalid_password'],
        ['publish', { path: `${site}\0` }, 'not_found'],
        ['publish', { html: PAGE, path: site }, 'usage'],
        ['publish', {}, 'usage'],
        ['publish', { path: 1 }, 'usage'],
        ['publish', { html: PAGE, other: true }, 'usage'],
        ['check', { files: [{ path: 5 }] }, 'usage'],
        ['get', {}, 'usage'],
        ['list', { limit: 101 }, 'usage'],
        ['list', { state: 'gone' }, 'usage'],
        ['publish', { html: 'x'.repeat(11 * 2 ** 20) }, 'invalid_archive'],
        ['check', { path: join(sites, 'project') }, 'looks_like_project'],
        ['get', { id: UNKNOWN }, 'not_found'],
        ['get', { id: '../limits' }, 'usage'],
        ['stop', { id: UNKNOWN }, 'not_found'],
        ['list', { cursor: 'strange' }, 'invalid_request'],
      ] as const;
      for (const [name, args, code] of refusals) {
        const { isError, json, text } = await call(client, name, args);
        expect([isError, json?.code], `${name} ${JSON.stringify(args).slice(0, 99)}: ${text}`).to.deep.equal([
          true,
          code,
        ]);
        // Some clients check the answer of a failed tool against the schema, too.
        expect(await schemas.get(name)?.['~standard'].validate(json)).not.to.have.property('issues');
        expect(json).to.include({ type: `urn:pinfold:problem:${code}`, retryable: false });
        expect(json.suggestion, name).to.match(code === 'invalid_request' ? /send it again\.$/ : /\.$/);
        expect(text).to.include(json.suggestion);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may come through
        expect(text).not.to.match(/[\u0000-\u0009\u000b-\u001f]|--(?:title|idempotency-key)/);
      }
      expect((await call(client, 'publish', { html: PAGE })).isError).to.equal(false);
    }
    expect(errors).not.to.include(' failed: ');
  });

  it('publishes only from its roots, even through links', async () => {
    const outside = join(folder, 'outside');
    await served.write('outside/index.html', 'secret');
    await symlink(outside, join(sites, 'link'));
    await symlink(join(outside, 'index.html'), join(sites, 'page.html'));
    const { bytes } = await packFiles([{ path: 'index.html', bytes: Buffer.from(PAGE) }]);
    await served.write('sites/one/one.zip', bytes);
    for (const roots of [[sites], [site, sites]]) {
      const client = await connect(byMachine, 'auto', roots);
      const outcomeOf = async (path: string) => (await call(client, 'check', { path })).json.code;
      for (const path of [outside, `${site}/../../outside`, join(sites, 'link'), join(sites, 'page.html')]) {
        expect(await outcomeOf(path), path).to.equal('usage');
      }
      expect(await outcomeOf('/etc/passwd')).to.equal('usage');
      expect(await outcomeOf('\0')).not.to.equal(undefined);
      expect(await outcomeOf(join(sites, 'none'))).to.equal('not_found');
      for (const path of [site, join(site, 'one.zip'), join(site, 'index.html')]) {
        expect(await outcomeOf(path), path).to.equal(undefined);
      }
    }
  });

  it('needs --root in the home folder, but publishes the source of a page without it', async () => {
    const client = await connect(byMachine, 'auto', []);
    const { json, text } = await call(client, 'publish', { path: site });
    expect([json.code, text.includes('--root')]).to.deep.equal(['usage', true]);
    expect((await call(client, 'publish', { html: PAGE })).isError).to.equal(false);
    for (const root of [join(folder, 'none'), join(site, 'index.html'), '']) {
      const { code, out } = await run(byMachine, 'mcp', '--root', root);
      expect([code, out], root).to.deep.equal([2, '']);
    }
  });

  it('prints only the protocol, and ends with its input, after running calls', async () => {
    const child = spawnCommand(byMachine, 'mcp', '--root', 'sites');
    const [out, err] = [text(child.stdout), text(child.stderr ?? child.stdout)];
    const request = (id: number, method: string, params: Json) =>
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    child.stdin?.write('not json\n');
    const args = { path: 'one', idempotency_key: 'begun' };
    const toolCall = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'publish', arguments: args },
    };
    for (const piece of JSON.stringify(toolCall).match(/.{1,20}/g) ?? []) {
      child.stdin?.write(piece);
      await setImmediate();
    }
    child.stdin?.end('\n');
    expect((await once(child, 'close'))[0]).to.equal(0);
    for (const line of (await out).split('\n').slice(0, -1)) {
      expect(JSON.parse(line), line).to.include({ jsonrpc: '2.0' });
    }
    expect(await err).not.to.include('unhandled');
    const client = await connect(byMachine);
    expect((await call(client, 'publish', args)).json.replayed).to.equal(true);
  });

  it('never shows the key, even if it is wrong', async () => {
    const wrong = `pf_wrong_${'k'.repeat(43)}`;
    const client = await connect({ ...byServer, PINFOLD_KEY: wrong });
    const { isError, json, text } = await call(client, 'list');
    expect([isError, json.code, json.status]).to.deep.equal([true, 'unauthorized', 401]);
    expect(JSON.stringify([json, text]) + errors).not.to.include('kkkk');
    const args = { html: PAGE, idempotency_key: `again-${served.key}` };
    const refused = await call(await connect(byServer), 'publish', args);
    expect([refused.isError, refused.json.code]).to.deep.equal([true, 'usage']);
    expect(JSON.stringify(refused) + errors).not.to.include(served.key);
  });

  it('exits with 2 if both a login and ./data could be meant, or neither exists', async () => {
    const { url, key } = served;
    const home = { HOME: join(folder, 'home'), npm_lifecycle_event: 'pinfold', INIT_CWD: folder };
    writeLogin(home, url, key);
    const { code, out, err } = await run(home, 'mcp');
    expect([code, out]).to.deep.equal([2, '']);
    expect(err).to.include(`--url ${url}`).and.include('PINFOLD_DATA_DIR=');
    expect((await run({ HOME: join(folder, 'nobody'), PINFOLD_KEY: key }, 'mcp')).code).to.equal(2);
  });
});
