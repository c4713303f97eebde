// Opens Pinfold with the options of its argument, and prints which packages are loaded by then.
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
const { openPinfold } = await import('../../src/index.ts');
await openPinfold(JSON.parse(process.argv[2] ?? '')).then(
  (pinfold) => pinfold.close(),
  () => undefined,
);
process.stdout.write(JSON.stringify([...loaded]));
