// Without it the image would contain a tree of files that no test has started.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { build } from './pack.ts';

const root = join(import.meta.dirname, '..');

/** Creates the tree of the image, and starts it like the image, until it is ready; then it must end cleanly. */
export async function startDeployed(tree: string, data: string): Promise<void> {
  build();
  const deploy = ['--filter=pinfold', 'deploy', '--prod', '--legacy', tree];
  const { status, stdout, stderr } = spawnSync('pnpm', deploy, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`pnpm ${deploy.join(' ')}\n${stdout}${stderr}`);
  mkdirSync(data, { mode: 0o700 });
  const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: data };
  const { code } = await showWelcome([process.execPath, join(tree, 'dist', 'main.js'), 'serve'], {
    cwd: '/',
    env,
  });
  if (code !== 0) throw new Error(`the tree of the image ended with ${code}`);
}

/** Starts a server, waits for the welcome site, which must answer, and stops it. */
export async function showWelcome(
  [file = '', ...args]: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  meanwhile: (origin: string) => void = () => {},
): Promise<{ readonly milliseconds: number; readonly isStopLogged: boolean; readonly code: number | null }> {
  const began = performance.now();
  const child = spawn(file, args, { ...where, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let milliseconds: number | undefined;
  let isStopLogged = false;
  for await (const line of createInterface(child.stdout)) {
    isStopLogged ||= line.includes('"msg":"stopped"');
    const [url] = /http:\/\/\S+\/s\/[\w-]+/.exec(line) ?? [];
    if (url === undefined || milliseconds !== undefined) continue;
    milliseconds = performance.now() - began;
    const { status } = await fetch(url, { redirect: 'manual' });
    meanwhile(new URL(url).origin);
    // Installers run the command in child processes, so the signal goes to all of them.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    if (status !== 302) throw new Error(`the welcome site answered ${status}`);
  }
  const [code] = await exit;
  if (milliseconds === undefined) throw new Error(`${file} did not start it`);
  return { milliseconds, isStopLogged, code };
}
