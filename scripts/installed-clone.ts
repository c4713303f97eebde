import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const server = `
const running = setInterval(() => {}, 1_000);
process.once('SIGTERM', () => { clearInterval(running); console.log('clean'); process.exitCode = 7; });
console.log('ready');
`;
/** Makes one file from another, counts its calls in a file, and records what it read like the real ones. */
const bundlerOf = (source: string, made: string): string => `
import { appendFileSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
const [, script, record] = process.argv;
const [source, made] = ${JSON.stringify([source, made])};
const root = join(dirname(record), '../..');
mkdirSync(dirname(join(root, made)), { recursive: true });
copyFileSync(join(root, source), join(root, made));
appendFileSync(script + '.calls', 'bundled ');
const stamped = (path) => [path, statSync(join(root, path)).mtimeMs, statSync(join(root, path)).size];
const note = { sources: [stamped(source)], made: [stamped(made)], modules: { [source]: made } };
writeFileSync(record, JSON.stringify({ began: performance.timeOrigin, ...note }));
`;
export const STYLES = 'packages/management/styles/management.css';
export const SCREEN = 'packages/management/dist/assets/manifest.json';
export const PACKAGE = 'packages/pinfold/src/index.ts';
export const BUNDLE = 'examples/reference-app/dist/bundle/index.js';
export const pnpm = `#!/bin/sh
if [ "$1" = --version ]; then echo 12.0.0; else echo "$@" >> calls; fi
`;
const command = 'console.log(JSON.stringify(process.argv.slice(2)));';

/** A folder that `scripts/run.mjs` takes for an installed clone, whose programs only report their calls. */
export class InstalledClone {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;

  private constructor(root: string) {
    this.root = root;
    this.env = { ...process.env, CI: '', PATH: `${join(root, 'tools')}${delimiter}${process.env.PATH}` };
  }

  static async make(): Promise<InstalledClone> {
    const clone = new InstalledClone(await mkdtemp(join(tmpdir(), 'pinfold-run-')));
    await clone.write({
      'pnpm-lock.yaml': 'lockfileVersion: "9.0"\n',
      'node_modules/.pnpm/lock.yaml': 'lockfileVersion: "9.0"\n',
      'examples/reference-app/src/main.ts': server,
      'packages/pinfold/src/main.ts': command,
      'packages/management/build.ts': bundlerOf(STYLES, SCREEN),
      [STYLES]: '',
      'scripts/bundle-server.ts': bundlerOf(PACKAGE, BUNDLE),
      [PACKAGE]: 'export const place = import.meta.filename;',
      'node_modules/mocha/bin/mocha.js': command,
      'scripts/pnpm/package.json': '{"dependencies":{"pnpm":"12.0.0"}}',
      'scripts/pnpm/node_modules/pnpm/package.json': '{"version":"12.0.0"}',
    });
    await clone.writeTool('pnpm', pnpm);
    for (const script of ['run.mjs', 'bundles.mjs', 'bundled.mjs', 'run-command.mjs'])
      await cp(join(import.meta.dirname, script), clone.path('scripts', script));
    return clone;
  }

  path(...segments: readonly string[]): string {
    return join(this.root, ...segments);
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(this.path(path)), { recursive: true });
      await writeFile(this.path(path), content);
    }
  }

  /** Puts a program on the clone's PATH. */
  async writeTool(name: string, script: string): Promise<void> {
    await this.write({ [`tools/${name}`]: script });
    await chmod(this.path('tools', name), 0o755);
  }

  run(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return this.node(this.path('scripts', 'run.mjs'), ...args);
  }

  node(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, args, { env: this.env });
  }

  async succeed(...args: readonly string[]): Promise<void> {
    const child = this.run(...args);
    const [errorOutput, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(code, errorOutput).to.equal(0);
  }

  read(path: string): Promise<string> {
    return readFile(this.path(path), 'utf8');
  }

  remove(): Promise<void> {
    return rm(this.root, { recursive: true });
  }
}
