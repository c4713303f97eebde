import { isMet, print } from '../lib/report.ts';
import { inFolder } from '../lib/views.ts';
import { publicationBudget } from './publishing.ts';
import { viewBudgets } from './serving.ts';

/** For every night: fails if a view or a publication costs more than its budget, so that no change exceeds it unnoticed. */
export async function run(): Promise<void> {
  await inFolder(async (folder, running) => {
    const rows = [...(await viewBudgets(folder, running)), await publicationBudget(folder, running)];
    print(rows);
    if (rows.some((row) => isMet(row) === false)) process.exitCode = 1;
  });
}
