import { expect } from 'chai';
import { type Environment, readSettings } from '../../src/settings/settings.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';

describe('the settings of OpenID Connect', () => {
  const client = {
    PINFOLD_OIDC_ISSUER: 'https://login.example',
    PINFOLD_OIDC_CLIENT_ID: 'pinfold',
    PINFOLD_OIDC_CLIENT_SECRET: 'hunter2',
  };

  it('are read where an issuer is set', () => {
    expect(readSettings(client).oidc).to.deep.equal({
      issuer: 'https://login.example',
      clientId: 'pinfold',
      clientSecret: 'hunter2',
    });
    const more = {
      PINFOLD_OIDC_SCOPES: 'openid groups',
      PINFOLD_OIDC_NAME: 'Example',
      PINFOLD_OIDC_ACCOUNT_PREFIX: 'sso/',
      PINFOLD_OIDC_ACCOUNT_CLAIM: 'oid',
      PINFOLD_OIDC_REQUIRE: 'groups=staff',
      PINFOLD_OIDC_ADMINS: 'groups=ops&level=1',
    };
    expect(readSettings({ ...client, ...more }).oidc).to.deep.include({
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
    expect(readSettings({ ...client, PINFOLD_OIDC_ISSUER: '' }).oidc).to.equal(undefined);
  });

  it('warn of an empty prefix, and of nothing else', () => {
    expect(readSettings(client).notes).to.deep.equal([]);
    const { oidc, notes } = readSettings({ ...client, PINFOLD_OIDC_ACCOUNT_PREFIX: '' });
    expect(oidc?.accountPrefix).to.equal('');
    expect(notes).to.have.length(1);
    expect(notes[0]).to.match(/^PINFOLD_OIDC_ACCOUNT_PREFIX is empty/);
  });

  it('demand a client of the issuer, and show no secret of it', () => {
    for (const name of ['PINFOLD_OIDC_CLIENT_ID', 'PINFOLD_OIDC_CLIENT_SECRET']) {
      expect(refusal({ ...client, [name]: '' }).variable).to.equal(name);
    }
    expect(refusal({ ...client, PINFOLD_OIDC_REQUIRE: 'groups' }).message).not.to.include('hunter2');
  });

  const refused: readonly (readonly [name: string, ...values: readonly string[]])[] = [
    ['OIDC_ISSUER', 'login.example', 'http://login.example', 'https://login.example?x'],
    ['OIDC_SCOPES', 'email', 'openid  email', 'openid "x"'],
    ['OIDC_NAME', 'x'.repeat(256)],
    ['OIDC_ACCOUNT_PREFIX', 'x'.repeat(256)],
    ['OIDC_REQUIRE', 'groups', 'groups=', '=staff', 'a=b,'],
    ['OIDC_ADMINS', 'groups', 'a=b&'],
  ];
  for (const [name, ...values] of refused) {
    for (const value of values) {
      it(`refuse PINFOLD_${name}=${value} in one line that names it`, () => {
        const { variable, message } = refusal({ ...client, [`PINFOLD_${name}`]: value });
        expect(variable).to.equal(`PINFOLD_${name}`);
        expect(message).to.match(new RegExp(`^PINFOLD_${name} .+$`));
      });
    }
  }
});

function refusal(env: Environment): SettingsError {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}
