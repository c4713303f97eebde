// Runs a module as Jest does: with classes of its own, while those of Node's modules and globals are another realm's. An
// error of `node:fs` is not an instance of its `Error`, nor a `Buffer` of its `Uint8Array`. The packages' sources are
// loaded into the realm; what they depend on stays outside.
// `node --experimental-vm-modules --experimental-import-meta-resolve realm.ts MODULE`
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createContext, type Module, runInContext, SourceTextModule, SyntheticModule } from 'node:vm';

const realm = createContext({});
const own: readonly string[] = runInContext('Object.getOwnPropertyNames(globalThis)', realm);
const ofNode = Object.getOwnPropertyNames(globalThis).filter((name) => !own.includes(name));
for (const name of [...ofNode, 'console']) realm[name] = globalThis[name as keyof typeof globalThis];
const modules = new Map<string, Promise<Module>>();

function load(url: string): Promise<Module> {
  const found = modules.get(url) ?? (url.endsWith('.ts') ? loadInside(url) : loadOutside(url));
  modules.set(url, found);
  return found;
}

async function loadInside(url: string): Promise<Module> {
  const source = stripTypeScriptTypes(await readFile(new URL(url), 'utf8'));
  return new SourceTextModule(source, {
    context: realm,
    identifier: url,
    initializeImportMeta: (meta) => {
      const filename = fileURLToPath(url);
      Object.assign(meta, { url, filename, dirname: dirname(filename) });
    },
    importModuleDynamically: async (specifier) => evaluated(await load(import.meta.resolve(specifier, url))),
  });
}

async function loadOutside(url: string): Promise<Module> {
  const exports: Readonly<Record<string, unknown>> = await import(url);
  const names = Object.keys(exports);
  const fill = function (this: SyntheticModule): void {
    for (const name of names) this.setExport(name, exports[name]);
  };
  return new SyntheticModule(names, fill, { context: realm, identifier: url });
}

async function evaluated(module: Module): Promise<Module> {
  if (module.status === 'unlinked')
    await module.link((specifier, { identifier }) => load(import.meta.resolve(specifier, identifier)));
  await module.evaluate();
  return module;
}

await evaluated(await load(pathToFileURL(resolve(process.argv[2] ?? '')).href));
