import { join } from 'node:path';
import { EdgeVM } from '@edge-runtime/vm';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { defaultLimits } from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { build } from 'esbuild';
import { zipOf } from 'pinfold/testing';
import type { ProgramInput } from './program.ts';

/** The program and all that it imports. Nothing of Node is found, so that an import of that fails. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'program.ts')],
    bundle: true,
    write: false,
    platform: 'neutral',
    conditions: ['@pinfold/source'],
    format: 'iife',
    globalName: 'program',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** An archive that was proved in a runtime with threads. */
async function proveArchive(): Promise<ProgramInput> {
  const archive = await zipOf({ 'index.html': '<!doctype html><title>Harbour</title>', 'a/b.txt': 'text' });
  const [staged, inspector] = [await createStagedArchives(), new ZipArchiveInspector()];
  try {
    const file = await staged.stage(archive);
    const listing = await inspector.list(file);
    const { tasks } = judgeListing(listing, defaultLimits);
    const expandedBytes = defaultLimits.expandedBytes;
    return {
      archive,
      listing,
      proof: await inspector.prove({ archive: file, listing, tasks, expandedBytes }),
    };
  } finally {
    await inspector.close();
    await staged.dispose();
  }
}

describe('the use cases over stores in memory, in a runtime of web standards', () => {
  it('publish, replay, read, admit with a password and stop', async () => {
    const vm = new EdgeVM();
    vm.evaluate(`${await bundled()}\nglobalThis.use = program.use;`);
    vm.context.input = await proveArchive();
    const outcome = await vm.evaluate<Promise<unknown>>('use(input)');
    expect(JSON.parse(JSON.stringify(outcome))).to.deep.equal({
      account: 'ada',
      published: 'published',
      again: 'replayed',
      read: ['published', 2],
      admitted: true,
      stopped: 'changed',
      after: 'unknown',
    });
  });
});
