import { writeFile } from 'node:fs/promises';
import { API_PAGE, apiPage } from './api-page.ts';

await writeFile(API_PAGE, apiPage());
