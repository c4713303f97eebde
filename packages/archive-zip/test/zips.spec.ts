import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { badZips, goodZips } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { strToU8, Zip, ZipDeflate, ZipPassThrough, zipSync } from 'fflate';
import { ZipFile } from 'yazl';
import { useInspector } from './inspection.ts';

const PAGE = '<!doctype html><title>A site</title><link rel="stylesheet" href="docs/style.css">';
/** Without it, fflate writes the current time into each header. */
const MODIFIED = '2026-11-20';
const STYLE = 'body { color: teal }\n'.repeat(500);

async function yazl(
  add: (zip: ZipFile) => void,
  end: { readonly forceZip64Format?: boolean; readonly comment?: string } = {},
): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(PAGE), 'index.html');
  add(zip);
  zip.end({ forceZip64Format: false, comment: '', ...end });
  return buffer(zip.outputStream);
}

const ZIP64 = { forceZip64Format: true };

const fromBytes = (options: object = {}): Promise<Buffer> =>
  yazl((zip) => zip.addBuffer(Buffer.from(STYLE), 'docs/style.css', options));
const fromStream = (options: object = {}, end: object = {}): Promise<Buffer> =>
  yazl((zip) => zip.addReadStream(Readable.from([STYLE]), 'docs/style.css', options), end);

const archives: readonly (readonly [string, () => Promise<Uint8Array>])[] = [
  ['yazl', () => fromBytes()],
  ['yazl, stored', () => fromBytes({ compress: false })],
  ['yazl, from streams', () => fromStream()],
  ['yazl, stored from streams', () => fromStream({ compress: false })],
  ['yazl, Zip64', () => fromBytes(ZIP64)],
  ['yazl, Zip64 throughout and from streams', () => fromStream(ZIP64, ZIP64)],
  [
    'yazl, with folders, empty files and a comment',
    () =>
      yazl(
        (zip) => {
          zip.addEmptyDirectory('docs');
          zip.addBuffer(Buffer.from(STYLE), 'docs/style.css');
          zip.addBuffer(Buffer.alloc(0), 'docs/empty.txt');
          zip.addReadStream(Readable.from([]), 'docs/nothing.txt', ZIP64);
        },
        { comment: 'Made with care' },
      ),
  ],
  [
    'fflate',
    async () =>
      zipSync(
        { 'index.html': strToU8(PAGE), docs: { 'style.css': strToU8(STYLE), 'é.txt': strToU8('é') } },
        { mtime: MODIFIED },
      ),
  ],
  ['fflate, streamed', async () => streamed()],
];

/** A file as fflate writes it when it does not know the size. */
function streamed(): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error;
    pieces.push(piece);
  });
  for (const [file, content] of [
    [new ZipDeflate('index.html'), PAGE],
    [new ZipPassThrough('docs/style.css'), STYLE],
  ] as const) {
    zip.add(Object.assign(file, { mtime: MODIFIED }));
    file.push(strToU8(content), true);
  }
  zip.end();
  return Buffer.concat(pieces);
}

describe('a ZIP of an archiver for Node', () => {
  const inspect = useInspector();

  for (const [name, bytes] of archives) {
    it(`is accepted: ${name}`, async () => {
      const { problems, files, proof } = await inspect(await bytes());
      expect(problems).to.deep.equal([]);
      expect(files.map(({ path }) => path)).to.include.members(['index.html', 'docs/style.css']);
      expect(proof.entries.every(({ references }) => references.length === 0)).to.equal(true);
    });
  }
});

describe('ZipArchiveInspector', () => {
  const inspect = useInspector();

  for (const { name, bytes } of goodZips) {
    it(`accepts ${name}`, async () => {
      const { problems, files, proof } = await inspect(await bytes());
      expect(problems).to.deep.equal([]);
      expect(proof.entries.map(({ entry }) => entry)).to.include.members(files.map(({ entry }) => entry));
    });
  }

  for (const { name, rules, bytes } of badZips) {
    it(`refuses ${name}: ${rules.join(', ')}`, async () => {
      const found = await inspect(await bytes());
      expect(found.rules).to.deep.equal([...rules].sort());
    });
  }
});
