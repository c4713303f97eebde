import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PROMISES_PAGE, promisesPage } from './promises.ts';

await mkdir(dirname(PROMISES_PAGE), { recursive: true });
await writeFile(PROMISES_PAGE, promisesPage());
