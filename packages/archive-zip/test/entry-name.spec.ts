import { expect } from 'chai';
import { decodeCp437, decodeName } from '../src/entry-name.ts';

const name = (text: string, flags: number = 0): object => decodeName(Buffer.from(text, 'latin1'), flags);

describe('decodeName', () => {
  it('takes valid UTF-8 for what it is, marked or not, and keeps a mark of byte order', () => {
    for (const flags of [0, 0x0800]) {
      expect(name('caf\xc3\xa9', flags)).to.deep.equal({ name: 'café' });
      expect(name('\xef\xbb\xbfa', flags)).to.deep.equal({ name: '\ufeffa' });
    }
  });

  it('takes all else for code page 437', () => {
    expect(name('caf\x82')).to.deep.equal({ name: 'café' });
    expect(name('\x8e\x84\x99\x94\x9a\x81\xe1')).to.deep.equal({ name: 'ÄäÖöÜüß' });
    expect(name('\x95\x5c')).to.deep.equal({ name: 'ò\\' });
  });

  it('says that a name is wrong when it is marked and not UTF-8', () => {
    expect(name('caf\x82', 0x0800)).to.have.property('wrong');
    expect(name('\xed\xa0\x80', 0x0800)).to.have.property('wrong');
    expect(name('\xc0\xaf', 0x0800)).to.have.property('wrong');
  });
});

describe('code page 437', () => {
  it('is ASCII below, and another character for each byte above', () => {
    const all = decodeCp437(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    expect([...all]).to.have.length(256);
    expect(new Set(all).size).to.equal(256);
    for (let byte = 0; byte < 0x80; byte += 1) expect(all.charCodeAt(byte)).to.equal(byte);
    expect(all.slice(0x80)).not.to.match(/\p{Cc}/u);
  });
});
