import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { PinfoldClient } from '@pinfold/client';
import { packFiles } from '@pinfold/client/zip';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';

const clone = join(import.meta.dirname, '..');
const bundle = join(clone, 'examples/reference-app/dist/bundle');
const { text: key } = new NodeApiKeySecrets().mint();

/** The modules that the processes of a script loaded, without threads: V8 writes them to NODE_V8_COVERAGE. */
async function modulesOf(script: string, folder: string): Promise<ReadonlySet<string>> {
  const modules: string[] = [];
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), 'utf8'));
    const urls: string[] = result.map(({ url }: { url: string }) => url);
    if (urls.includes(pathToFileURL(script).href)) modules.push(...urls);
  }
  return new Set(modules.filter((url) => url.startsWith('file:')));
}

describe('npm start, in a clone that is installed', () => {
  let folder: string;
  let server: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-start-'));
  });

  afterEach(async () => {
    if (server?.exitCode === null && server.signalCode === null) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true });
  });

  function envOf(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const others = Object.entries(process.env).filter(([name]) => !/^(PINFOLD_|NODE_OPTIONS$)/.test(name));
    return {
      ...Object.fromEntries(others),
      PINFOLD_PORT: '0',
      PINFOLD_DATA_DIR: join(folder, 'data'),
      PINFOLD_VIEWER_MODE: 'path',
      PINFOLD_API_KEY: key,
      ...settings,
    };
  }

  /** Starts like the script of package.json; resolves with the server's address. */
  async function start(settings: NodeJS.ProcessEnv): Promise<string> {
    const env = envOf(settings);
    const args = ['--conditions=@pinfold/source', join(clone, 'scripts/run.mjs'), 'start'];
    server = spawn(process.execPath, args, { cwd: clone, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let written = '';
    for await (const chunk of (server.stdout as Readable).setEncoding('utf8')) {
      written += chunk;
      const url = /"url":"([^"]+)".*"listening/.exec(written)?.[1];
      if (url !== undefined) return url;
    }
    throw new Error(`the server ended: ${written}`);
  }

  async function stop(): Promise<unknown> {
    server?.kill('SIGTERM');
    return server?.exitCode ?? (await once(server as ChildProcess, 'exit'))[0];
  }

  async function publishAndView(url: string): Promise<void> {
    const page = '<!doctype html><title>Started</title>';
    const { bytes } = await packFiles([{ path: 'index.html', bytes: new TextEncoder().encode(page) }]);
    const { pin } = await new PinfoldClient({ url, key }).publish(bytes);
    expect(await (await fetch(pin.shared_url)).text()).to.equal(page);
  }

  for (const workers of ['1', '2'])
    it(`publishes and shows a site, with every package of ours from the bundle, in ${workers} processes`, async () => {
      await start({});
      expect(await stop()).to.equal(0);
      const coverage = join(folder, 'modules');
      const url = await start({ NODE_V8_COVERAGE: coverage, PINFOLD_WORKERS: workers });
      await publishAndView(url);
      expect((await fetch(`${url}/manage/`)).status).to.equal(200);
      expect(await stop()).to.equal(0);
      const main = join(clone, 'examples/reference-app/src/main.ts');
      const loaded = [...(await modulesOf(main, coverage))];
      const ours = loaded.filter((url) => !url.includes('/node_modules/'));
      expect(ours.filter((url) => url.includes('/dist/bundle/'))).to.not.be.empty;
      const sources = ours.filter((url) => !/\/(dist\/bundle|scripts)\/[^/]+$/.test(url));
      expect(sources).to.deep.equal([pathToFileURL(main).href]);
      // Bundled, or loaded at their first use.
      expect(loaded.filter((url) => /\/(inversify|pg|client-s3)\//.test(url))).to.deep.equal([]);
      // The number of modules determines the duration of a start: 830 with the sources.
      expect(loaded.length).to.be.below(400);
    });

  it('gives a script with its own adapters the same module copies as the server', async () => {
    await start({});
    await stop();
    const script = join(bundle, `../own-adapter-${process.pid}.ts`);
    await writeFile(
      script,
      `import { tokens } from '@pinfold/inversify';
      import { createMemory } from '@pinfold/memory';
      import { Container, ContainerModule } from 'inversify';
      import { createApp, readSettings } from 'pinfold';
      const { archives } = createMemory();
      const mine = new ContainerModule(({ rebind }) => {
        rebind(tokens.archives).toConstantValue(archives);
      });
      const app = await createApp(readSettings(process.env), { modules: [mine] });
      const used = await app.container.getAsync(tokens.archives);
      console.log(used === archives, app.container instanceof Container);
      await app.close();`,
    );
    const coverage = join(folder, 'modules');
    const env = envOf({ NODE_V8_COVERAGE: coverage });
    const preload = `--import=${pathToFileURL(join(clone, 'scripts/bundled.mjs'))}`;
    const args = ['--conditions=@pinfold/source', preload, script];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await text(child.stdout)).to.equal('true true\n');
    await rm(script);
    const loaded = [...(await modulesOf(script, coverage))].join();
    expect(loaded)
      .to.include('/dist/bundle/')
      .and.not.to.match(/\/(pinfold|inversify)\/src\/|inversifyjs/);
  });

  it('records which files of the screen it built, and from which sources', async () => {
    const record = await readFile(join(clone, 'node_modules/.cache/pinfold-screen.json'), 'utf8');
    const { sources, made } = JSON.parse(record) as Readonly<Record<string, readonly [string][]>>;
    expect(sources?.map(([path]) => path)).to.include.members([
      'packages/management/browser/main.ts',
      'packages/management/styles/management.css',
      'packages/management/build.ts',
      'packages/http/src/palette.ts',
      'pnpm-lock.yaml',
    ]);
    const files = made?.map(([path]) => path);
    expect(files).to.include('packages/management/dist/assets/manifest.json').and.to.have.length.above(4);
  });

  it('refers in the bundle only to existing files, and to external packages like their importers', async () => {
    await start({});
    await stop();
    const { made, importers } = JSON.parse(
      await readFile(join(clone, 'node_modules/.cache/pinfold-server.json'), 'utf8'),
    );
    const chunks = (made as [string][]).filter(([path]) => path.endsWith('.js'));
    const code = (await Promise.all(chunks.map(([path]) => readFile(join(clone, path), 'utf8')))).join('\n');
    const places = [...code.matchAll(/(?:from |import\()"(\.[^"]+)"|new URL\("(\.[^"]+)", import\.meta/g)];
    const files = places.map(([, file, place = '']) => join(bundle, file ?? place));
    expect(files.join()).to.include('/start-thread.ts').and.not.to.include('node_modules');
    expect(files.filter((file) => !existsSync(file))).to.deep.equal([]);
    const packages = [
      ...code.matchAll(/(?:^\} |^import .* )from "([^./][^"]+)"|[^.]import\("([^./][^"]+)"\)/gm),
    ];
    const names = packages
      .map(([, name, late = '']) => name ?? late)
      .filter((name) => !name.startsWith('node:'));
    expect(new Set(names)).to.deep.equal(new Set(Object.keys(importers)));
    for (const [name, importer] of Object.entries<string>(importers))
      createRequire(join(clone, importer)).resolve(name);
  });
});

describe('pinfold --version', () => {
  it('loads no server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pinfold-version-'));
    const main = join(clone, 'packages/pinfold/src/main.ts');
    const args = ['--conditions=@pinfold/source', main, '--version'];
    const env = { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: folder };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await text(child.stdout)).to.match(/^\d+\.\d+\.\d+(\+g[0-9a-f]{7})?\n$/);
    if (child.exitCode === null) await once(child, 'exit');
    // The number when a start took 0.08 s, plus a third.
    expect((await modulesOf(main, folder)).size).to.be.within(1, 80);
    await rm(folder, { recursive: true });
  });
});
