import type { ArchiveId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';

/** A segment of keys that every tested server stores unchanged and lists in order: lower case, not empty. */
const SEGMENT = /^[a-z0-9._-]{1,200}$/;

/** The keys of archives in a bucket: `<prefix>/<archive id>`. */
export class ArchiveKeys {
  /** The beginning of every key: the prefix and `/`. Listing a whole bucket is unreliable on some servers. */
  readonly folder: string;
  /** The key of an object that is never stored. */
  readonly probe: string;

  /** @throws TypeError when the prefix has anything but segments of `a-z 0-9 . _ -` between slashes. */
  constructor(prefix: string) {
    const segments = prefix.split('/');
    const isValid = segments.every((name) => SEGMENT.test(name) && name !== '.' && name !== '..');
    if (!isValid) {
      throw new TypeError('a prefix is segments of a-z, 0-9, ".", "_" and "-" with "/" between them');
    }
    this.folder = `${prefix}/`;
    this.probe = `${this.folder}check`;
  }

  of(id: ArchiveId): string {
    return this.folder + id;
  }

  archiveOf(key: string): ArchiveId | undefined {
    return key.startsWith(this.folder) ? parseArchiveId(key.slice(this.folder.length)) : undefined;
  }
}
