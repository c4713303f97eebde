import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { days, hours, minutes, seconds } from '@pinfold/core';
import { publicUrl } from '@pinfold/http';
import { expect } from 'chai';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import { VARIABLES } from '../../src/settings/variables.ts';

const OPERATORS = join(import.meta.dirname, '../../../../docs/operators');
const key = `pf_abc_${'k'.repeat(43)}`;

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(readSettings({})).to.deep.equal({
      port: 8080,
      host: '127.0.0.1',
      workers: 1,
      publicUrl: undefined,
      sitesUrl: undefined,
      viewerMode: undefined,
      dataDir: './data',
      database: { kind: 'sqlite' },
      storage: { kind: 'files' },
      secrets: undefined,
      uploads: 64,
      rates: {
        requests: { count: 6_000, window: minutes(1) },
        publications: { count: 600, window: hours(1) },
      },
      quotas: { sites: null, bytes: null, names: 1_000 },
      keyLimit: 100,
      limits: {},
      trustProxy: { kind: 'none' },
      logLevel: 'info',
      logFormat: undefined,
      node: hostname(),
      logAddresses: false,
      logViews: 1,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      apiKey: undefined,
      welcome: true,
      clearCookies: false,
      reportUrl: undefined,
      readyNeeds: ['database'],
      drain: seconds(0),
      historyRetention: undefined,
      historyAddresses: false,
      oidc: undefined,
      notes: [],
    } satisfies Settings);
  });

  const accepted: readonly (readonly [name: string, value: string, expected: Partial<Settings>])[] = [
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['PORT', '', { port: 8080 }],
    ['HISTORY_DAYS', '30', { historyRetention: days(30) }],
    ['HISTORY_ADDRESSES', 'on', { historyAddresses: true }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['WORKERS', '1', { workers: 1 }],
    ['NODE', 'node-1', { node: 'node-1' }],
    ['LOG_ADDRESSES', 'on', { logAddresses: true }],
    ['LOG_VIEWS', '0', { logViews: 0 }],
    ['LOG_VIEWS', '.25', { logViews: 0.25 }],
    ['METRICS_PORT', '9464', { metricsPort: 9464 }],
    ['METRICS_HOST', '::', { metricsHost: '::' }],
    ['WORKERS', '64', { workers: 64 }],
    ['WORKERS', 'auto', { workers: Math.min(64, availableParallelism()) }],
    ['PUBLIC_URL', 'https://pin.example/', { publicUrl: publicUrl('https://pin.example') }],
    ['PUBLIC_URL', 'https://example.com/pinfold/', { publicUrl: publicUrl('https://example.com/pinfold') }],
    ['PUBLIC_URL', 'HTTP://Example.COM:80', { publicUrl: publicUrl('http://example.com') }],
    ['SITES_URL', 'http://sites.example:81', { sitesUrl: 'http://sites.example:81' }],
    ['VIEWER_MODE', 'origin', { viewerMode: 'origin' }],
    ['VIEWER_MODE', 'path', { viewerMode: 'path' }],
    ['DATA_DIR', '/var/lib/pinfold', { dataDir: '/var/lib/pinfold' }],
    ['STORAGE_URL', 's3://bucket', { storage: s3({}) }],
    ['STORAGE_URL', 's3://bucket/', { storage: s3({}) }],
    ['STORAGE_URL', 's3://bucket/a/b/', { storage: s3({ prefix: 'a/b' }) }],
    ['STORAGE_URL', 's3://bucket/a.b/c_d-1', { storage: s3({ prefix: 'a.b/c_d-1' }) }],
    ['STORAGE_URL', 's3://bucket?region=eu-west-1', { storage: s3({ region: 'eu-west-1' }) }],
    [
      'STORAGE_URL',
      's3://bucket/?endpoint=http://127.0.0.1:9000',
      { storage: s3({ endpoint: 'http://127.0.0.1:9000', pathStyle: true }) },
    ],
    [
      'STORAGE_URL',
      's3://bucket/?endpoint=https%3A%2F%2Fs3.example&path_style=false',
      { storage: s3({ endpoint: 'https://s3.example' }) },
    ],
    ['STORAGE_URL', 's3://bucket?path_style=true', { storage: s3({ pathStyle: true }) }],
    ['SECRET', 'x'.repeat(16), { secrets: ['x'.repeat(16)] }],
    ['SECRET', 'é'.repeat(8), { secrets: ['é'.repeat(8)] }],
    [
      'SECRET',
      `${'new '.repeat(4)}x, ${'old'.repeat(6)}`,
      { secrets: [`${'new '.repeat(4)}x`, 'old'.repeat(6)] },
    ],
    ['UPLOADS', '1', { uploads: 1 }],
    ['UPLOADS', '10000', { uploads: 10_000 }],
    ['ARCHIVE_BYTES', '52428800', { limits: { archiveBytes: 52_428_800 } }],
    ['ARCHIVE_BYTES', '118', { limits: { archiveBytes: 118 } }],
    ['FILES', '10000', { limits: { files: 10_000 } }],
    ['FILE_BYTES', '52428800', { limits: { fileBytes: 52_428_800 } }],
    ['EXPANDED_BYTES', '536870912', { limits: { expandedBytes: 536_870_912 } }],
    ['EXPANDED_BYTES', '1000', { limits: { archiveBytes: 1_000, expandedBytes: 1_000, fileBytes: 1_000 } }],
    ['QUOTA_SITES', '0', { quotas: { sites: 0, bytes: null, names: 1_000 } }],
    ['KEYS', '5', { keyLimit: 5 }],
    ['KEYS', 'off', { keyLimit: null }],
    ['NAMES', '5', { quotas: { sites: null, bytes: null, names: 5 } }],
    ['NAMES', 'off', { quotas: { sites: null, bytes: null, names: null } }],
    ['QUOTA_BYTES', '1000000000000', { quotas: { sites: null, bytes: 1_000_000_000_000, names: 1_000 } }],
    ['DEFAULT_LIFETIME_DAYS', '30', { limits: { lifetime: days(30) } }],
    ['DEFAULT_LIFETIME_DAYS', '0.5', { limits: { lifetime: days(0.5) } }],
    ['DEFAULT_LIFETIME_DAYS', '.25', { limits: { lifetime: days(0.25) } }],
    ['TRUST_PROXY', '0', { trustProxy: { kind: 'none' } }],
    ['TRUST_PROXY', '2', { trustProxy: { kind: 'hops', count: 2 } }],
    ['TRUST_PROXY', '10.0.0.1', { trustProxy: { kind: 'addresses', addresses: ['10.0.0.1'] } }],
    [
      'TRUST_PROXY',
      '10.0.0.0/8, fd00::/8,::1',
      { trustProxy: { kind: 'addresses', addresses: ['10.0.0.0/8', 'fd00::/8', '::1'] } },
    ],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_FORMAT', 'text', { logFormat: 'text' }],
    ['API_KEY', key, { apiKey: key }],
    ['API_KEY', `\uFEFF${key}\r\n`, { apiKey: key }],
    ['WELCOME', 'on', { welcome: true }],
    ['WELCOME', 'off', { welcome: false }],
    ['REPORT_URL', 'mailto:abuse@pages.example', { reportUrl: 'mailto:abuse@pages.example' }],
    ['CLEAR_COOKIES', 'on', { clearCookies: true }],
    ['CLEAR_COOKIES', 'off', { clearCookies: false }],
    ['READY_NEEDS', 'database', { readyNeeds: ['database'] }],
    ['READY_NEEDS', 'none', { readyNeeds: [] }],
    ['READY_NEEDS', 'clock,staging', { readyNeeds: ['database', 'staging', 'clock'] }],
    ['READY_NEEDS', 'staging', { readyNeeds: ['database', 'staging'] }],
    ['READY_NEEDS', 'staging, database,storage', { readyNeeds: ['database', 'storage', 'staging'] }],
    ['DRAIN_SECONDS', '0', { drain: seconds(0) }],
    ['DRAIN_SECONDS', '2.5', { drain: seconds(2.5) }],
    ['DRAIN_SECONDS', '3600', { drain: seconds(3_600) }],
  ];
  for (const [name, value, expected] of accepted) {
    it(`reads PINFOLD_${name}=${value.replace(/\s+$/, ' and a line end')}`, () => {
      expect(readSettings({ [`PINFOLD_${name}`]: value })).to.deep.include(expected);
    });
  }

  it('names each option as in Settings or openPinfold', () => {
    const settings = readSettings({});
    const others = Object.keys(VARIABLES).filter((option) => {
      return !Object.hasOwn(settings, option.split('.', 1)[0] ?? '');
    });
    expect(others).to.deep.equal(['secret']);
  });

  it('reads rates of its own for requests and publications, and off for either', () => {
    const rates = readSettings({ PINFOLD_RATE_REQUESTS: '20/1s', PINFOLD_RATE_PUBLICATIONS: 'off' }).rates;
    expect(rates).to.deep.equal({ requests: { count: 20, window: seconds(1) }, publications: null });
  });

  it("takes the region from the AWS SDK's variables if the URL has none", () => {
    const env = {
      PINFOLD_STORAGE_URL: 's3://bucket',
      AWS_REGION: 'eu-west-1',
      AWS_DEFAULT_REGION: 'eu-west-2',
    };
    expect(readSettings(env).storage).to.deep.equal(s3({ region: 'eu-west-1' }));
    const named = { ...env, PINFOLD_STORAGE_URL: 's3://bucket?region=eu-north-1' };
    expect(readSettings(named).storage).to.deep.equal(s3({ region: 'eu-north-1' }));
  });

  it("knows all variables that the operators' pages name", async () => {
    const named = await variablesIn(await readdir(OPERATORS));
    expect(named.size).to.be.greaterThan(10);
    // An empty variable counts as absent, but its name is checked.
    const env = Object.fromEntries([...named].map((name) => [name, '']));
    expect(readSettings(env).notes).to.deep.equal([]);
  });

  it('has each variable on the page of settings, or on that of signing in', async () => {
    const named = await variablesIn(['settings.md', 'sign-in.md']);
    expect(Object.values(VARIABLES).filter((name) => !named.has(`PINFOLD_${name}`))).to.deep.equal([]);
  });

  it('warns of unknown variables with suggestions, and of no others', () => {
    const { notes } = readSettings({
      PINFOLD_PUBLICURL: 'x',
      PINFOLD_PORT_80_TCP: 'x',
      PINFOLD_URL: 'x',
      PINFOLD_KEY: 'y',
      HOME: '/',
    });
    expect(notes).to.deep.equal([
      'unknown variables have no effect: PINFOLD_PORT_80_TCP, PINFOLD_PUBLICURL (did you mean PINFOLD_PUBLIC_URL?)',
    ]);
  });
});

/** The variables that the pages for operators name. */
async function variablesIn(pages: readonly string[]): Promise<ReadonlySet<string>> {
  const texts = await Promise.all(pages.map((page) => readFile(join(OPERATORS, page), 'utf8')));
  return new Set(texts.join('\n').match(/\bPINFOLD_[A-Z_]+[A-Z]\b/g));
}

function s3(more: Partial<Extract<Settings['storage'], { kind: 's3' }>>): Settings['storage'] {
  return {
    kind: 's3',
    bucket: 'bucket',
    prefix: '',
    endpoint: undefined,
    region: 'us-east-1',
    pathStyle: false,
    ...more,
  };
}
