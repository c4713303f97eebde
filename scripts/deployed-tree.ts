// Without it the image would be made of a tree that nobody had started, under restrictions that nobody had tried.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { build } from './pack.ts';

const root = join(import.meta.dirname, '..');

/** Makes the tree of the image, and starts it with what compose.yaml gives to Node, until it is ready; then it must end well. */
export async function startDeployed(tree: string, data: string): Promise<void> {
  build();
  const deploy = ['--filter=pinfold', 'deploy', '--prod', '--legacy', tree];
  const { status, stdout, stderr } = spawnSync('pnpm', deploy, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`pnpm ${deploy.join(' ')}\n${stdout}${stderr}`);
  mkdirSync(data, { mode: 0o700 });
  const options = optionsOf(readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8')).map((option) =>
    option.replace('/app', tree).replace('/var/lib/pinfold', data),
  );
  const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: data };
  const child = spawn(process.execPath, options, {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let ready = false;
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\/\/\S+\/s\/[\w-]+/.exec(line) ?? [];
    if (url === undefined || ready) continue;
    const shown = await fetch(url, { redirect: 'manual' });
    ready = shown.status === 302;
    child.kill('SIGTERM');
  }
  const [code] = await exit;
  if (!ready || code !== 0)
    throw new Error(`the tree of the image ${ready ? 'was' : 'was not'} ready, and ended with ${code}`);
}

/** What stands behind node in the entry point, and the command. */
function optionsOf(compose: string): readonly string[] {
  const [, list = ''] = /^ +entrypoint:\n((?: +- .*\n)+)/m.exec(compose) ?? [];
  const [, command = ''] = /^ +command: \[(\w+)\]$/m.exec(compose) ?? [];
  return [...[...list.matchAll(/- (.*)/g)].map(([, option = '']) => option).slice(1), command];
}
