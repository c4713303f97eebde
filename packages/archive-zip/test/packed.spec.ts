import { deserialize, serialize } from 'node:v8';
import type { EntryPath, EntryProof, ListedEntry } from '@pinfold/core';
import { expect } from 'chai';
import type { EntryTask } from '../src/jobs.ts';
import {
  bareProof,
  packEntries,
  packProofs,
  packTasks,
  unpackEntries,
  unpackProofs,
  unpackTasks,
} from '../src/packed.ts';

describe('Entries that are sent between threads', () => {
  const transfer = <Value>(value: Value): Value => deserialize(serialize(value)) as Value;
  const numbers = {
    method: 8,
    crc32: 0xffff_ffff,
    compressedSize: 7,
    size: 2 ** 40,
    dataOffset: 2 ** 53 - 1,
  };

  it('arrive as they were listed', () => {
    const common = { ...numbers, host: 3, externalAttributes: 0xffff_ffff, flags: 0x800 };
    const entries: readonly ListedEntry[] = [
      { ...common, name: 'ä\n.html' },
      { ...common, name: '._ä', host: 0, appleDouble: true },
    ];
    expect(unpackEntries(transfer(packEntries(entries)))).to.deep.equal(entries);
  });

  it('arrive as they are to be proved', () => {
    const common = { ...numbers, limit: 10_485_760, observedBytes: 5, referenceWork: 6 };
    const tasks: readonly EntryTask[] = [
      { ...common, entry: 0, name: 'site/', limit: 0 },
      { ...common, entry: 9, name: 'site/a.html', path: 'a.html' as EntryPath },
    ];
    expect(unpackTasks(transfer(packTasks(tasks)))).to.deep.equal(tasks);
  });

  it('arrive as they were proved, those without findings as a number', () => {
    const bare = [
      bareProof(4, { utf8: true, whole: true }),
      bareProof(150_000, { utf8: false, whole: true }),
      bareProof(0, { utf8: true, whole: false }),
    ];
    const [nothing] = bare as [EntryProof];
    const unusual: readonly EntryProof[] = [
      { ...nothing, secrets: ['npm_token'] },
      { ...nothing, serviceWorker: true },
      { ...nothing, modules: ['app.js'] },
    ];
    const packed = transfer(packProofs([...bare, ...unusual]));
    expect(packed.map((proof) => typeof proof)).to.deep.equal([
      ...bare.map(() => 'number'),
      ...unusual.map(() => 'object'),
    ]);
    expect(unpackProofs(packed)).to.deep.equal([...bare, ...unusual]);
  });
});
