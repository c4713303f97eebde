import { readArguments } from '../command-line/arguments.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { release } from '../release.ts';

/** `pinfold version` */
export async function version(args: readonly string[], { out }: Terminal): Promise<void> {
  const { values } = readArguments(args, [], {});
  const running = await release();
  out(values.json ? jsonLine({ version: running }) : running);
}
