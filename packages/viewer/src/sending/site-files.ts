import type { Manifest, ManifestEntry, RoleId } from '@pinfold/core';
import { isCodedType } from '@pinfold/core/internal';
import { gzipLength } from './bodies.ts';
import { mediaTypeOf } from './negotiation.ts';

/** The headers that do not depend on the file: one list for open roles, one for protected ones. */
export interface FilePolicy {
  readonly index: 0 | 1;
  readonly headers: readonly string[];
}

/** One encoding of a file, with everything prepared that its answers need. */
export interface Form {
  readonly gzip: boolean;
  readonly etag: string;
  readonly length: number;
  /** Names the body among all bodies. */
  readonly key: string;
  /** Names and values in turn, as `writeHead` takes them: of a 200, and of a 304. */
  readonly ok: string[];
  readonly notModified: string[];
}

const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml)(?:;|$)/;
const SVGZ = /\.svgz$/i;
const GZIP = ['Content-Encoding', 'gzip'] as const;

export class SiteFile {
  readonly entry: ManifestEntry;
  readonly type: string;
  /** Whether clients choose between the file as it is and as gzip. */
  readonly hasTwoForms: boolean;
  readonly isPage: boolean;
  /** Whether the file itself is an SVG image in gzip; `undefined` until its first bytes are known. */
  isGzippedSvg: boolean | undefined;
  readonly #key: string;
  readonly #forms: (Form | undefined)[] = [undefined, undefined, undefined, undefined];

  constructor(publication: RoleId, entry: ManifestEntry) {
    this.entry = entry;
    this.type = mediaTypeOf(entry.path, entry.utf8);
    this.isPage = PAGE_TYPE.test(this.type);
    const isSvgz = SVGZ.test(entry.path);
    const isCoded = !isSvgz && isCodedType(mediaTypeOf(entry.path, false));
    this.hasTwoForms = isCoded && entry.method === 'deflated' && entry.size > 0;
    this.isGzippedSvg = isSvgz && entry.size > 1 ? undefined : false;
    this.#key = `${publication}/${entry.offset}`;
  }

  /** The file as gzip, if `gzip` is true and there are two forms, or as it is. */
  form(gzip: boolean, policy: FilePolicy): Form {
    const index = (gzip && this.hasTwoForms ? 2 : 0) + policy.index;
    const known = this.#forms[index];
    if (known !== undefined) return known;
    const made = this.#make(gzip && this.hasTwoForms, policy);
    this.#forms[index] = made;
    return made;
  }

  #make(gzip: boolean, policy: FilePolicy): Form {
    const { crc32, size } = this.entry;
    const tag = `${crc32.toString(16)}-${size.toString(36)}`;
    const etag = gzip ? `"${tag}-gzip"` : `"${tag}"`;
    const length = gzip ? gzipLength(this.entry) : size;
    const vary = this.hasTwoForms ? ['Vary', 'Accept-Encoding'] : [];
    const notModified = ['ETag', etag, ...vary, ...policy.headers];
    const ranges = gzip ? [] : ['Accept-Ranges', 'bytes'];
    const ok = [...this.describe(gzip, length), ...ranges, ...notModified];
    return { gzip, etag, length, key: gzip ? `${this.#key}/gzip` : this.#key, ok, notModified };
  }

  /** The headers that describe a body of the file, whole or a part. */
  describe(gzip: boolean, length: number): string[] {
    const coding = gzip || this.isGzippedSvg === true ? GZIP : [];
    return ['Content-Type', this.type, 'Content-Length', String(length), ...coding];
  }
}

/** The files of one publication, prepared one by one as they are asked for. */
export class SiteFiles {
  readonly manifest: Manifest;
  readonly #publication: RoleId;
  readonly #files = new Map<ManifestEntry, SiteFile>();
  /** By path as browsers send it: only paths that a file answers, so it has at most three for each. */
  readonly #direct = new Map<string, SiteFile>();

  constructor(publication: RoleId, manifest: Manifest) {
    this.manifest = manifest;
    this.#publication = publication;
  }

  known(path: string): SiteFile | undefined {
    return this.#direct.get(path);
  }

  remember(path: string, file: SiteFile): void {
    this.#direct.set(path, file);
  }

  file(entry: ManifestEntry): SiteFile {
    let file = this.#files.get(entry);
    if (file === undefined) {
      file = new SiteFile(this.#publication, entry);
      this.#files.set(entry, file);
    }
    return file;
  }

  /** The approximate bytes in memory once every file was requested. */
  get bytes(): number {
    let sum = 1_024;
    for (const { path } of this.manifest.entries) sum += 2_048 + 4 * path.length;
    return sum;
  }
}
