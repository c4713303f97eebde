import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveProblem, Refusal } from '@pinfold/core';
import { forbiddenSegment, indexHint } from '@pinfold/core/internal';
import { archiveError, type WireError } from '@pinfold/http-express/internal/problems';
import { CommandFailure } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';

/**
 * Adds advice to the refusal of a folder that lacks only an index.html; returns other errors unchanged. The advice
 * considers the whole folder, because packing leaves out folders such as `.vitepress`, which may have the built site.
 *
 * @param argument the folder as the user wrote it, for the paths in the advice.
 */
export async function explainMissingIndex(
  error: unknown,
  argument: string,
  folder: string,
): Promise<unknown> {
  if (!(error instanceof CommandFailure) || error.json === undefined) return error;
  const [only, ...others] = (error.json.errors ?? []) as readonly WireError[];
  if (only?.rule !== 'missing_index' || others.length > 0) return error;
  const problem = await describeMissingIndex(folder, argument);
  const wireError = archiveError(problem);
  const json = { ...error.json, detail: wireError.detail, errors: [wireError] };
  const cause: Refusal = { kind: 'refused', code: 'invalid_archive', problems: [problem] };
  return new CommandFailure(escapeControls(wireError.detail), { cause, json });
}

async function describeMissingIndex(folder: string, argument: string): Promise<ArchiveProblem> {
  const hint = indexHint(await listPaths(folder));
  if (hint === undefined || hint.kind === 'empty') return { rule: 'missing_index', ...(hint && { hint }) };
  const { kind, ...paths } = hint;
  const hintPaths = Object.entries(paths).map(([name, path]) => [name, join(argument, path)]);
  return { rule: 'missing_index', hint: { kind, ...Object.fromEntries(hintPaths) } };
}

/** Lists all paths below a folder, except in folders that a site must not contain. */
async function listPaths(folder: string, prefix = ''): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (forbiddenSegment(entry.name) !== undefined) continue;
    if (entry.isDirectory()) paths.push(`${path}/`, ...(await listPaths(folder, `${path}/`)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}
