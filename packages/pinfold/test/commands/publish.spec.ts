import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packFolder } from '@pinfold/client/node';
import { expect } from 'chai';
import decodeQR from 'qr/decode.js';
import { type Env, run, runPiped, runProcess, runWith } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';

/** Reads a code of which it is known which modules are dark, four pixels each. */
function readCode(dark: readonly (readonly boolean[])[]): string {
  const scale = 4;
  const [width, height] = [(dark[0]?.length ?? 0) * scale, dark.length * scale];
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [Math.floor((at % width) / scale), Math.floor(at / width / scale)];
    data.fill(dark[y]?.[x] ? 0 : 255, at * 4, at * 4 + 3).fill(255, at * 4 + 3, at * 4 + 4);
  }
  return decodeQR({ width, height, data });
}

describe('pinfold publish', () => {
  let served: Served;
  let folder: string;
  let site: string;
  let env: Env;
  let url: string;
  let key: string;

  beforeEach(async () => {
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    ({ folder, url, key } = served);
    env = { ...served.env, PINFOLD_PUBLIC_URL: url };
    site = join(folder, 'my site');
    await mkdir(join(site, 'docs'), { recursive: true });
    await writeFile(join(site, 'index.html'), '<!doctype html><title>x</title><p>Hello');
    await writeFile(join(site, 'docs', '日本語.txt'), 'Hello');
  });

  afterEach(() => served.close());

  async function pinOf(id: string): Promise<Record<string, unknown>> {
    const answer = await fetch(`${url}/api/v1/pins/${id}`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { readonly pin: Record<string, unknown> }).pin;
  }

  it('publishes a folder beside a running server, without a key, and prints only the shared URL', async () => {
    const { code, out, err } = await runProcess(env, ['publish', site, '--title', 'Mine']);
    expect(code, err).to.equal(0);
    expect(out).to.match(new RegExp(`^${url}/s/[0-9a-f-]{36}\n$`));
    expect(await (await fetch(out.trim())).text()).to.include('Hello');
    expect(await pinOf(out.trim().slice(-36))).to.include({
      title: 'Mine',
      original_filename: 'my site.zip',
      file_count: 2,
    });
  });

  it('publishes through the API of a remote server, and writes no progress into a pipe', async () => {
    const published = await run({ PINFOLD_URL: `${url}/`, PINFOLD_KEY: key }, 'publish', site, '--json');
    const { pin, warnings } = JSON.parse(published.out);
    expect(await pinOf(pin.id)).to.deep.equal(pin);
    expect(warnings).to.deep.equal([]);
    const { code, err } = await runProcess(served.remote, ['publish', site]);
    expect([code, err.replace(/^published: [^\r\n]+\n$/, '')]).to.deep.equal([0, '']);
  });

  for (const way of ['directly', 'by the API']) {
    const elsewhere = (): readonly string[] => (way === 'directly' ? [] : ['--url', url, '--key', key]);

    it(`publishes once for one Idempotency-Key, ${way}`, async () => {
      const args = ['publish', site, '--idempotency-key', 'mine', ...elsewhere()];
      const [first, second] = [await run(env, ...args), await run(env, ...args)];
      expect(first.code, first.err).to.equal(0);
      expect(second.out).to.equal(first.out);
      await writeFile(join(site, 'index.html'), 'other');
      expect((await run(env, ...args)).code).to.equal(1);
    });

    it(`lists the rules that an archive breaks, ${way}`, async () => {
      await writeFile(join(folder, 'site.zip'), 'no zip');
      const { code, out, err } = await run(env, 'publish', join(folder, 'site.zip'), ...elsewhere());
      expect([code, out]).to.deep.equal([1, '']);
      expect(err).to.include('not_a_zip');
    });

    it(`explains where the index of a folder belongs, ${way}`, async () => {
      const publish = async (...path: readonly string[]) =>
        run(env, 'publish', join(...path), '--json', ...elsewhere());
      await rm(join(site, 'index.html'));
      const none = await publish(site);
      expect([none.code, none.err]).to.deep.equal([1, `pinfold: ${site} has no index.html at its root\n`]);
      await mkdir(join(site, '.vitepress', 'dist'), { recursive: true });
      await writeFile(join(site, '.vitepress', 'dist', 'index.html'), 'page');
      const found = await publish(site);
      expect(found.err).to.include(`but ${join(site, '.vitepress', 'dist')} has one`);
      expect(JSON.parse(found.out).error.errors[0].rule).to.equal('missing_index');
      await mkdir(join(folder, 'empty'));
      expect((await publish(folder, 'empty')).err).to.include('is empty');
    });

    it(`publishes a .zip as it is, ${way}`, async () => {
      const { bytes } = await packFolder(site);
      await writeFile(join(folder, 'Site.ZIP'), bytes);
      const { code, out, err } = await run(
        env,
        'publish',
        join(folder, 'Site.ZIP'),
        '--json',
        ...elsewhere(),
      );
      expect(code, err).to.equal(0);
      expect(JSON.parse(out).pin).to.include({ original_filename: 'Site.ZIP', file_count: 2 });
    });

    it(`publishes a single page as the index of a site, ${way}`, async () => {
      const page = join(folder, 'Report 2026.HTM');
      await writeFile(page, '<!doctype html><title>x</title><p>Figures<img src="chart.png">');
      const args = ['publish', page, '--idempotency-key', 'mine', ...elsewhere()];
      const { code, out, err } = await run(env, ...args);
      expect(code, err).to.equal(0);
      expect(err).to.include('broken_reference');
      expect(await (await fetch(out.trim())).text()).to.include('Figures');
      expect(await pinOf(out.trim().slice(-36))).to.include({
        original_filename: 'Report 2026.zip',
        file_count: 1,
      });
      expect((await run(env, ...args)).out).to.equal(out);
    });
  }

  describe('a page with files beside it', () => {
    let page: string;

    beforeEach(async () => {
      page = join(folder, 'report.html');
      await writeFile(
        page,
        '<!doctype html><title>x</title><link rel="stylesheet" href="s.css"><img src="a.png">',
      );
      await writeFile(join(folder, 's.css'), 'p { color: red }');
      await writeFile(join(folder, 'a.png'), 'a picture');
    });

    async function fileCount(out: string): Promise<unknown> {
      return (await pinOf(out.trim().slice(-36))).file_count;
    }

    it('is packed with them with --with-files, into the same ZIP each time', async () => {
      const args = ['publish', page, '--with-files', '--idempotency-key', 'mine'];
      const { code, out, err } = await run(env, ...args);
      expect(code, err).to.equal(0);
      expect(err).not.to.include('broken_reference');
      expect(await fileCount(out)).to.equal(3);
      expect(await (await fetch(`${out.trim()}/a.png`)).text()).to.equal('a picture');
      expect((await run(env, ...args)).out).to.equal(out);
    });

    it('is packed alone without a terminal to ask on, and reports it', async () => {
      const { out, err } = await run(env, 'publish', page);
      expect(err).to.include('left out: a.png, s.css; --with-files publishes what the page shows');
      expect(await fileCount(out)).to.equal(1);
    });

    for (const agrees of [true, false]) {
      it(`is packed ${agrees ? 'with them' : 'alone'} if a person answers ${agrees ? 'yes' : 'no'}`, async () => {
        const asked: string[] = [];
        const confirm = async (question: string): Promise<boolean> => {
          asked.push(question);
          return agrees;
        };
        const { out } = await runWith({ confirm }, env, 'publish', page);
        expect(asked[0]).to.equal('The page shows a.png, s.css. Publish them, too?');
        expect(await fileCount(out)).to.equal(agrees ? 3 : 1);
      });
    }

    it('is the only input that --with-files accepts', async () => {
      await writeFile(join(folder, 'site.zip'), '');
      for (const wrong of [[site], [join(folder, 'site.zip')], ['-', '--name', 'x.html']]) {
        expect((await run(env, 'publish', ...wrong, '--with-files')).code).to.equal(2);
      }
      for (const wrong of [[page], [join(folder, 'site.zip')], ['-', '--name', 'x.html']]) {
        expect((await run(env, 'publish', ...wrong, '--with-dot-files')).code).to.equal(2);
      }
    });
  });

  it('shows the link as a QR code that a reader reads, and the link alone on standard output', async () => {
    const { out, err } = await run(env, 'publish', site, '--qr');
    expect(out).to.match(/^http[^\n]+\n$/);
    const lines = err.split('\n').filter((line) => /^[ \u2580-\u2588]+$/.test(line));
    // Light is drawn, two modules above one another in a character.
    const dark = lines.flatMap((line) => [
      [...line].map((sign) => sign === ' ' || sign === '▄'),
      [...line].map((sign) => sign === ' ' || sign === '▀'),
    ]);
    expect(readCode(dark)).to.equal(out.trim());
  });

  it('publishes a page that is piped into it, under a name', async () => {
    const page = '<!doctype html><title>x</title><p>Piped';
    const { code, out, err } = await runPiped(page, env, 'publish', '-', '--name', 'report.html');
    expect(code, err).to.equal(0);
    expect(await (await fetch(out.trim())).text()).to.include('Piped');
    expect(await pinOf(out.trim().slice(-36))).to.include({ original_filename: 'report.zip' });
    for (const wrong of [['-'], ['-', '--name', 'report.txt'], [site, '--name', 'report.html']]) {
      expect((await run(env, 'publish', ...wrong)).code).to.equal(2);
    }
  });

  it('shows progress on a terminal, directly and through the API', async () => {
    const watched = async (...more: readonly string[]): Promise<readonly string[]> => {
      const doings: string[] = [];
      await runWith({ progress: (doing) => void doings.push(doing) }, env, 'publish', site, ...more);
      return doings;
    };
    expect(await watched()).to.deep.equal(['packing', 'checking']);
    const byTheApi = await watched('--url', url, '--key', key);
    expect(byTheApi).to.deep.equal(['packing', 'sending, 0 %', 'checking']);
  });

  it('leaves out files that no site may have, and lists them', async () => {
    for (const name of ['node_modules', '.git', 'docs/Tmp']) {
      await mkdir(join(site, name), { recursive: true });
      await writeFile(join(site, name, 'file'), 'x');
    }
    await writeFile(join(site, '.env'), 'SECRET=1');
    await writeFile(join(site, '.DS_Store'), 'x');
    await symlink('index.html', join(site, 'link.html'));
    const { code, out, err } = await run(env, 'publish', site, '--json');
    expect(code, err).to.equal(0);
    expect(JSON.parse(out).pin.file_count).to.equal(2);
    expect(err).to.include('.env, .git/, docs/Tmp/, link.html, node_modules/');
    expect(err).not.to.include('DS_Store');
  });

  it('packs dot files only on request, and never a private key', async () => {
    for (const name of ['.env.local', '.npmrc', 'id_rsa', '.nojekyll'])
      await writeFile(join(site, name), 'x');
    await mkdir(join(site, '.well-known'));
    await writeFile(join(site, '.well-known', 'security.txt'), 'x');
    await writeFile(
      join(site, 'server.key'),
      '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n',
    );
    const without = await run(env, 'publish', site, '--json');
    expect(JSON.parse(without.out).pin.file_count).to.equal(3);
    expect(without.err).to.include('left out: .env.local, .nojekyll, .npmrc, id_rsa, server.key (');
    const taken = await run(env, 'publish', site, '--with-dot-files', '--json');
    expect(JSON.parse(taken.out).pin.file_count).to.equal(6);
    expect(taken.err).to.include('left out: id_rsa, server.key (');
  });

  it("resolves a relative path from the folder of the npm script's caller", async () => {
    const npm = { ...env, npm_lifecycle_event: 'pinfold', INIT_CWD: folder };
    const { code, out, err } = await run(npm, 'publish', './my site', '--json');
    expect(code, err).to.equal(0);
    expect(JSON.parse(out).pin.original_filename).to.equal('my site.zip');
    expect((await run({ ...npm, npm_lifecycle_event: 'deploy' }, 'publish', './my site')).code).to.equal(1);
  });

  it('explains how to reach a remote server if none runs here', async () => {
    const { code, err } = await run({ PINFOLD_DATA_DIR: join(folder, 'none') }, 'publish', site);
    expect(code).to.equal(1);
    expect(err).to.include('PINFOLD_DATA_DIR').and.to.include('--url');
  });

  it('reports a path that does not exist', async () => {
    expect((await run(env, 'publish', join(folder, 'nothing'))).code).to.equal(1);
    expect((await run(env, 'publish', join(site, 'docs', '日本語.txt'))).code).to.equal(2);
  });
});
