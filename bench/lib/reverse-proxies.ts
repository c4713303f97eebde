import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, stop } from './processes.ts';

/** The proxies that the documents have a configuration for. */
export type ProxyName = 'nginx' | 'HAProxy' | 'Caddy';

/** A configuration other than the one for several nodes, and whether it logs each request. */
interface ProxyOptions {
  readonly file?: string;
  readonly logsRequests?: boolean;
  /** The maximum of connections to a node; absent: as documented. */
  readonly connections?: number;
}

interface Kind {
  readonly program: string;
  /** Its configuration for several nodes. */
  readonly file: string;
  /** Everything that it reads, made from the configuration. */
  whole(configuration: string, port: number, logsRequests: boolean): string;
  command(file: string): readonly string[];
}

const ACCESS_LOG = 'access.log';
const FOLDER = join(import.meta.dirname, '../../deploy');

/** The answers of the proxies themselves. */
const PAGES = ['too-many-cookies.html', 'unavailable.html', 'unavailable.json'];

const kinds: Readonly<Record<ProxyName, Kind>> = {
  nginx: {
    program: 'nginx',
    file: 'nginx.nodes.conf',
    whole: (configuration, port, logsRequests) => {
      const old = isOldNginx();
      const site = configuration
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl${old ? ' http2' : ''};`)
        .replace(/^ +http2 on;.*$/m, old ? '' : '$&')
        .replace(/access_log \S+ (\w+);/, logsRequests ? `access_log ${ACCESS_LOG} $1;` : 'access_log off;')
        .replace(/error_log +\S+ crit;/, 'error_log stderr crit;');
      return `daemon off; pid nginx.pid; error_log stderr crit; events {} http { access_log off;\n${site} }`;
    },
    command: (file) => ['nginx', '-p', join(file, '..'), '-c', file],
  },
  HAProxy: {
    program: 'haproxy',
    file: 'haproxy.cfg',
    whole: (configuration, port, logsRequests) => {
      const logging = logsRequests ? '  mode http\n  log stdout format raw local0\n' : '$&';
      return configuration.replace('bind :443', `bind 127.0.0.1:${port}`).replace('  mode http\n', logging);
    },
    command: (file) => ['haproxy', '-db', '-f', file],
  },
  Caddy: {
    program: 'caddy',
    file: 'Caddyfile.nodes',
    whole: (configuration, port, logsRequests) => {
      const ours = `admin off\nauto_https disable_redirects\nhttps_port ${port}\nlog {`;
      if (!logsRequests) return configuration.replace('log {', `${ours}\nlevel ERROR`);
      return configuration.replace('log {', ours).replace(/^share\.example.*\{$/m, '$&\n\tlog');
    },
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
};

/** All of them. */
export const proxyNames = Object.keys(kinds) as readonly ProxyName[];

/** The programs that these proxies need and that are not installed. */
export function missingPrograms(names: readonly ProxyName[]): readonly string[] {
  const programs = [...names.map((name) => kinds[name].program), 'openssl'];
  return programs.filter((program) => spawnSync(program, ['version']).error !== undefined);
}

/** Starts one: of its configuration only ports, the addresses of the nodes and the path of the certificate are changed. */
export async function startProxy(
  name: ProxyName,
  nodes: readonly number[],
  { file: source = kinds[name].file, logsRequests = false, connections }: ProxyOptions = {},
) {
  const { whole, command } = kinds[name];
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-proxy-'));
  makeCertificate(folder);
  const port = await freePort();
  const documented = readFileSync(join(FOLDER, source), 'utf8')
    .replaceAll(/10\.0\.0\.1(\d):8080/g, (_, node: string) => `127.0.0.1:${nodes[Number(node) - 1]}`)
    .replaceAll(/(max_conns_per_host|maxconn) \d+/g, connections === undefined ? '$&' : `$1 ${connections}`)
    .replaceAll(/\/etc\/(ssl|haproxy|nginx)\//g, `${folder}/`);
  for (const page of PAGES) copyFileSync(join(FOLDER, page), join(folder, page));
  const file = join(folder, 'configuration');
  await writeFile(file, whole(documented, port, logsRequests));
  const [program = '', ...args] = command(file);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      written = `${written}${chunk}`.slice(-20_000);
    });
  }
  await Promise.race([
    listening(port),
    once(child, 'exit').then(() => {
      throw new Error(`${name} does not start with ${source}: ${written}`);
    }),
  ]);
  const accessLog = join(folder, ACCESS_LOG);
  return {
    port,
    /** The text of its logs. */
    log: () => written + (existsSync(accessLog) ? readFileSync(accessLog, 'utf8') : ''),
    stop: async () => {
      await stop(child);
      await rm(folder, { recursive: true });
    },
  };
}

/** Makes a self-signed certificate for the names in the documents. */
function makeCertificate(folder: string): void {
  const names = 'subjectAltName=DNS:share.example,DNS:*.share-sites.example';
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const request = ['req', '-x509', ...kind, '-subj', '/CN=share.example', '-addext', names];
  const [certificate, key] = [join(folder, 'share.pem'), join(folder, 'share.key')];
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  // HAProxy expects the key at this path.
  copyFileSync(key, `${certificate}.key`);
}

/** Before 1.25.1 it knew no `http2 on`. */
function isOldNginx(): boolean {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  const [, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(stderr) ?? []).slice(1).map(Number);
  return minor < 25 || (minor === 25 && patch < 1);
}

async function listening(port: number): Promise<void> {
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  while (!(await answers())) await pause(50);
}
