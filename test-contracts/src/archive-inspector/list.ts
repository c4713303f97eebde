import { crc32, deflateRawSync } from 'node:zlib';
import { type ArchiveRule, isFault, type ListedEntry } from '@pinfold/core';
import { expect } from 'chai';
import { expectAbortedEarlyAndLate } from '../expect-aborts.ts';
import { badZips, goodZips } from '../fixtures/zips/index.ts';
import { type PlannedEntry, writeZip } from '../fixtures/zips/zip-writer.ts';
import { rejectionOf } from '../rejection.ts';
import { type ArchiveInspectorClauses, type ArchiveInspectorSubject, rulesOf } from './subject.ts';

/** The rules about the bytes of a ZIP, which only the inspector can check. */
const STRUCTURE: ReadonlySet<ArchiveRule> = new Set([
  'not_a_zip',
  'truncated',
  'bad_encoding',
  'header_mismatch',
  'overlapping_entries',
  'ambiguous_structure',
]);

/** The two of them with which offsets and sizes can still be trusted. */
const READABLE: ReadonlySet<ArchiveRule> = new Set(['bad_encoding', 'header_mismatch']);

const TEXT = 'Some text, some text, some text. ';

async function listsEntries(subject: ArchiveInspectorSubject): Promise<void> {
  const bytes = writeZip({
    entries: [
      { name: 'Index.html', content: TEXT, central: { host: 3, externalAttributes: 0x81a40000 } },
      { name: 'a/', method: 0, central: { host: 0, externalAttributes: 16 } },
      { name: Buffer.from('caf\x82.txt', 'latin1'), method: 0, content: 'Hi', both: { flags: 0 } },
      { name: 'é.txt', content: TEXT, descriptor: 16 },
    ],
  });
  const { entries, problems, trusted } = await subject.port.list(await subject.stage(bytes));
  const packed = deflateRawSync(TEXT);
  const deflated = {
    method: 8,
    crc32: crc32(TEXT),
    compressedSize: packed.length,
    size: TEXT.length,
    data: packed,
  };
  const nothing = { method: 0, crc32: 0, compressedSize: 0, size: 0, data: Buffer.alloc(0) };
  const stored = { method: 0, crc32: crc32('Hi'), compressedSize: 2, size: 2, data: Buffer.from('Hi') };
  expect(problems).to.deep.equal([]);
  expect(trusted).to.equal(true);
  expect(entries.map((entry) => withData(entry, bytes))).to.deep.equal([
    { name: 'Index.html', host: 3, externalAttributes: 0x81a40000, flags: 0, ...deflated },
    { name: 'a/', host: 0, externalAttributes: 16, flags: 0, ...nothing },
    { name: 'café.txt', host: 3, externalAttributes: 0, flags: 0, ...stored },
    { name: 'é.txt', host: 3, externalAttributes: 0, flags: 0x0808, ...deflated },
  ]);
}

/** A site with a folder 写真 and a file ソ in CP932; other encodings have other names for these bytes. */
async function readsNames({ port, stage }: ArchiveInspectorSubject): Promise<void> {
  const raw = (name: string, content: string): PlannedEntry => ({
    name: Buffer.from(name, 'latin1'),
    content,
    both: { flags: 0 },
  });
  const entries = [
    { name: 'index.html', content: '<a href="%E5%86%99%E7%9C%9F/%E3%82%BD">x</a>' },
    raw('\x8e\xca\x90^/\x83\\.html', 'x'),
    raw('\x8e\xca\x90^/._a', '\0\x05\x16\x07'),
    raw('._b', 'x'),
  ];
  const listing = await port.list(await stage(writeZip({ entries })));
  expect(listing.entries.map(({ name, appleDouble = false }) => [name, appleDouble])).to.deep.equal([
    ['index.html', false],
    ['写真/ソ.html', false],
    ['写真/._a', true],
    ['._b', false],
  ]);
  expect(listing.guessed).to.deep.equal({ encoding: 'CP932', first: 1, whole: true });
}

async function listsBounded({ port, stage }: ArchiveInspectorSubject): Promise<void> {
  const entries = ['index.html', 'a/', 'b/', 'c/'].map((name) => ({ name, method: 0 }));
  const within = await port.list(await stage(writeZip({ entries })), undefined, 4);
  expect([within.entries.length, within.problems]).to.deep.equal([4, []]);
  for (const end of [{}, { count: 2, countOnDisk: 2 }]) {
    const beyond = await port.list(await stage(writeZip({ entries, end })), undefined, 3);
    expect(rulesOf(beyond.problems)).to.include('too_many_files');
    expect([beyond.entries, beyond.trusted]).to.deep.equal([[], false]);
  }
}

/** Replaces the offset of an entry by the bytes at the offset. */
function withData({ dataOffset, ...entry }: ListedEntry, bytes: Uint8Array): object {
  return { ...entry, data: Buffer.from(bytes.subarray(dataOffset, dataOffset + entry.compressedSize)) };
}

export const listClauses: ArchiveInspectorClauses = {
  'archive-inspector/list-entries: every entry of the directory is listed, in order, with the offset of its data':
    listsEntries,
  'archive-inspector/list-names: unmarked names are decoded with the one encoding that chooseNameEncoding chooses from the pages, and AppleDouble files are marked':
    readsNames,
  'archive-inspector/list-structure: every broken rule of structure, headers and encoding is reported':
    async (subject) => {
      for (const { name, rules, bytes } of badZips) {
        const expected = rules.filter((rule) => STRUCTURE.has(rule));
        if (expected.length === 0) continue;
        const { problems, trusted } = await subject.port.list(await subject.stage(await bytes()));
        expect(rulesOf(problems), name).to.include.members(expected);
        expect(trusted, name).to.equal(expected.every((rule) => READABLE.has(rule)));
      }
    },
  'archive-inspector/list-bounded: a directory with more entries than the maximum is too_many_files and its entries are not listed, whatever count its end record has':
    listsBounded,
  'archive-inspector/list-tools: archives of real tools are listed without problems': async (subject) => {
    for (const { name, bytes } of goodZips) {
      const { problems, trusted } = await subject.port.list(await subject.stage(await bytes()));
      expect(problems, name).to.deep.equal([]);
      expect(trusted, name).to.equal(true);
    }
  },
  'archive-inspector/list-aborted: an aborted signal rejects with its reason': async (subject) => {
    const archive = await subject.stage(writeZip({ entries: [{ name: 'index.html', content: TEXT }] }));
    await expectAbortedEarlyAndLate((signal) => subject.port.list(archive, signal));
  },
  'archive-inspector/list-unreadable: a missing staged file is the fault staging_unavailable': async (
    subject,
  ) => {
    const archive = await subject.stage(writeZip({}));
    await archive.discard();
    const fault = await rejectionOf(subject.port.list(archive));
    expect(isFault(fault) && fault.code).to.equal('staging_unavailable');
  },
};
