import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Env } from '../command-run.ts';
import { type Machine, serve } from '../servers/served.ts';
import { call, connectTo, type Json, PAGE } from './mcp-client.ts';

describe('the tools of pinfold mcp', () => {
  let remote: Env;
  let machine: Env;
  let write: Machine['write'];
  let connection: Parameters<typeof connectTo>[1];

  beforeEach(async () => {
    const { folder, env, remote: elsewhere, write: writeFile } = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    write = writeFile;
    connection = { roots: [folder], folder };
    const home = { HOME: folder };
    remote = { ...home, ...elsewhere };
    machine = { ...home, ...env };
  });

  it('names the files that make a folder too large', async () => {
    const small = await serve({ PINFOLD_ARCHIVE_BYTES: '1000' });
    await small.write('film/index.html', 'x');
    await small.write('film/film.bin', randomBytes(4_000));
    const client = await connectTo(small.remote, { roots: [small.folder], folder: small.folder });
    const { json, text } = await call(client, 'check', { path: join(small.folder, 'film') });
    expect(json.code).to.equal('archive_too_large');
    expect(text).to.include('film.bin: 4000 bytes');
  });

  it('accepts the files of a site from an agent without a disk, and names the wrong one', async () => {
    const client = await connectTo(remote, connection);
    const index = { path: 'index.html', content: '<!doctype html><title>x</title><img src="a/dot.gif">' };
    const dot = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
    const files = [index, { path: 'a/dot.gif', base64: dot.toString('base64') }];
    const { json, text } = await call(client, 'publish', { files });
    expect([json.pin?.file_count, json.warnings], text).to.deep.equal([2, []]);
    const picture = await fetch(`${json.pin.shared_url}/a/dot.gif`);
    expect(Buffer.from(await picture.arrayBuffer())).to.deep.equal(dot);
    for (const [wrongFiles, named] of [
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
      [[index, { path: 'b', content: 'a\ud83d' }], '"b"'],
      [[index, { path: 'a\ude00', content: '' }], '"a\\ude00"'],
    ] as const) {
      const wrong = await call(client, 'check', { files: wrongFiles });
      expect([wrong.isError, wrong.json.code], wrong.text).to.deep.equal([true, 'usage']);
      expect(wrong.text).to.include(named);
    }
    const half = await call(client, 'publish', { html: `${PAGE}\ud83d` });
    expect([half.isError, half.json.code, half.text]).to.include.members([true, 'usage']);
    expect((await call(client, 'publish', { html: `${PAGE}\ud83d\ude00` })).isError).to.equal(false);
    expect((await call(client, 'check', { html: PAGE })).text).to.include('It can be published: 1 file, ');
    const tooMany = Array.from({ length: 65_535 }, (_, number) => ({ path: `${number}`, content: '' }));
    const refused = await call(client, 'check', { files: tooMany });
    expect([refused.isError, refused.json.code]).to.deep.equal([true, 'archive_too_large']);
    const both = await call(client, 'check', { files, html: PAGE });
    expect([both.isError, both.json.code]).to.deep.equal([true, 'usage']);
  });

  it('reads views and limits, and lists, sets and deletes names', async () => {
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
      for (const name of ['', '.', 'A b', '\ud83d']) {
        const notSet = await call(client, 'set_name', { name, pin: one.json.pin.id });
        const notDeleted = await call(client, 'delete_name', { name });
        expect([notSet.json.code, notDeleted.json.code], name).to.deep.equal(['invalid_name', 'not_found']);
      }
      const page = (await call(client, 'names', { limit: 1 })).json;
      expect(page.names.map(({ name }: Json) => name)).to.deep.equal(['agent']);
      const { json } = await call(client, 'names', { cursor: page.next_cursor });
      expect([json.names.map(({ name }: Json) => name), json.next_cursor]).to.deep.equal([['zoo'], null]);
      expect((await call(client, 'get', { id: page.names[0].url })).json.pin.id).to.equal(two.json.pin.id);
      for (const name of ['agent', 'zoo'])
        expect((await call(client, 'delete_name', { name })).json).to.deep.equal({ deleted: name });
      const deletedAgain = await call(client, 'delete_name', { name: 'agent' });
      expect([deletedAgain.isError, deletedAgain.json.code]).to.deep.equal([true, 'not_found']);
    }
  });

  it('advises what to publish instead of a folder without an index.html', async () => {
    for (const env of [remote, machine]) {
      const client = await connectTo(env, connection);
      for (const [files, path, named] of [
        [['sphinx/conf.py', 'sphinx/out/index.html'], 'sphinx', join('sphinx', 'out')],
        [['guide/a.md', 'guide/.vitepress/dist/index.html'], 'guide', join('guide', '.vitepress', 'dist')],
        [['old/INDEX.HTM'], 'old', join('old', 'INDEX.HTM')],
        [['one/tea.html', 'one/a.css'], 'one', join('one', 'tea.html')],
        [['ci/artifact.tar'], 'ci', join('ci', 'artifact.tar')],
      ] as const) {
        for (const file of files) await write(file, 'x');
        for (const tool of ['publish', 'check']) {
          const { isError, json, text } = await call(client, tool, { path });
          expect([isError, json.code, json.errors.length], text).to.deep.equal([true, 'invalid_archive', 1]);
          expect(text).to.include(`"${named}"`).and.to.equal(`${json.errors[0].detail} ${json.suggestion}`);
          expect(text).not.to.include('the ZIP');
        }
      }
      const files = [
        { path: 'de/index.html', content: PAGE },
        { path: 'a.css', content: '' },
      ];
      const { text } = await call(client, 'publish', { files });
      expect(text).to.include('the folder "de" has one').and.not.to.include('the ZIP');
    }
  });

  it('names each cause of warnings once, and the missing files of a single page', async () => {
    const client = await connectTo(remote, connection);
    const scripts = Array.from({ length: 9 }, (_, n) => `<script src="/s${n}.js"></script>`).join('');
    const files = ['index.html', 'b.html', 'c.html'].map((path) => ({ path, content: `${PAGE}${scripts}` }));
    const { text, json } = await call(client, 'check', { files });
    expect(json.warnings).to.have.length(20);
    expect(text.match(/absolute_reference/g)).to.have.length(1);
    const page = await call(client, 'check', { html: `${PAGE}<img src="tea.png">` });
    expect(page.text).to.include('Publish the folder that contains it');
    expect((await call(client, 'check', { html: PAGE })).text).not.to.include('Publish the folder');
  });
});
