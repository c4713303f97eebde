import {
  type ArchiveInspector,
  type EncodedManifest,
  isFault,
  type ManifestEntry,
  type StagedArchive,
} from '@pinfold/core';
import { decodeManifest, entryPath } from '@pinfold/core/internal';
import { isSound } from './verify-stores.ts';
import type { MovingArchive } from './whole-archive.ts';

/**
 * Whether a manifest names files of its archive alone: each is an entry of the ZIP, with its sizes, method, CRC-32 and
 * bytes. Whoever wrote an export could otherwise show bytes that no publication proved, such as the ZIP itself.
 */
export async function provesArchive(
  manifest: EncodedManifest,
  archive: MovingArchive,
  staged: StagedArchive,
  inspector: Pick<ArchiveInspector, 'list'>,
): Promise<boolean> {
  const entries = manifestEntries(manifest);
  if (entries === undefined) return false;
  const { entries: listed } = await inspector.list(staged);
  const byOffset = new Map(listed.map((entry) => [entry.dataOffset, entry]));
  const isListed = entries.every((entry) => {
    const there = byOffset.get(entry.offset);
    return (
      there !== undefined &&
      there.method === (entry.method === 'stored' ? 0 : 8) &&
      there.compressedSize === entry.compressedSize &&
      there.size === entry.size &&
      there.crc32 === entry.crc32
    );
  });
  return isListed && isSound(archive, { sha256: archive.sha256, entries });
}

/** The files of a manifest; `undefined` if it is none, or names a path or a place twice. */
export function manifestEntries(manifest: EncodedManifest): readonly ManifestEntry[] | undefined {
  try {
    const { entries } = decodeManifest(manifest);
    const paths = new Set(entries.map(({ path }) => entryPath(path)?.normalize('NFC')));
    const places = new Set(entries.map(({ offset }) => offset));
    const isWhole = entries.length > 0 && !paths.has(undefined);
    return isWhole && paths.size === entries.length && places.size === entries.length ? entries : undefined;
  } catch (error) {
    // What is JSON, and no list of files, fails where its members are read.
    if (isFault(error) || error instanceof TypeError) return undefined;
    throw error;
  }
}
