import { archiveInspectorContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { ZipArchiveInspector } from '../src/index.ts';

describeContract(archiveInspectorContract, {
  name: 'ZipArchiveInspector',
  create: async () => {
    const staged = await createStagedArchives();
    const opened: ZipArchiveInspector[] = [];
    const open = (): ZipArchiveInspector => {
      const inspector = new ZipArchiveInspector();
      opened.push(inspector);
      return inspector;
    };
    return {
      port: open(),
      peer: async () => open(),
      stage: staged.stage,
      dispose: async () => {
        await Promise.all(opened.map((inspector) => inspector.close()));
        await staged.dispose();
      },
    };
  },
});
