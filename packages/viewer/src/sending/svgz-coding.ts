import type { Exchange } from '../exchange.ts';
import { EndedMeanwhile, expandedPieces } from './body-pieces.ts';
import { sourceOf } from './byte-source.ts';
import type { FileAnswer, FileOutcome } from './send-file.ts';
import { untilDisconnect } from './until-disconnect.ts';

/** The first bytes of every gzip member (RFC 1952, section 2.3.1). */
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/**
 * Reads from the first bytes of an `.svgz` file whether it is gzip, which its answers then name as their coding.
 * Some programs save plain SVG under that name.
 *
 * @returns the outcome of the request where it is over already.
 */
export async function readSvgzCoding(
  exchange: Exchange,
  answer: FileAnswer,
): Promise<FileOutcome | undefined> {
  const { file } = answer;
  const read = await untilDisconnect(exchange.response, async (signal) => {
    const length = Math.min(GZIP_MAGIC.length, file.entry.size);
    const bytes: number[] = [];
    try {
      for await (const piece of expandedPieces(sourceOf(exchange, answer, signal), 0, length))
        bytes.push(...piece);
    } catch (error) {
      if (error instanceof EndedMeanwhile) return error.ended;
      throw error;
    }
    return bytes;
  });
  if (!Array.isArray(read)) return read ?? 'over';
  file.isGzippedSvg = GZIP_MAGIC.every((byte, index) => read[index] === byte);
  return undefined;
}
