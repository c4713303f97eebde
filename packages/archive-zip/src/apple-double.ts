import type { ListedEntry } from '@pinfold/core';
import { isAppleDouble, mayBeAppleDouble } from '@pinfold/core/adapter';
import { type PieceSource, readPieces } from './entry-data.ts';
import { isReadable } from './named-header.ts';

/** Far more than the magic number, and enough to begin any deflate stream. */
const PIECE = 1_024;

/** Whether an entry is a file `._x` whose data begin as those of AppleDouble. One that cannot be inflated is not. */
export async function isAppleDoubleEntry(
  path: string,
  entry: ListedEntry,
  source: PieceSource,
): Promise<boolean> {
  if (!mayBeAppleDouble(path) || !isReadable(entry)) return false;
  source.control.throwIfStopped();
  let beginning = Buffer.alloc(0);
  await readPieces(
    entry,
    source,
    (piece) => {
      beginning = Buffer.concat([beginning, piece]);
      return beginning.length < 4;
    },
    PIECE,
  );
  return isAppleDouble(beginning);
}
