import { expect } from 'chai';
import { fulfills, parseClaimRule } from '../src/claims.ts';

const CLAIMS = [
  {
    groups: ['staff', 'a=b&c,d'],
    realm_access: { roles: ['publisher'] },
    department: 'R&D',
    level: 3,
    active: true,
  },
  {
    groups: ['guests'],
    city: 'Ulm',
    'https://example.com/roles': ['editor'],
    nested: { 'a.b': { c: 'deep' } },
  },
];

describe('a claim rule', () => {
  const holds = [
    'groups=staff',
    'department=R%26D',
    'groups=a%3Db%26c%2Cd',
    'groups=a%3db%26c%2cd',
    'groups=a=b%26c%2Cd',
    'realm_access.roles=publisher',
    'groups=other,groups=staff',
    'groups=staff&level=3&active=true',
    'groups=other&level=3,city=Ulm',
    ' groups = staff , x=y',
    'https://example.com/roles=editor',
    'nested.a.b.c=deep',
  ];
  for (const rule of holds) {
    it(`holds: ${rule}`, () => {
      expect(fulfills(CLAIMS, parseClaimRule(rule))).to.equal(true);
    });
  }

  const fails = [
    'groups=Staff',
    'groups=sta',
    'groups=staff&level=4',
    'groups=guests',
    'realm_access=publisher',
    'realm_access.roles.length=1',
    'groups.0=staff',
    'department.length=3',
    'missing=undefined',
    'constructor.name=Object',
    '__proto__.x=y',
    'nested=[object Object]',
  ];
  for (const rule of fails) {
    it(`does not hold: ${rule}`, () => {
      expect(fulfills(CLAIMS, parseClaimRule(rule))).to.equal(false);
    });
  }

  for (const text of ['', 'groups', '=staff', 'groups=', 'groups=staff,', 'groups=staff&', '&', 'a=b,,c=d']) {
    it(`is invalid: "${text}"`, () => {
      expect(() => parseClaimRule(text)).to.throw(TypeError, 'claim=value');
    });
  }
});
