import { expect } from 'chai';
import { hasSeveralHosts } from '../src/header-values.ts';

describe('hasSeveralHosts', () => {
  it('counts Host headers in any letter case, among any other headers', () => {
    const raw = (...names: readonly string[]) => ({ rawHeaders: names.flatMap((name) => [name, 'host']) });
    for (const names of [[], ['Accept'], ['Host'], ['Date', 'host', 'ETag', 'Hose', 'Hosts']]) {
      expect(hasSeveralHosts(raw(...names)), names.join()).to.equal(false);
    }
    for (const names of [
      ['Host', 'Host'],
      ['host', 'Date', 'HOST'],
      ['Accept', 'hOST', 'Hosts', 'Host', 'Via'],
    ]) {
      expect(hasSeveralHosts(raw(...names)), names.join()).to.equal(true);
    }
  });
});
