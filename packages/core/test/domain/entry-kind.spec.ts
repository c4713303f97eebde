import { expect } from 'chai';
import { kindOfEntry } from '../../src/domain/entry-path.ts';

const unix = (mode: number): { host: number; externalAttributes: number } => ({
  host: 3,
  externalAttributes: (mode << 16) >>> 0,
});

describe('kindOfEntry', () => {
  it('recognizes files and folders of Unix', () => {
    expect(kindOfEntry('a', unix(0o100644))).to.equal('file_or_folder');
    expect(kindOfEntry('a/', unix(0o040755))).to.equal('file_or_folder');
    expect(kindOfEntry('a', unix(0))).to.equal('file_or_folder');
  });

  it('recognizes symbolic links from any host system', () => {
    for (const host of [0, 3, 7, 10, 11, 19, 255]) {
      expect(kindOfEntry('a', { ...unix(0o120777), host }), `host ${host}`).to.equal('symlink');
    }
  });

  it('recognizes pipes, devices, sockets and unknown types', () => {
    for (const mode of [0o010644, 0o020644, 0o060644, 0o140644, 0o030000, 0o170000]) {
      expect(kindOfEntry('a', unix(mode)), mode.toString(8)).to.equal('special');
    }
  });

  it('treats a folder without a slash as neither file nor folder', () => {
    expect(kindOfEntry('a', unix(0o040755))).to.equal('special');
  });

  it('recognizes links and devices of Windows only for hosts of Windows', () => {
    expect(kindOfEntry('a', { host: 0, externalAttributes: 0x420 })).to.equal('symlink');
    expect(kindOfEntry('a', { host: 10, externalAttributes: 0x40 })).to.equal('special');
    expect(kindOfEntry('a', { host: 3, externalAttributes: 0x440 })).to.equal('file_or_folder');
    expect(kindOfEntry('a/', { host: 0, externalAttributes: 0x10 })).to.equal('file_or_folder');
  });
});
