import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveProblem, Refusal } from '@pinfold/core';
import { forbiddenSegment, indexHint } from '@pinfold/core/internal';
import { archiveError, type WireError } from '@pinfold/http-express/internal/problems';
import { CommandFailure } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';

/**
 * A refusal of a folder that lacks nothing but an index.html, with advice from all that lies in the folder: packing
 * leaves out folders such as `.vitepress`, in which the built site may be. Other errors come back as they are.
 *
 * @param given the folder as the user wrote it, so that the advice names what to give instead.
 * @param folder where it lies.
 */
export async function explainMissingIndex(error: unknown, given: string, folder: string): Promise<unknown> {
  if (!(error instanceof CommandFailure) || error.json === undefined) return error;
  const [only, ...others] = (error.json.errors ?? []) as readonly WireError[];
  if (only?.rule !== 'missing_index' || others.length > 0) return error;
  const problem = await missingIndexIn(folder, given);
  const broken = archiveError(problem);
  const json = { ...error.json, detail: broken.detail, errors: [broken] };
  const cause: Refusal = { kind: 'refused', code: 'invalid_archive', problems: [problem] };
  return new CommandFailure(escapeControls(broken.detail), { cause, json });
}

async function missingIndexIn(folder: string, given: string): Promise<ArchiveProblem> {
  const found = indexHint(await pathsIn(folder));
  if (found === undefined || found.kind === 'empty')
    return { rule: 'missing_index', ...(found && { hint: found }) };
  const { kind, ...paths } = found;
  const placed = Object.entries(paths).map(([name, path]) => [name, join(given, path)]);
  return { rule: 'missing_index', hint: { kind, ...Object.fromEntries(placed) } };
}

/** All paths below a folder, except in folders that no site may have. */
async function pathsIn(folder: string, prefix = ''): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (forbiddenSegment(entry.name) !== undefined) continue;
    if (entry.isDirectory()) paths.push(`${path}/`, ...(await pathsIn(folder, `${path}/`)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}
