/**
 * `npm run bench -- NAME`: runs one table of docs/performance.md and writes bench/results/NAME.json.
 */
const tables = {
  serving: () => import('./tables/serving.ts'),
  budget: () => import('./tables/budget.ts'),
  publishing: () => import('./tables/publishing.ts'),
  start: () => import('./tables/start.ts'),
  size: () => import('./tables/size.ts'),
  growth: () => import('./tables/growth.ts'),
  hostile: () => import('./tables/hostile.ts'),
  proxies: () => import('./tables/proxies.ts'),
  'slow-disk': () => import('./tables/slow-disk.ts'),
  chart: () => import('./tables/chart.ts'),
  operating: () => import('./tables/operating.ts'),
};

const [name = ''] = process.argv.slice(2);
if (!Object.hasOwn(tables, name)) {
  console.error(`npm run bench -- ${Object.keys(tables).join('|')}`);
  process.exit(2);
}
const { run } = await tables[name as keyof typeof tables]();
await run();
