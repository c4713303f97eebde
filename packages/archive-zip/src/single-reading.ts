import { type ByteSource, uint32 } from './byte-source.ts';
import type { CentralHeader } from './central-header.ts';
import { END_BYTES, END_SIGNATURE, type EndRecord } from './end-record.ts';
import { ZIP64 } from './extra-fields.ts';

const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffff_ffff;

/**
 * Whether there is one way to read a directory that breaks no rule: its end record ends the file and holds no other, and
 * no figure is, or may stand for, one of Zip64. Most archives are so.
 */
export function isReadOneWay(file: ByteSource, end: EndRecord, headers: readonly CentralHeader[]): boolean {
  if (end.at + END_BYTES !== file.size || end.directoryEnd !== end.at || holdsAnother(file, end))
    return false;
  const { count, directorySize, directoryOffset } = end;
  if (count >= MAX_UINT16 || Math.max(directorySize, directoryOffset) >= MAX_UINT32) return false;
  return headers.every(isWithoutZip64);
}

/** Readers that search from the end of the file stop at the first signature, wherever it stands. */
function holdsAnother(file: ByteSource, { at }: EndRecord): boolean {
  const record = file.at(at, END_BYTES);
  for (let inside = 1; inside < END_BYTES; inside += 1)
    if (uint32(record, inside) === END_SIGNATURE) return true;
  return false;
}

function isWithoutZip64({ fields, size, compressedSize, localOffset, disk }: CentralHeader): boolean {
  if (Math.max(size, compressedSize, localOffset) >= MAX_UINT32 || disk >= MAX_UINT16) return false;
  return fields.length === 0 || fields.every(({ id }) => id !== ZIP64);
}
