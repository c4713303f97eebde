import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMMAND, type CommandRun } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';

export type Env = Readonly<Record<string, string>>;

/** A checked out repository, and a PATH on which npm builds it and npx runs the command of this source tree. */
export interface Workspace {
  readonly folder: string;
  /** Runs a script by a shell. */
  run(shell: readonly [string, ...string[]], script: string, env: Env): Promise<CommandRun>;
}

const quote = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** The release is pinned, and npx must not ask before it installs it. */
const NPX = `#!/bin/sh
case "$1 $2" in '--yes pinfold@0.1.0') shift 2 ;; *) exit 99 ;; esac
exec ${quote(COMMAND)} "$@"
`;
const NPM = `#!/bin/sh
mkdir -p dist
if [ "$1" = run ]; then echo "<!doctype html><title>Site</title>$CONTENT" > dist/index.html; fi
`;

export async function createWorkspace(): Promise<Workspace> {
  const root = newFolder();
  const [folder, programs] = [join(root, 'work'), join(root, 'bin')];
  await mkdir(folder);
  await mkdir(programs);
  for (const [name, program] of [
    ['npx', NPX],
    ['npm', NPM],
  ] as const)
    await writeFile(join(programs, name), program, { mode: 0o755 });
  const path = [programs, dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    folder,
    run: async ([program, ...args], script, env) => {
      const file = join(root, 'script');
      await writeFile(file, script);
      // Without the cache, each run of the command would compile its sources again.
      const { NODE_COMPILE_CACHE } = process.env;
      const home = { PATH: path, HOME: root, TMPDIR: root, NODE_COMPILE_CACHE };
      const child = spawn(program, [...args, file], { cwd: folder, env: { ...home, ...env } });
      child.stdin.end();
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { code: Number(code), out, err };
    },
  };
}
