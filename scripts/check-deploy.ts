// Without it a configuration that its own program refuses could lie in deploy/: no package of npm knows these
// languages whole. Each program that is missing is a failure, and so it is no part of `npm test`.
// `npm run check:deploy`
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesThatLogPasswords } from './check-proxy-logs.ts';
import { startDeployed } from './deployed-tree.ts';

interface Check {
  readonly files: readonly string[];
  readonly command: (file: string) => readonly [string, ...string[]];
  /** What is read in place of the file, when it is a part of something. */
  readonly whole?: (text: string) => string;
}

const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'pinfold-deploy-'));
const checks: readonly Check[] = [
  {
    files: ['nginx.conf', 'nginx.nodes.conf'],
    command: (file) => ['nginx', '-t', '-q', '-p', work, '-c', file],
    // Before 1.25.1 it knew no `http2 on`.
    whole: (text) =>
      `pid nginx.pid; error_log stderr; events {} http {\n${text.replace(/^ +http2 on;.*$/m, '')} }`,
  },
  { files: ['haproxy.cfg'], command: (file) => ['haproxy', '-c', '-q', '-f', file] },
  {
    files: ['Caddyfile', 'Caddyfile.nodes'],
    command: (file) => ['caddy', 'validate', '--adapter', 'caddyfile', '--config', file],
  },
  {
    files: ['pinfold.service', 'pinfold-backup.service', 'pinfold-backup.timer'],
    command: (file) => ['systemd-analyze', 'verify', '--man=no', file],
    whole: (text) => text.replace('ExecStart=pinfold', `ExecStart=${process.execPath}`),
  },
  {
    files: ['pinfold.service', 'pinfold-backup.service'],
    command: (file) => ['systemd-analyze', 'security', '--offline=true', '--threshold=20', file],
  },
];

function run(file: string, ...args: readonly string[]): boolean {
  const env = { ...process.env, XDG_DATA_HOME: work, XDG_CONFIG_HOME: work };
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: work, env, encoding: 'utf8' });
  if (status === 0) return true;
  console.error(`${file} ${args.join(' ')}\n${error?.message ?? `${stdout}${stderr}`}`);
  return false;
}

/** The proxies read the certificate that the configurations name. */
function makeCertificate(): void {
  const [certificate, key] = [join(work, 'share.pem'), join(work, 'share.key')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  if (
    !run(
      'openssl',
      'req',
      '-x509',
      ...kind,
      '-subj',
      '/CN=share.example',
      '-keyout',
      key,
      '-out',
      certificate,
    )
  ) {
    throw new Error('there is no certificate to check with');
  }
  // Where HAProxy looks for it.
  copyFileSync(key, `${certificate}.key`);
}

try {
  makeCertificate();
  for (const page of ['unavailable.html', 'unavailable.json']) {
    copyFileSync(join(root, 'deploy', page), join(work, page));
  }
  for (const { files, command, whole = (text: string) => text } of checks) {
    for (const name of files) {
      const file = join(work, name);
      const text = readFileSync(join(root, 'deploy', name), 'utf8');
      writeFileSync(file, whole(text.replaceAll(/\/etc\/(ssl|haproxy|nginx)\//g, `${work}/`)));
      const good = run(...command(file));
      console.log(`${good ? 'ok' : 'FAILED'}: ${command(name).slice(0, 2).join(' ')}, ${name}`);
      if (!good) process.exitCode = 1;
    }
  }
  if ((await filesThatLogPasswords(work)).length > 0) process.exitCode = 1;
  await startDeployed(join(work, 'tree'), join(work, 'data'));
  console.log('ok: the tree of the image, started as deploy/compose.yaml does');
} finally {
  rmSync(work, { recursive: true, force: true });
}
