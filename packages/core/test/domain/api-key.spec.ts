import { expect } from 'chai';
import { type ApiKeyId, DEFAULT_SCOPES, MEMBER_SCOPES } from '../../src/index.ts';
import { credentialOf, KNOWN_SCOPES, parseApiKeyId } from '../../src/internal.ts';

describe('the scopes of an API key', () => {
  it('are to read, to write, to sign in to the management screen and to administer', () => {
    expect(KNOWN_SCOPES).to.have.members(['pins:read', 'pins:write', 'manage', 'admin']);
  });

  it('of a member exclude administration, and cannot be added to', () => {
    expect(MEMBER_SCOPES).to.deep.equal(['pins:read', 'pins:write', 'manage']);
    expect(() => (MEMBER_SCOPES as unknown as string[]).push('admin')).to.throw(TypeError);
  });

  it('are to read and to write by default', () => {
    expect(DEFAULT_SCOPES).to.have.members(['pins:read', 'pins:write']);
  });
});

describe('the credential of a caller', () => {
  it('is its API key, and whether the store must have it', () => {
    const key = 'k1' as ApiKeyId;
    expect(credentialOf({ key, isKeyStored: true })).to.deep.equal({ key, isKeyStored: true });
    expect(credentialOf({ key })).to.deep.equal({ key, isKeyStored: false });
    expect(credentialOf({})).to.deep.equal({ key: null, isKeyStored: false });
  });
});

describe('the id of an API key', () => {
  it('has 1 to 32 letters and digits', () => {
    for (const id of ['a', 'Z9', 'a'.repeat(32)]) expect(parseApiKeyId(id)).to.equal(id);
    for (const text of ['', 'a'.repeat(33), 'a_b', 'é', 'a\n', '../a'])
      expect(parseApiKeyId(text)).to.equal(undefined);
  });
});
