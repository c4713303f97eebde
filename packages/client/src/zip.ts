import {
  forbiddenSegment,
  isAppleDouble,
  isSecretPath,
  isSystemEntry,
  isToolFile,
  mayBeAppleDouble,
  mayBeKeyFile,
  OUTPUT_FOLDERS,
  secretOfFile,
} from '@pinfold/core/internal';
import { deflateSync } from 'fflate';

export { titleOf } from './page-title.ts';

/** A file to pack. */
export interface FileToPack {
  /** Its path in the site, with `/` between folders. */
  readonly path: string;
  /**
   * Its content, or a function that reads it. The packer calls the function at most once: only for a file that it
   * packs, or that may be AppleDouble (`._x`). It reads up to 16 files at the same time.
   */
  readonly bytes: Uint8Array | (() => Promise<Uint8Array>);
}

/** Options of the packer. */
export interface PackOptions {
  /** Also packs names that begin with a dot, except forbidden ones such as `.git` and `.env`. */
  readonly dotFiles?: boolean | undefined;
}

/** A packed site. */
export interface PackedFiles {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Paths that were not packed, sorted. A folder that was left out as a whole is listed once, with a trailing `/`. */
  readonly leftOut: string[];
}

/** Noon of 1 January 2000, for every file: the same files give the same bytes on every day. */
const MODIFICATION_TIME = 0x28_21_60_00;
const COMPRESSION_LEVEL = 6;
/** Stores a file uncompressed unless deflating makes it at least 2 % smaller. */
const MAX_DEFLATED_RATIO = 0.98;
/** Files that are read at the same time. */
const MAX_CONCURRENT_READS = 16;
/** Shared, because Node builds a table for each decoder. */
const LATIN1 = new TextDecoder('latin1');
/** Without Zip64 the counter has 16 bits, and its last value is reserved. */
const MAX_FILES = 65_534;
const MAX_NAME_BYTES = 65_535;
const DIRECTORY_HEADER_BYTES = 46;
/** The flag for a name that is not ASCII. */
const NAME_IS_UTF8 = 0x0800;
const UTF8 = new TextEncoder();
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320);
  return crc;
});
/** Node's own is eight times as fast. */
const crc32 = globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32 ?? portableCrc32;

/**
 * Packs files into a ZIP in memory. It leaves out dot files except `.well-known`, private keys (by the name of a file or
 * by its first 16 KiB; a `.pem` by all of it), and names that no site may have. It also leaves out the files of operating
 * systems (`.DS_Store`, AppleDouble) and of site generators (`.nojekyll`), without listing them. The same files give the
 * same bytes on every runtime, in any order.
 *
 * @throws TypeError when two files have the same path; RangeError for more than 65,534 files, or a path of over 65,535 bytes.
 * @example
 * import { packFiles } from '@pinfold/client/zip';
 *
 * const page = new TextEncoder().encode('<h1>Hello</h1>');
 * const { bytes, leftOut } = await packFiles([
 *   { path: 'index.html', bytes: page },
 *   { path: '.env.local', bytes: page },
 * ]);
 * leftOut; // ['.env.local']
 */
export async function packFiles(
  files: Iterable<FileToPack>,
  options: PackOptions = {},
): Promise<PackedFiles> {
  const leftOut = new Set<string>();
  const packed = new Map<string, FileToPack['bytes']>();
  for (const { path, bytes: source } of files) {
    if (isSystemEntry(path)) continue;
    const excluded = excludedPart(path, options);
    const isInFolder = excluded !== undefined && excluded !== path;
    const bytes = mayBeAppleDouble(path) && !isInFolder ? await read(source) : source;
    if (typeof bytes !== 'function' && mayBeAppleDouble(path) && isAppleDouble(bytes)) continue;
    if (excluded !== undefined) {
      if (!isToolFile(excluded)) leftOut.add(excluded);
    } else if (packed.has(path)) throw new TypeError(`two files have the path ${path}`);
    else if (packed.size === MAX_FILES) throw new RangeError(`more than ${MAX_FILES} files`);
    else packed.set(path, bytes);
  }
  const archive = new Archive();
  const sorted = [...packed].sort(([one], [other]) => (one < other ? -1 : 1));
  for await (const [path, bytes] of readAhead(sorted)) {
    if (isSecret(path, bytes)) leftOut.add(path);
    else archive.add(path, bytes);
  }
  return { bytes: archive.end(), leftOut: [...leftOut].sort() };
}

/** Reads the next files while earlier ones are deflated, and yields them in order. */
async function* readAhead(
  files: readonly (readonly [path: string, bytes: FileToPack['bytes']])[],
): AsyncGenerator<readonly [path: string, bytes: Uint8Array]> {
  const reads: Promise<Uint8Array>[] = [];
  for (const [at, [path]] of files.entries()) {
    for (const [, source] of files.slice(at + reads.length, at + MAX_CONCURRENT_READS)) {
      const reading = read(source);
      // If several fail, the first error ends the generator before it awaits the others.
      reading.catch(() => {});
      reads.push(reading);
    }
    yield [path, (await reads.shift()) as Uint8Array];
  }
}

async function read(source: FileToPack['bytes']): Promise<Uint8Array> {
  return typeof source === 'function' ? source() : source;
}

/**
 * Finds the outermost part of a path that the packer leaves out because of its name: a file, or a folder with a trailing `/`;
 * `undefined` if it packs the path. A program that walks folders calls it with a trailing `/` for a folder, and can skip
 * an excluded one.
 *
 * @example
 * import { excludedPart } from '@pinfold/client/zip';
 *
 * excludedPart('app/node_modules/chai/index.js'); // 'app/node_modules/'
 * excludedPart('.well-known/security.txt'); // undefined
 */
export function excludedPart(path: string, { dotFiles = false }: PackOptions = {}): string | undefined {
  const segments = path.split('/');
  const last = segments.length - 1;
  const at = segments.findIndex((name, index) => {
    if (forbiddenSegment(name) !== undefined) return true;
    return (!dotFiles && isDotFile(name)) || (index === last && isSecretPath(path));
  });
  if (at === -1) return undefined;
  return `${segments.slice(0, at + 1).join('/')}${at === last ? '' : '/'}`;
}

/**
 * Finds the folder of the built site if a folder looks like the project of a site: it has a `package.json`,
 * and an output folder of a common generator with an `index.html`. `undefined` for any other folder.
 *
 * @param hasFile whether the folder has a file, by its path with `/` between folders.
 * @example
 * import { findBuildFolder } from '@pinfold/client/zip';
 *
 * const files = new Set(['package.json', 'index.html', 'src/main.ts', 'dist/index.html']);
 * findBuildFolder((path) => files.has(path)); // 'dist'
 */
export function findBuildFolder(hasFile: (path: string) => boolean): string | undefined {
  if (!hasFile('package.json')) return undefined;
  return OUTPUT_FOLDERS.find((folder) => hasFile(`${folder}/index.html`));
}

function isDotFile(name: string): boolean {
  return name.startsWith('.') && name !== '.well-known' && name !== '.' && name !== '..';
}

function isSecret(path: string, bytes: Uint8Array): boolean {
  return (
    mayBeKeyFile(path, bytes) &&
    secretOfFile(path, (characters) => LATIN1.decode(bytes.subarray(0, characters))) !== undefined
  );
}

function portableCrc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc;
}

/** A ZIP that grows file by file (APPNOTE.TXT, section 4.3), so that few files are in memory besides it. */
class Archive {
  readonly #entries: Uint8Array[] = [];
  readonly #directory: Uint8Array[] = [];
  #size = 0;

  add(path: string, bytes: Uint8Array): void {
    const name = UTF8.encode(path);
    if (name.length > MAX_NAME_BYTES) throw new RangeError(`a path has more than ${MAX_NAME_BYTES} bytes`);
    const deflated = deflateSync(bytes, { level: COMPRESSION_LEVEL });
    const isSmaller = deflated.length <= bytes.length * MAX_DEFLATED_RATIO;
    const data = isSmaller ? deflated : bytes;
    const header = new Uint8Array(DIRECTORY_HEADER_BYTES + name.length);
    const view = new DataView(header.buffer);
    view.setUint32(0, 0x50_4b_01_02);
    view.setUint16(4, 20, true);
    view.setUint16(6, 20, true);
    view.setUint16(8, name.length === path.length ? 0 : NAME_IS_UTF8, true);
    view.setUint16(10, isSmaller ? 8 : 0, true);
    view.setUint32(12, MODIFICATION_TIME, true);
    view.setUint32(16, crc32(bytes), true);
    view.setUint32(20, data.length, true);
    view.setUint32(24, bytes.length, true);
    view.setUint16(28, name.length, true);
    view.setUint32(42, this.#size, true);
    header.set(name, DIRECTORY_HEADER_BYTES);
    // The local header repeats the fields from "version needed" to "length of the extra field".
    const local = Uint8Array.of(0x50, 0x4b, 0x03, 0x04, ...header.subarray(6, 32), ...name);
    this.#directory.push(header);
    this.#entries.push(local, data);
    this.#size += local.length + data.length;
  }

  end(): Uint8Array<ArrayBuffer> {
    const record = new Uint8Array(22);
    const view = new DataView(record.buffer);
    const size = this.#directory.reduce((sum, { length }) => sum + length, 0);
    view.setUint32(0, 0x50_4b_05_06);
    view.setUint16(8, this.#directory.length, true);
    view.setUint16(10, this.#directory.length, true);
    view.setUint32(12, size, true);
    view.setUint32(16, this.#size, true);
    const archive = new Uint8Array(this.#size + size + record.length);
    let at = 0;
    for (const part of [...this.#entries, ...this.#directory, record]) {
      archive.set(part, at);
      at += part.length;
    }
    return archive;
  }
}
