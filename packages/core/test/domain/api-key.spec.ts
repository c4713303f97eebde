import { expect } from 'chai';
import { DEFAULT_SCOPES, SCOPES } from '../../src/index.ts';

describe('the scopes of an API key', () => {
  it('are to read, to write and to sign in to the management screen', () => {
    expect(SCOPES).to.have.members(['pins:read', 'pins:write', 'manage']);
  });

  it('are to read and to write unless told otherwise', () => {
    expect(DEFAULT_SCOPES).to.have.members(['pins:read', 'pins:write']);
  });
});
