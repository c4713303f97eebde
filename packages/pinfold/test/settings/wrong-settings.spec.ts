import { expect } from 'chai';
import { type Environment, readSettings } from '../../src/settings/settings.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { VARIABLES } from '../../src/settings/variables.ts';

const key = `pf_abc_${'k'.repeat(43)}`;
const oidc = {
  PINFOLD_OIDC_ISSUER: 'https://login.example',
  PINFOLD_OIDC_CLIENT_ID: 'pinfold',
  PINFOLD_OIDC_CLIENT_SECRET: 'hunter2',
};

function refusal(env: Environment): SettingsError {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(env)}`);
}

describe('the check of settings', () => {
  const refused: readonly (readonly [name: string, ...values: string[]])[] = [
    ['WORKERS', '0', '65', '-1', '1.5', 'all', 'AUTO'],
    ['NODE', 'a\nb', 'n'.repeat(256)],
    ['LOG_ADDRESSES', 'yes'],
    ['LOG_VIEWS', '1.1', '-1', '.', '1e-2'],
    ['METRICS_PORT', '65536', 'x'],
    ['PORT', '65536', '-1', '80.5', '0x50', ' 80', '8080a', '1e3', '٣'],
    ['PUBLIC_URL', 'pin.example', 'ftp://pin.example', 'http://', '/pin', 'https://me@pin.example'],
    ['PUBLIC_URL', 'https://pin.example?x', 'https://pin.example#x', 'https://:pw@pin.example'],
    ['SITES_URL', 'sites.example', 'https://sites.example', 'http://sites.example/x', 'http://127.0.0.1'],
    ['SITES_URL', 'http://[::1]:8080', 'http://sites.example?'],
    ['VIEWER_MODE', 'Origin', 'both', 'true'],
    ['DATABASE_URL', 'mysql://db.example/x', 'postgres', './data/pinfold.db', 'sqlite:x'],
    ['DATABASE_URL', 'postgres://me:100%@db.example/x', 'postgres://me:pa/ss@db.example/x'],
    ['STORAGE_URL', 'bucket', '/var/archives', 'http://bucket', 's3://', 's3:///x', 's3://b', 's3://-bucket'],
    ['STORAGE_URL', 's3://me:secret@bucket', 's3://bucket?acl=x', 's3://bucket?region=', 's3://bucket#x'],
    [
      'STORAGE_URL',
      's3://bucket?path_style=yes',
      's3://bucket?endpoint=s3.example',
      's3://bucket/%ff',
      's3://bucket/A',
      's3://bucket/a//b',
    ],
    ['STORAGE_URL', 's3://bucket?region=a&region=b', 's3://bucket?endpoint=https://me:secret@s3.example'],
    [
      'SECRET',
      'x'.repeat(15),
      `${'x'.repeat(16)},`,
      `${'x'.repeat(16)},${'y'.repeat(15)}`,
      `,${'x'.repeat(16)}`,
    ],
    ['UPLOADS', '0', '-1', 'off', 'auto', '1.5', '1e3', '10001', '99999', ' 5'],
    ['RATE_REQUESTS', '0/1m', '100', '100/1w', '100/m', 'on', ' 1/1s', '1000001/1s'],
    ['RATE_PUBLICATIONS', '1.5/1h', '-1/1h', '600 / 1h'],
    ['QUOTA_SITES', '-1', '1.5', 'none', '1e3', '1000000000000000'],
    ['QUOTA_BYTES', '1GB', '-1'],
    ['KEYS', '-1', '1.5', 'many'],
    ['ARCHIVE_BYTES', '0', '117', '67108865', '52428801', '10MiB', 'off'],
    ['EXPANDED_BYTES', '0', '1', '117', '536870913', 'off'],
    ['FILES', '0', '10001', '1.5'],
    ['FILE_BYTES', '0', '52428801'],
    ['DEFAULT_LIFETIME_DAYS', '0', '-1', 'week', '1e3', '7d', 'Infinity', '36501', '0.000000001', '1,5'],
    ['TRUST_PROXY', 'true', 'yes', 'loopback', '10.0.0.0/33', '10.0.0.0/', '0.0.0.0/0', '10.0.0.1,', '-1'],
    ['TRUST_PROXY', '10.0.0.1/8/8', '10.1', 'proxy.example', '10.0.0.0/255.0.0.0x'],
    ['LOG_LEVEL', 'verbose', 'INFO'],
    ['LOG_FORMAT', 'pretty', 'JSON'],
    ['API_KEY', 'secret', 'pf_abc', `${key}x`, `pf__${'k'.repeat(43)}`],
    ['WELCOME', 'no', 'false', 'Off'],
    ['READY_NEEDS', 'all', 'none,database', 'database,', 'Storage', 'database storage'],
    ['DRAIN_SECONDS', '-1', '5s', '3601', '3600.5', '1e3', 'Infinity', '.'],
    ['OIDC_ISSUER', 'login.example', 'http://login.example', 'https://login.example?x'],
    ['OIDC_SCOPES', 'email', 'openid  email', 'openid "x"'],
    ['OIDC_NAME', 'x'.repeat(256)],
    ['OIDC_ACCOUNT_PREFIX', 'x'.repeat(256)],
    ['OIDC_REQUIRE', 'groups', 'groups=', '=staff', 'a=b,'],
    ['OIDC_ADMINS', 'groups', 'a=b&'],
  ];
  for (const [name, ...values] of refused) {
    for (const value of values) {
      it(`refuses PINFOLD_${name}=${value} in one line that names the variable and the option`, () => {
        const { option, variable, message } = refusal({ ...oidc, [`PINFOLD_${name}`]: value });
        expect(variable).to.equal(`PINFOLD_${name}`);
        expect(VARIABLES).to.have.property(option, name);
        expect(message).to.match(new RegExp(`^PINFOLD_${name} \\(${option}\\) .+$`));
      });
    }
  }

  it('reads PORT if PINFOLD_PORT is absent or empty, and names the wrong one', () => {
    expect(readSettings({ PORT: '3000' }).port).to.equal(3_000);
    expect(readSettings({ PORT: '3000', PINFOLD_PORT: '' }).port).to.equal(3_000);
    expect(readSettings({ PORT: '3000', PINFOLD_PORT: '4000' }).port).to.equal(4_000);
    expect(readSettings({ PORT: 'none', PINFOLD_PORT: '4000' }).port).to.equal(4_000);
    expect(readSettings({ PORT: '' }).port).to.equal(8_080);
    expect(refusal({ PORT: 'none' })).to.include({ variable: 'PORT', option: 'port' });
    expect(refusal({ PORT: '3000', PINFOLD_PORT: 'none' })).to.include({ variable: 'PINFOLD_PORT' });
  });

  it('refuses contradictory limits of an archive, and names both', () => {
    const bounds = { PINFOLD_EXPANDED_BYTES: '1000' };
    expect(readSettings({ ...bounds, PINFOLD_ARCHIVE_BYTES: '1000' }).limits.archiveBytes).to.equal(1_000);
    for (const variable of ['PINFOLD_ARCHIVE_BYTES', 'PINFOLD_FILE_BYTES']) {
      const { expectation } = refusal({ ...bounds, [variable]: '1001' });
      const other = 'PINFOLD_EXPANDED_BYTES (limits.expandedBytes)';
      expect(expectation).to.equal(`must not be above ${other}, which is 1000`);
    }
    const large = { PINFOLD_EXPANDED_BYTES: '536870912', PINFOLD_ARCHIVE_BYTES: '67108864' };
    expect(readSettings(large).limits).to.deep.equal({
      expandedBytes: 536_870_912,
      archiveBytes: 67_108_864,
    });
  });

  it('shows no value that may be a secret', () => {
    for (const name of ['SECRET', 'API_KEY', 'DATABASE_URL', 'STORAGE_URL', 'PUBLIC_URL', 'SITES_URL']) {
      const { message } = refusal({ [`PINFOLD_${name}`]: 'u:hunter2@x' });
      expect(message).not.to.include('hunter2');
    }
  });

  it('names all dependencies that readiness can need', () => {
    const { expectation } = refusal({ PINFOLD_READY_NEEDS: 'all' });
    for (const need of ['none', 'database', 'storage', 'staging', 'clock'])
      expect(expectation).to.include(need);
  });

  it('demands a secret with PostgreSQL', () => {
    const url = 'postgres://pinfold:pw@db.example/pinfold';
    expect(refusal({ PINFOLD_DATABASE_URL: url }).variable).to.equal('PINFOLD_SECRET');
    const { database } = readSettings({ PINFOLD_DATABASE_URL: url, PINFOLD_SECRET: 'x'.repeat(32) });
    expect(database).to.deep.equal({ kind: 'postgres', url });
  });

  it('trims a URL of PostgreSQL, and explains how to encode a password', () => {
    const url = 'postgres://pinfold:pw@db.example/pinfold';
    const env = { PINFOLD_DATABASE_URL: ` ${url}\r\n`, PINFOLD_SECRET: 'x'.repeat(32) };
    expect(readSettings(env).database).to.deep.equal({ kind: 'postgres', url });
    for (const sign of ['/', '#', '?'])
      expect(refusal({ PINFOLD_DATABASE_URL: url.replace('pw', `p${sign}w`) }).message, sign).to.include(
        'percent-encode',
      );
  });

  it('accepts a URL of PostgreSQL without a host, with the socket in its query', () => {
    for (const url of [
      'postgres://me:pw@/db?host=/cloudsql/a:b:c',
      'postgres:///db?host=/run/postgresql&user=me',
    ]) {
      const { database } = readSettings({ PINFOLD_DATABASE_URL: url, PINFOLD_SECRET: 'x'.repeat(32) });
      expect(database).to.deep.equal({ kind: 'postgres', url });
    }
  });

  it('refuses origin mode for a host without subdomains', () => {
    const env = { PINFOLD_PUBLIC_URL: 'http://192.0.2.1:8080', PINFOLD_VIEWER_MODE: 'origin' };
    expect(refusal(env).variable).to.equal('PINFOLD_VIEWER_MODE');
    expect(readSettings({ ...env, PINFOLD_SITES_URL: 'http://sites.example' }).viewerMode).to.equal('origin');
  });

  describe('of OpenID Connect', () => {
    it('reads them if an issuer is set', () => {
      expect(readSettings(oidc).oidc).to.deep.equal({
        issuer: 'https://login.example',
        clientId: 'pinfold',
        clientSecret: 'hunter2',
      });
      const madeByEcho = { ...oidc, PINFOLD_OIDC_CLIENT_SECRET: 'hunter2\n' };
      expect(readSettings(madeByEcho).oidc).to.deep.include({ clientSecret: 'hunter2' });
      const more = {
        PINFOLD_OIDC_SCOPES: 'openid groups',
        PINFOLD_OIDC_NAME: 'Example',
        PINFOLD_OIDC_ACCOUNT_PREFIX: 'sso/',
        PINFOLD_OIDC_ACCOUNT_CLAIM: 'oid',
        PINFOLD_OIDC_REQUIRE: 'groups=staff',
        PINFOLD_OIDC_ADMINS: 'groups=ops&level=1',
      };
      expect(readSettings({ ...oidc, ...more }).oidc).to.deep.include({
        scopes: 'openid groups',
        name: 'Example',
        accountPrefix: 'sso/',
        accountClaim: 'oid',
        require: [[{ path: 'groups', value: 'staff' }]],
        admins: [
          [
            { path: 'groups', value: 'ops' },
            { path: 'level', value: '1' },
          ],
        ],
      });
      expect(readSettings({ ...oidc, PINFOLD_OIDC_ISSUER: '' }).oidc).to.equal(undefined);
    });

    it('warns only of an empty prefix', () => {
      expect(readSettings(oidc).notes).to.deep.equal([]);
      const { oidc: setting, notes } = readSettings({ ...oidc, PINFOLD_OIDC_ACCOUNT_PREFIX: '' });
      expect(setting?.accountPrefix).to.equal('');
      expect(notes).to.have.length(1);
      expect(notes[0]).to.match(/^PINFOLD_OIDC_ACCOUNT_PREFIX \(oidc.accountPrefix\) is empty/);
    });

    it('requires a client id and a secret, and shows no secret', () => {
      for (const name of ['PINFOLD_OIDC_CLIENT_ID', 'PINFOLD_OIDC_CLIENT_SECRET']) {
        for (const blank of ['', '\n']) expect(refusal({ ...oidc, [name]: blank }).variable).to.equal(name);
      }
      expect(refusal({ ...oidc, PINFOLD_OIDC_REQUIRE: 'groups' }).message).not.to.include('hunter2');
    });
  });
});
