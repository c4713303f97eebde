import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { seconds } from '@pinfold/core';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { readSettings, type Settings } from '../../src/index.ts';
import { createClientAddress } from '../../src/server/client-address.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'deploy');
const read = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');

type Environment = Readonly<Record<string, string>>;

/** The content of a file, without a type. */
type Parsed = ReturnType<typeof parseYaml>;

/** The instructions of a Dockerfile, with their arguments. */
function instructionsOf(dockerfile: string): readonly (readonly [name: string, argument: string])[] {
  const joined = dockerfile.replaceAll(/\\\n/g, ' ').replaceAll(/^#.*\n/gm, '');
  return [...joined.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name = '', argument = '']) => [name, argument]);
}

describe('the image', () => {
  let dockerfile: string;
  let lastStage: readonly (readonly [string, string])[];
  let environment: Environment;

  before(async () => {
    dockerfile = await read('Dockerfile');
    const instructions = instructionsOf(dockerfile);
    lastStage = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));
    environment = Object.fromEntries(
      lastStage.filter(([name]) => name === 'ENV').map(([, argument]) => argument.split('=')),
    );
  });

  function argumentsOf(instruction: string): readonly string[] {
    return lastStage.filter(([name]) => name === instruction).map(([, argument]) => argument);
  }

  it('has a valid Dockerfile', () => {
    expect(validate(dockerfile)).to.deep.equal([]);
    expect(validate(`${dockerfile}BOGUS x\n`)).to.have.length(1);
  });

  it('ends in a stage without a shell, whose user is not root', () => {
    expect(argumentsOf('FROM')[0]).to.match(/distroless\/.*:nonroot@sha256:[0-9a-f]{64}$/);
    expect(argumentsOf('RUN')).to.deep.equal([]);
    for (const vector of [...argumentsOf('ENTRYPOINT'), ...argumentsOf('CMD'), ...argumentsOf('VOLUME')]) {
      expect(JSON.parse(vector)).to.be.an('array');
    }
  });

  it('has known settings, and stores its data in a volume of its user', () => {
    const settings = readSettings(environment);
    expect(settings.notes).to.deep.equal([]);
    expect([settings.host, argumentsOf('EXPOSE')]).to.deep.equal(['0.0.0.0', [String(settings.port)]]);
    expect(argumentsOf('VOLUME').map((volume) => JSON.parse(volume))).to.deep.equal([[settings.dataDir]]);
    // The mode of a folder is preserved if the folder is copied, but not if only its contents are.
    const copied = `--from=build --chown=65532:65532 --chmod=0700 /data ${dirname(settings.dataDir)}`;
    expect(argumentsOf('COPY').at(-1)).to.equal(copied);
    expect(dockerfile).to.contain(`mkdir -p /data/${basename(settings.dataDir)}\n`);
  });

  it('checks its health without a shell', () => {
    const [, vector = ''] = /CMD (\[.*\])$/.exec(argumentsOf('HEALTHCHECK')[0] ?? '') ?? [];
    const [node, , program] = JSON.parse(vector) as readonly string[];
    expect(node).to.equal('/nodejs/bin/node');
    expect(program).to.contain('/livez');
  });
});

for (const [name, nodes] of [
  ['compose.yaml', ['pinfold']],
  ['compose.nodes.yaml', ['one', 'two', 'three']],
] as const) {
  describe(`deploy/${name}`, () => {
    let compose: Parsed;

    before(async () => {
      const values: Environment = {
        PINFOLD_SECRET: 'x'.repeat(44),
        PINFOLD_DATABASE_PASSWORD: 'secret',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'key',
      };
      const text = (await read(name)).replaceAll(
        /\$\{(\w+):[-?]([^}]*)\}/g,
        (_, variable: string, other: string) => values[variable] ?? other,
      );
      compose = parseYaml(text, { strict: true, uniqueKeys: true, merge: true });
    });

    const settingsOf = (node: string): Settings =>
      readSettings({ PINFOLD_DATA_DIR: '/var/lib/pinfold', ...compose.services[node].environment });

    it('has nodes with known and valid settings', () => {
      for (const node of nodes) {
        const settings = settingsOf(node);
        expect(settings.notes).to.deep.equal([]);
        const database = nodes.length > 1 ? 'postgres' : 'sqlite';
        expect(settings.database.kind).to.equal(database);
      }
    });

    it('lets its nodes write into one folder, and trust only Caddy', () => {
      const [{ subnet }] = compose.networks.inside.ipam.config;
      for (const node of nodes) {
        const { environment, volumes, tmpfs, read_only, cap_drop } = compose.services[node];
        const written = [...(volumes ?? []), ...(tmpfs ?? [])];
        expect(written.map((mount) => mount.includes('/var/lib/pinfold'))).to.deep.equal([true]);
        expect([read_only, cap_drop]).to.deep.equal([true, ['ALL']]);
        expect(environment.PINFOLD_TRUST_PROXY).to.equal(subnet);
      }
    });

    it('makes Caddy route to exactly these nodes', async () => {
      const { environment, volumes, depends_on } = compose.services.caddy;
      expect(Object.values(environment)).to.deep.equal(nodes.map((node) => `${node}:8080`));
      expect(depends_on).to.deep.equal([...nodes]);
      const file = nodes.length > 1 ? 'Caddyfile.nodes' : 'Caddyfile';
      expect(volumes).to.include(`./${file}:/etc/caddy/Caddyfile:ro`);
      const named = [...(await read(file)).matchAll(/\{\$(\w+):[\d.]+:8080\}/g)].map(([, name]) => name);
      expect(new Set(named)).to.deep.equal(new Set(Object.keys(environment)));
    });

    it('keeps a bounded log of each service', () => {
      for (const [name, { logging }] of Object.entries<Parsed>(compose.services)) {
        expect(logging?.options, name).to.include.keys('max-size', 'max-file');
      }
    });

    it('drops every capability that a service does not need, and names each image by its digest', () => {
      for (const [name, { image, cap_drop, security_opt }] of Object.entries<Parsed>(compose.services)) {
        expect([cap_drop, security_opt], name).to.deep.equal([['ALL'], ['no-new-privileges:true']]);
        expect(image, name).to.match(/^pinfold$|:\d+(?:\.\d+)+@sha256:[0-9a-f]{64}$/);
      }
    });

    it('waits for running requests', () => {
      for (const node of nodes) {
        const stopTime = seconds(Number.parseInt(compose.services[node].stop_grace_period, 10));
        expect(stopTime).to.be.at.least(settingsOf(node).drain + seconds(15));
      }
    });

    it('names exactly the volumes that it uses', () => {
      const used = Object.values<Parsed>(compose.services)
        .flatMap(({ volumes }) => volumes ?? [])
        .flatMap((mount) => /^(\w+):/.exec(mount)?.[1] ?? []);
      expect(Object.keys(compose.volumes)).to.have.members(used);
    });
  });
}

/** Expects the address of a client behind a platform's proxies, which each append an address. */
function expectClients({ trustProxy }: Settings, proxies: readonly string[]): void {
  const addressOf = createClientAddress(trustProxy);
  for (const client of ['203.0.113.9', '2001:db8::7'])
    for (const sent of ['', '198.51.100.1, ', '66.241.124.230, 66.241.124.230, '])
      for (const proxy of proxies) {
        const headers = { 'x-forwarded-for': `${sent}${client}, ${proxy}` };
        const request = { headers, socket: { remoteAddress: '172.19.0.2' } } as unknown as IncomingMessage;
        expect(addressOf(request), headers['x-forwarded-for']).to.equal(client);
      }
}

describe('the files for platforms', () => {
  it('has known settings for Render, and its disk in the data folder', async () => {
    const { services } = parseYaml(await read('render.yaml'), { strict: true });
    const [{ envVars, disk, healthCheckPath, maxShutdownDelaySeconds, numInstances, dockerfilePath }] =
      services;
    const ownValues: Environment = {
      PINFOLD_PUBLIC_URL: 'https://pinfold.onrender.com',
      PINFOLD_SECRET: 'x'.repeat(44),
      PINFOLD_DATA_DIR: disk.mountPath,
    };
    const values = envVars.map(({ key, value }: { key: string; value?: string }) => [
      key,
      value ?? ownValues[key],
    ]);
    const settings = readSettings({ ...ownValues, ...Object.fromEntries(values) });
    expect(settings.notes).to.deep.equal([]);
    expect([settings.port, settings.dataDir]).to.deep.equal([8080, '/var/lib/pinfold']);
    expectClients(settings, ['104.22.17.40', '2606:4700::6816:1128']);
    expect([dockerfilePath, healthCheckPath, numInstances]).to.deep.equal([
      './deploy/Dockerfile',
      '/livez',
      1,
    ]);
    expect(seconds(maxShutdownDelaySeconds)).to.be.at.least(settings.drain + seconds(15));
  });

  it('has known settings for Fly, and its volume in the data folder', async () => {
    const fly: Parsed = parseToml(await read('fly.toml'));
    const settings = readSettings(fly.env);
    expect(settings.notes).to.deep.equal([]);
    expectClients(settings, ['66.241.124.230', '2a09:8280:1::1']);
    expect(fly.mounts[0].destination).to.equal('/var/lib/pinfold');
    expect(fly.http_service.internal_port).to.equal(8080);
    expect(fly.http_service.checks[0].path).to.equal('/readyz');
    expect(seconds(Number.parseInt(fly.kill_timeout, 10))).to.be.at.least(settings.drain + seconds(15));
  });
});

describe('the logs of proxies', () => {
  it('have no password, grant or link: Caddy removes them, and the others log other parts of a request', async () => {
    for (const name of ['Caddyfile', 'Caddyfile.nodes']) {
      const [options = ''] = /^\{\n.*?^\}/ms.exec(await read(name)) ?? [];
      expect(options, name).to.match(
        /\blog \{.*format filter \{\s+wrap json\s+fields \{\s+request>headers>Pinfold-Password delete\s/s,
      );
      expect((await read(name)).match(/\blog\b[^\n]*\{/g), `${name}: no other log`).to.have.lengthOf(1);
    }
    for (const name of ['nginx.conf', 'nginx.nodes.conf', 'haproxy.cfg']) {
      const [format = ''] = /^ *log[-_]format [^;]*?(?:;$|HV"$)/ms.exec(await read(name)) ?? [];
      expect(format, name).to.include('logged_path');
      expect(await read(name), name).not.to.match(
        /\$request[" ;]|\$(?:is_)?args|http_referer|%r\b|\}r|%HU|%HQ|capture|[Pp]infold.[Pp]assword/,
      );
    }
  });
});
