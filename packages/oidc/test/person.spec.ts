import { accountId } from '@pinfold/core';
import { expect } from 'chai';
import {
  type Claims,
  identifyPerson,
  listClaimNames,
  type PersonRules,
  parseClaimRule,
  withVerifiedEmails,
} from '../src/claims.ts';
import { issuerUrl } from '../src/index.ts';

const RULES: PersonRules = {
  accountPrefix: 'oidc:',
  accountClaim: 'sub',
  require: undefined,
  admins: undefined,
};

describe('identifying a person', () => {
  const identify = (claimSets: readonly Claims[], rules: Partial<PersonRules> = {}, sub = 'u1') =>
    identifyPerson(sub, claimSets, { ...RULES, ...rules });
  const accountOf = (claimSets: readonly Claims[], rules: Partial<PersonRules> = {}) => {
    const identified = identify(claimSets, rules);
    return identified.kind === 'recognized' ? identified.person.account : identified.problem;
  };

  it('names the account by prefix and claim, of the id_token before userinfo', () => {
    expect(accountOf([{ sub: 'u1' }])).to.equal('oidc:u1');
    expect(accountOf([{ sub: 'u1', oid: 'a' }, { oid: 'b' }], { accountClaim: 'oid' })).to.equal('oidc:a');
    expect(accountOf([{ sub: 'u1' }, { oid: 'b' }], { accountClaim: 'oid', accountPrefix: '' })).to.equal(
      'b',
    );
  });

  it('fails unless prefix and claim have 1 to 255 printable characters', () => {
    for (const claim of [
      undefined,
      null,
      7,
      true,
      '',
      ['u1'],
      {},
      'a\nb',
      '\u2028',
      '\ud800',
      'x'.repeat(251),
    ]) {
      expect(accountOf([{ sub: 'u1', id: claim }], { accountClaim: 'id' }), String(claim)).to.equal(
        'nameless',
      );
    }
    expect(accountOf([{ sub: 'u1', id: '🧭'.repeat(250) }], { accountClaim: 'id' })).to.match(/^oidc:/);
    expect(identify([{ sub: 'a\0', id: 'u' }], { accountClaim: 'id' }, 'a\0')).to.deep.include({
      problem: 'nameless',
    });
  });

  it('never uses an address that the issuer has not verified', () => {
    const email = 'ada@example.com';
    const rules = { accountClaim: 'email' };
    for (const claimSets of [
      [{ email }],
      [{ email, email_verified: 'true' }],
      [{ email, email_verified: false }],
      [{ email }, { email: 'eve@example.com', email_verified: true }],
      [
        { email, email_verified: true },
        { email, email_verified: false },
      ],
      [{}, { email }],
    ]) {
      expect(['nameless', 'oidc:eve@example.com'], JSON.stringify(claimSets)).to.include(
        accountOf(claimSets, rules),
      );
      expect(accountOf(claimSets, rules)).not.to.equal('oidc:ada@example.com');
      const admins = parseClaimRule('email=ada@example.com');
      expect(
        identify([{ ...claimSets[0], sub: 'u1' }, ...claimSets.slice(1)], { admins }),
        'rules',
      ).to.have.nested.property('person.scope', 'manage');
    }
    expect(accountOf([{ email, email_verified: true }], rules)).to.equal('oidc:ada@example.com');
    expect(accountOf([{}, { email, email_verified: true }], rules)).to.equal('oidc:ada@example.com');
    expect(accountOf([{ email }, { email, email_verified: true }], rules)).to.equal('oidc:ada@example.com');
  });

  it('shows the name, or else the address, or else nothing', () => {
    const shown = (claims: Claims) => {
      const identified = identify([{ sub: 'u1', ...claims }]);
      return identified.kind === 'recognized' ? identified.person.displayName : identified;
    };
    expect(shown({ name: 'Ada', email: 'ada@example.com' })).to.equal('Ada');
    expect(shown({ name: '', email: 'ada@example.com' })).to.equal('ada@example.com');
    expect(shown({ name: 'a\nb', email: 7 })).to.equal(null);
    expect(shown({ name: 'x'.repeat(256) })).to.equal(null);
  });

  it('recognizes administrators, and people who may not sign in', () => {
    const claims = [{ sub: 'u1', groups: ['ops'] }];
    expect(identify(claims, { admins: parseClaimRule('groups=ops') })).to.deep.equal({
      kind: 'recognized',
      person: { account: accountId('oidc:u1'), id: 'u1', displayName: null, scope: 'admin' },
    });
    const both = { require: parseClaimRule('groups=staff'), admins: parseClaimRule('groups=ops') };
    expect(identify(claims, both)).to.deep.include({ kind: 'failed', problem: 'not_allowed' });
  });

  it('reports the unmet conditions and the names of the claims, but no values of claims', () => {
    const claims = [
      { sub: 'u1', groups: ['guests'], secret: 'hush' },
      { tenant: { id: 7 }, email: 'a@b.example' },
    ];
    const require = parseClaimRule('groups=staff&tenant.id=7,groups=a%2Cb,email=a@b.example');
    expect(identify(claims, { require })).to.deep.include({
      problem: 'not_allowed',
      detail:
        'unmet conditions: groups=staff, groups=a%2Cb, email=a@b.example; received claims: groups, secret, sub, tenant',
    });
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`${n}`.padStart(99, 'x'), n]));
    const refused = identify([{ sub: 'u1', ...many }], { require });
    expect('detail' in refused ? refused.detail?.length : 0).to.be.within(100, 4_000);
  });

  it('lists the first 40 names, without sorting all, and copies no claims without an email', () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`c${90 - n}`, n]));
    const listed = Array.from({ length: 40 }, (_, n) => `c${90 - n}`).sort();
    expect(listClaimNames([many])).to.equal(`${listed.join(', ')}, …`);
    expect(withVerifiedEmails([many])[0]).to.equal(many);
  });
});

describe('the address of an issuer', () => {
  for (const text of [
    'https://login.example',
    'https://x.example/realms/a',
    'http://localhost:9',
    'http://127.0.0.1',
    'http://[::1]:9/x',
  ]) {
    it(`may be ${text}`, () => {
      expect(issuerUrl(text).href).to.match(/^https?:/);
    });
  }
  for (const text of [
    '',
    'login.example',
    'http://login.example',
    'http://127.0.0.1.example',
    'ftp://x',
    'https://a:b@x.example',
    'https://x.example?y',
    'https://x.example#y',
  ]) {
    it(`cannot be "${text}"`, () => {
      expect(() => issuerUrl(text)).to.throw(TypeError, 'https://');
    });
  }
});
