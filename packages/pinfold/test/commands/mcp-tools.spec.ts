import { expect } from 'chai';
import type { Env } from '../command-run.ts';
import { serve } from '../servers/served.ts';
import { call, connectTo, type Json, PAGE } from './mcp-client.ts';

describe('the tools of pinfold mcp', () => {
  let remote: Env;
  let machine: Env;
  let connection: Parameters<typeof connectTo>[1];

  beforeEach(async () => {
    const { folder, env, remote: elsewhere } = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    connection = { roots: [folder], folder };
    const home = { HOME: folder };
    remote = { ...home, ...elsewhere };
    machine = { ...home, ...env };
  });

  it('takes the files of a site from an agent without a disk, and says which of them is wrong', async () => {
    const client = await connectTo(remote, connection);
    const index = { path: 'index.html', content: '<!doctype html><title>x</title><img src="a/dot.gif">' };
    const dot = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
    const files = [index, { path: 'a/dot.gif', base64: dot.toString('base64') }];
    const { json, text } = await call(client, 'publish', { files });
    expect([json.pin?.file_count, json.warnings], text).to.deep.equal([2, []]);
    const picture = await fetch(`${json.pin.shared_url}/a/dot.gif`);
    expect(Buffer.from(await picture.arrayBuffer())).to.deep.equal(dot);
    for (const [given, named] of [
      [[], 'empty'],
      [[index, { path: 'b' }], '"b"'],
      [[index, { path: 'b', content: 'x', base64: 'eA==' }], '"b"'],
      [[index, { path: 'b', base64: 'eA' }], '"b"'],
      [[index, { path: 'b', base64: '!!!!' }], '"b"'],
      [[index, { path: '../b', content: '' }], '"../b"'],
      [[index, { path: '/b', content: '' }], '"/b"'],
      [[index, { path: 'b/', content: '' }], '"b/"'],
      [[index, { path: '', content: '' }], '""'],
      [[index, index], '"index.html"'],
    ] as const) {
      const wrong = await call(client, 'check', { files: given });
      expect([wrong.isError, wrong.json.code], wrong.text).to.deep.equal([true, 'usage']);
      expect(wrong.text).to.include(named);
    }
    const both = await call(client, 'check', { files, html: PAGE });
    expect([both.isError, both.json.code]).to.deep.equal([true, 'invalid_request']);
  });

  it('reads views and limits, and lists, points and deletes names', async () => {
    for (const env of [remote, machine]) {
      const client = await connectTo(env, connection);
      const [one, two] = [
        await call(client, 'publish', { html: PAGE }),
        await call(client, 'publish', { html: PAGE }),
      ];
      const { pin, views, limits } = (await call(client, 'get', { id: one.json.pin.id })).json;
      expect([pin.id, views, limits.files]).to.deep.equal([one.json.pin.id, [], 500]);
      for (const shown of [one, two]) {
        const set = await call(client, 'set_name', { name: 'agent', pin: shown.json.pin.shared_url });
        expect(set.json.name.pin).to.equal(shown.json.pin.id);
        expect(set.text).to.include('without a password');
      }
      await call(client, 'set_name', { name: 'zoo', pin: one.json.pin.id });
      const page = (await call(client, 'names', { limit: 1 })).json;
      expect(page.names.map(({ name }: Json) => name)).to.deep.equal(['agent']);
      const { json } = await call(client, 'names', { cursor: page.next_cursor });
      expect([json.names.map(({ name }: Json) => name), json.next_cursor]).to.deep.equal([['zoo'], null]);
      expect((await call(client, 'get', { id: page.names[0].url })).json.pin.id).to.equal(two.json.pin.id);
      for (const name of ['agent', 'zoo'])
        expect((await call(client, 'delete_name', { name })).json).to.deep.equal({ deleted: name });
      const gone = await call(client, 'delete_name', { name: 'agent' });
      expect([gone.isError, gone.json.code]).to.deep.equal([true, 'not_found']);
    }
  });
});
