import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packFolder } from '@pinfold/client/node';
import { expect } from 'chai';
import decodeQR from 'qr/decode.js';
import { type Env, run, runPiped, runProcess, runWith } from '../command-run.ts';
import { type Served, SHELLS, serve } from '../servers/served.ts';

/** Decodes a QR code whose dark modules are known, four pixels each. */
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

  beforeEach(async () => {
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    ({ folder, env } = served);
    site = join(folder, 'my site');
    await served.write('my site/index.html', '<!doctype html><title>x</title><p>Hello');
    await served.write('my site/docs/日本語.txt', 'Hello');
  });

  /** The publication whose link a command printed. */
  const pinOf = async (out: string) => (await served.json('show', out.trim())).pin;

  it('publishes a folder beside a running server, without a key, and prints only the shared URL', async () => {
    const { code, out, err } = await runProcess(env, ['publish', site, '--title', 'Mine']);
    expect(code, err).to.equal(0);
    expect(out).to.match(new RegExp(`^${served.url}/s/[0-9a-f-]{36}\n$`));
    expect(await (await fetch(out.trim())).text()).to.include('Hello');
    expect(await pinOf(out)).to.include({
      title: 'Mine',
      original_filename: 'my site.zip',
      file_count: 2,
    });
  });

  it('publishes through the API of a remote server, and writes no progress into a pipe', async () => {
    const remote = { ...served.remote, PINFOLD_URL: `${served.url}/` };
    const { pin, warnings } = JSON.parse((await run(remote, 'publish', site, '--json')).out);
    expect(await pinOf(pin.id)).to.deep.equal(pin);
    expect(warnings).to.deep.equal([]);
    const { code, err } = await runProcess(served.remote, ['publish', site]);
    expect([code, err.replace(/^published: [^\r\n]+\n$/, '')]).to.deep.equal([0, '']);
  });

  for (const [way, shellOf] of Object.entries(SHELLS)) {
    it(`publishes once for one Idempotency-Key, ${way}`, async () => {
      const publish = () => shellOf(served).run('publish', site, '--idempotency-key', 'mine');
      const [first, second] = [await publish(), await publish()];
      expect(first.code, first.err).to.equal(0);
      expect(second.out).to.equal(first.out);
      await served.write('my site/index.html', 'other');
      expect((await publish()).code).to.equal(1);
    });

    it(`lists the rules that an archive breaks, ${way}`, async () => {
      const zip = await served.write('site.zip', 'no zip');
      const { code, out, err } = await shellOf(served).run('publish', zip);
      expect([code, out]).to.deep.equal([1, '']);
      expect(err).to.include('not_a_zip');
    });

    it(`explains where the index of a folder belongs, ${way}`, async () => {
      const publish = (path: string) => shellOf(served).run('publish', path, '--json');
      await rm(join(site, 'index.html'));
      const none = await publish(site);
      expect(`${none.code},${none.err}`).to.match(/^1,pinfold: There is no index\.html, .*\n$/);
      await served.write('my site/.vitepress/dist/index.html', 'page');
      const found = await publish(site);
      expect(found.err).to.include(`the folder "${join(site, '.vitepress', 'dist')}" has one. Publish that`);
      expect(JSON.parse(found.out).error.errors[0].rule).to.equal('missing_index');
      await mkdir(join(folder, 'empty'));
      expect((await publish(join(folder, 'empty'))).err).to.include('There are no files');
    });

    it(`publishes a .zip unchanged, ${way}`, async () => {
      const zip = await served.write('Site.ZIP', (await packFolder(site)).bytes);
      expect((await shellOf(served).json('publish', zip)).pin).to.include({
        original_filename: 'Site.ZIP',
        file_count: 2,
      });
    });

    it(`publishes a single page as the index of a site, ${way}`, async () => {
      const text = '<!doctype html><title>x</title><p>Figures<img src="chart.png">';
      const page = await served.write('Report 2026.HTM', text);
      const publish = () => shellOf(served).run('publish', page, '--idempotency-key', 'mine');
      const { code, out, err } = await publish();
      expect(code, err).to.equal(0);
      expect(err).to.include('broken_reference');
      expect(await (await fetch(out.trim())).text()).to.include('Figures');
      expect(await pinOf(out)).to.include({
        original_filename: 'Report 2026.zip',
        file_count: 1,
      });
      expect((await publish()).out).to.equal(out);
    });
  }

  describe('a page with files beside it', () => {
    let page: string;

    beforeEach(async () => {
      const text = '<!doctype html><title>x</title><link rel="stylesheet" href="s.css"><img src="a.png">';
      page = await served.write('report.html', text);
      await served.write('s.css', 'p { color: red }');
      await served.write('a.png', 'a picture');
    });

    it('is packed with them with --with-files, into the same ZIP each time', async () => {
      const args = ['publish', page, '--with-files', '--idempotency-key', 'mine'];
      const { code, out, err } = await served.run(...args);
      expect(code, err).to.equal(0);
      expect(err).not.to.include('broken_reference');
      expect((await pinOf(out)).file_count).to.equal(3);
      expect(await (await fetch(`${out.trim()}/a.png`)).text()).to.equal('a picture');
      expect((await served.run(...args)).out).to.equal(out);
    });

    it('is packed alone without a terminal to ask on, and reports it', async () => {
      const { out, err } = await served.run('publish', page);
      expect(err).to.include('left out: a.png, s.css; --with-files publishes what the page shows');
      expect((await pinOf(out)).file_count).to.equal(1);
    });

    for (const agrees of [true, false]) {
      it(`is packed ${agrees ? 'with them' : 'alone'} if a person answers ${agrees ? 'yes' : 'no'}`, async () => {
        const questions: string[] = [];
        const confirm = async (question: string): Promise<boolean> => {
          questions.push(question);
          return agrees;
        };
        const { out } = await runWith({ confirm }, env, 'publish', page);
        expect(questions[0]).to.equal('The page shows a.png, s.css. Publish them, too?');
        expect((await pinOf(out)).file_count).to.equal(agrees ? 3 : 1);
      });
    }

    it('is the only input that --with-files accepts, and --with-dot-files accepts only a folder', async () => {
      const zip = await served.write('site.zip', '');
      for (const wrong of [[zip], ['-', '--name', 'x.html']])
        for (const option of ['--with-files', '--with-dot-files'])
          expect((await served.run('publish', ...wrong, option)).code).to.equal(2);
      expect((await served.run('publish', site, '--with-files')).code).to.equal(2);
      expect((await served.run('publish', page, '--with-dot-files')).code).to.equal(2);
    });
  });

  it('reports the size of a ZIP that is too large, and its largest files', async () => {
    const small = await serve({ PINFOLD_ARCHIVE_BYTES: '5000' });
    await small.write('film/index.html', 'x');
    for (const [name, size] of Object.entries({ 'a.bin': 900, 'b.bin': 4_000, 'c.bin': 1_500, 'd.bin': 800 }))
      await small.write(`film/${name}`, randomBytes(size));
    const { code, out, err } = await small.run('publish', join(small.folder, 'film'), '--json');
    const [{ limit, actual }] = JSON.parse(out).error.errors;
    expect([code, limit, actual > 7_200]).to.deep.equal([1, 5_000, true]);
    expect(err).to.include(`It has ${actual} bytes`);
    expect(err.match(/\w\.\w+: \d+/g)).to.deep.equal(['b.bin: 4000', 'c.bin: 1500', 'a.bin: 900']);
  });

  it('shows the link as a readable QR code, and prints only the link on standard output', async () => {
    const { out, err } = await served.run('publish', site, '--qr');
    expect(out).to.match(/^http[^\n]+\n$/);
    const lines = err.split('\n').filter((line) => /^[ \u2580-\u2588]+$/.test(line));
    // Light modules are drawn, two in one character, one above the other.
    const dark = lines.flatMap((line) => [
      [...line].map((sign) => sign === ' ' || sign === '▄'),
      [...line].map((sign) => sign === ' ' || sign === '▀'),
    ]);
    expect(readCode(dark)).to.equal(out.trim());
  });

  it('publishes a page from a pipe, under a file name', async () => {
    const page = '<!doctype html><title>x</title><p>Piped';
    const { code, out, err } = await runPiped(page, env, 'publish', '-', '--name', 'report.html');
    expect(code, err).to.equal(0);
    expect(await (await fetch(out.trim())).text()).to.include('Piped');
    expect(await pinOf(out)).to.include({ original_filename: 'report.zip' });
    for (const wrong of [['-'], ['-', '--name', 'report.txt'], [site, '--name', 'report.html']]) {
      expect((await served.run('publish', ...wrong)).code).to.equal(2);
    }
  });

  it('shows progress on a terminal', async () => {
    const progressOf = async (...more: readonly string[]): Promise<readonly string[]> => {
      const activities: string[] = [];
      await runWith(
        { progress: (activity) => void activities.push(activity) },
        env,
        'publish',
        site,
        ...more,
      );
      return activities;
    };
    for (const target of [[], ['--url', served.url, '--key', served.key]])
      expect(await progressOf(...target)).to.deep.equal(['packing', 'sending, 0 %', 'checking']);
  });

  it('packs dot files only on request, and never a private key', async () => {
    for (const name of [
      '.env.local',
      '.npmrc',
      'id_ed25519',
      '.nojekyll',
      '.well-known/security.txt',
      '.git/x',
    ])
      await served.write(`my site/${name}`, 'x');
    const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n';
    await served.write('my site/old/deploy', key);
    await served.write('my site/__proto__', 'x');
    const without = await served.run('publish', site);
    expect((await pinOf(without.out)).file_count).to.equal(4);
    expect(without.err).to.include('left out: .env.local, .git/, .npmrc, id_ed25519, old/deploy (');
    const taken = await served.run('publish', site, '--with-dot-files');
    // The fifth is .nojekyll; the others are never packed.
    expect((await pinOf(taken.out)).file_count).to.equal(5);
    expect(taken.err).to.include('left out: .env.local, .git/, .npmrc, id_ed25519, old/deploy (');
  });

  it('says what to do about a folder that is left out and that pages need, as those of Expo do', async () => {
    const icon = 'assets/node_modules/expo-router/assets/close-icon.808e1b1b9b53114ec2838071a7e6daa7.png';
    const script = `m.exports={uri:"/${icon}",width:24,height:24}`;
    await served.write(
      'expo/index.html',
      '<script src="/_expo/static/js/web/entry-e196fd98.js" defer></script>',
    );
    await served.write('expo/_expo/static/js/web/entry-e196fd98.js', script);
    await served.write(`expo/${icon}`, 'x');
    const { err } = await served.run('publish', join(folder, 'expo'));
    expect(err).to.match(/left out: assets\/node_modules\/ \(.*rename what pages need/);
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
    expect(code).to.equal(3);
    expect(err).to.include('PINFOLD_DATA_DIR').and.to.include('--url').and.to.include('pinfold serve');
  });

  it('reports a path that does not exist, and a file that is neither a ZIP nor a page', async () => {
    expect((await served.run('publish', join(folder, 'nothing'))).code).to.equal(1);
    expect((await served.run('publish', join(site, 'docs', '日本語.txt'))).code).to.equal(2);
  });
});
